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

  test("grid sync of many more blocks than processors", [&] {
    constexpr unsigned kBlocks = 300, kThreads = 40;
    std::vector<int> sums(kBlocks), all(kBlocks);
    CHECK(succeeds(
        {kBlocks}, {kThreads},
        [&] {
          const unsigned block = __warploom_block_idx_x();
          for (int round = 0; round < 3; ++round) {
            __atomic_fetch_add(&sums[(block + round) % kBlocks], 1, __ATOMIC_RELAXED);
            __warploom_grid_sync(HERE);
            if (__warploom_thread_idx_x() == 0) all[block] += sums[(block * 7) % kBlocks];
            __warploom_grid_sync(HERE);
          }
        },
        cooperative));
    for (const int value : all) CHECK(value == 40 + 80 + 120);
  });

  test("blocks that wait for blocks by a flag, many more than processors", [&] {
    constexpr unsigned kBlocks = 100;
    std::vector<int> flags(kBlocks);
    CHECK(succeeds(
        {kBlocks}, {33},
        [&] {
          const unsigned block = __warploom_block_idx_x();
          // A chain from the last block to the first, and back up by the grid's barrier.
          while (block + 1 < kBlocks && __atomic_load_n(&flags[block + 1], __ATOMIC_ACQUIRE) == 0)
            __warploom_spin_point();
          if (__warploom_thread_idx_x() == 0) __atomic_store_n(&flags[block], 1, __ATOMIC_RELEASE);
          __warploom_grid_sync(HERE);
          if (__atomic_load_n(&flags[0], __ATOMIC_ACQUIRE) != 1) __warploom_trap();
        },
        cooperative));
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
