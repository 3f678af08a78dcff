// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check.h"

using warploom::Outcome;

int main() {
  const Options cooperative{.dynamic_shared = 0, .cooperative = true};

  test("grid sync", [&] {
    std::vector<int> ping(16 * 64, 1), pong(16 * 64);
    CHECK(succeeds(
        {16}, {64},
        [&] {
          const unsigned i = __warploom_block_idx_x() * 64 + __warploom_thread_idx_x();
          for (int round = 0; round < 10; ++round) {
            pong[i] = ping[(i + 64) % 1024] + 1;
            __warploom_grid_sync(HERE);
            ping[i] = pong[(i + 64) % 1024];
            __warploom_grid_sync(HERE);
          }
          if (__warploom_is_cooperative() == 0) __warploom_trap();
        },
        cooperative));
    for (const int value : ping) CHECK(value == 11);
  });

  test("blocks and threads that have ended do not hold up grid sync", [&] {
    int through = 0;
    CHECK(succeeds(
        {8}, {64},
        [&] {
          if (__warploom_block_idx_x() % 2 == 1) return;
          if (__warploom_thread_idx_x() >= 40) return;
          __warploom_grid_sync(HERE);
          __atomic_fetch_add(&through, 1, __ATOMIC_RELAXED);
        },
        cooperative));
    CHECK(through == 160);
  });

  test("deadlock: some threads of a block at grid sync, others at a barrier", [&] {
    const auto text = captured(2, [&] {
      CHECK(run(
                {4}, {64},
                [] {
                  if (__warploom_block_idx_x() == 2 && __warploom_thread_idx_x() < 32) {
                    __warploom_barrier(HERE);
                  } else {
                    __warploom_grid_sync(HERE);
                  }
                },
                cooperative) == Outcome::kDeadlock);
    });
    CHECK(contains(text, "block (2, 0, 0)"));
    CHECK(contains(text, "threads 32-63: in grid.sync() at "));
  });

  test("a fault in one block ends those that wait for it", [&] {
    captured(2, [&] {
      CHECK(run(
                {8}, {32},
                [] {
                  if (__warploom_block_idx_x() == 5) *reinterpret_cast<volatile int *>(8) = 1;
                  __warploom_grid_sync(HERE);
                },
                cooperative) == Outcome::kIllegalAddress);
    });
    CHECK(succeeds({8}, {32}, [] { __warploom_grid_sync(HERE); }, cooperative));
  });
  return finish();
}
