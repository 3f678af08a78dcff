// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>

#include "check.h"

int main() {
  test("reverse through shared memory", [] {
    std::vector<int> data(4 * 256);
    for (int i = 0; i < 1024; ++i) data[i] = i;
    CHECK(succeeds({4}, {256},
                   [&] {
                     auto *tile = reinterpret_cast<int *>(__warploom_shared_memory());
                     const unsigned t = __warploom_thread_idx_x(), base = __warploom_block_idx_x() * 256;
                     tile[t] = data[base + t];
                     __warploom_barrier(HERE);
                     data[base + t] = tile[255 - t];
                   },
                   {.dynamic_shared = 1024}));
    bool right = true;
    for (int i = 0; i < 1024; ++i) right = right && data[i] == i / 256 * 256 + 255 - i % 256;
    CHECK(right);
  });

  test("one thread writes another's slot between two barriers", [] {
    std::vector<int> seen(64);
    CHECK(succeeds({1}, {64}, [&] {
      auto *slot = reinterpret_cast<volatile int *>(__warploom_shared_memory());
      const unsigned t = __warploom_thread_idx_x();
      for (int round = 0; round < 10; ++round) {
        slot[t] = -1;
        __warploom_barrier(HERE);
        slot[(t + 1) % 64] = round + static_cast<int>(t);
        __warploom_barrier(HERE);
        seen[t] += slot[t] - round == static_cast<int>((t + 63) % 64);
        __warploom_barrier(HERE);
      }
    }));
    for (int count : seen) CHECK(count == 10);
  });

  test("a thread that ends lets those go on that waited for it, among them some of other turns", [] {
    std::vector<int> seen(160);
    int ended = 0;
    CHECK(succeeds({1}, {160}, [&] {
      const unsigned t = __warploom_thread_idx_x();
      if (t % 3 == 0 || t == 159) {
        ++ended;
        return;
      }
      __warploom_barrier(HERE);
      seen[t] = ended;
      if (t % 3 == 1) return;
      __warploom_barrier(HERE);
      seen[t] += ended;
    }));
    for (int t = 0; t < 160; ++t) CHECK(seen[t] == (t % 3 == 0 ? 0 : t % 3 * 54));
  });

  test("barriers at different call sites meet", [] {
    int arrived = 0;
    bool right = true;
    CHECK(succeeds({1}, {96}, [&] {
      ++arrived;
      if (__warploom_thread_idx_x() % 2 == 0) {
        __warploom_barrier(HERE);
      } else {
        __warploom_barrier(HERE);
      }
      right = right && arrived == 96;
    }));
    CHECK(right);
  });

  test("threads that have ended do not hold up a barrier", [] {
    int through = 0;
    CHECK(succeeds({3}, {100}, [&] {
      if (__warploom_thread_idx_x() >= 33) __warploom_exit_thread();
      __warploom_barrier(HERE);
      if (__warploom_thread_idx_x() >= 7) return;
      __warploom_barrier(HERE);
      __atomic_fetch_add(&through, 1, __ATOMIC_RELAXED);
    }));
    CHECK(through == 21);
  });

  test("threads that end after others wait release them", [] {
    int through = 0;
    CHECK(succeeds({1}, {64}, [&] {
      if (__warploom_thread_idx_x() == 63) return;  // runs last: the rest wait already
      __warploom_barrier(HERE);
      ++through;
    }));
    CHECK(through == 63);
  });

  test("barrier_count, _and, _or", [] {
    std::atomic<bool> right{true};  // of blocks side by side
    const auto expect = [&](bool holds) {
      if (!holds) right = false;
    };
    CHECK(succeeds({2}, {70}, [&] {
      const auto t = static_cast<int>(__warploom_thread_idx_x());
      expect(__warploom_barrier_count(t % 3 == 0, HERE) == 24);
      expect(__warploom_barrier_and(t < 70, HERE) == 1);
      expect(__warploom_barrier_and(t < 69, HERE) == 0);
      expect(__warploom_barrier_or(t == 69, HERE) == 1);
      expect(__warploom_barrier_or(t == 70, HERE) == 0);
      expect(__warploom_barrier_count(t + 5, HERE) == 70);  // any non-zero predicate
    }));
    CHECK(right);
  });

  test("named barriers: producers and consumers", [] {
    int value = 0;
    bool right = true;
    CHECK(succeeds({1}, {128}, [&] {
      const unsigned t = __warploom_thread_idx_x();
      const unsigned pair = t / 64;  // two independent groups of 64
      __warploom_barrier_named(pair + 1, 64, HERE);
      if (t == 64) value = 7;
      if (pair == 1) {
        __warploom_barrier_named(3, 64, HERE);
        right = right && value == 7;
      }
      __warploom_barrier(HERE);
    }));
    CHECK(right);
  });

  test("named barriers count whole warps", [] {
    int through = 0;
    CHECK(succeeds({1}, {48}, [&] {
      __warploom_barrier_named(1, 64, HERE);  // 48 threads, two warps
      ++through;
    }));
    CHECK(through == 48);
  });

  test("3-D block, not a multiple of 32", [] {
    std::atomic<bool> right{true};  // of blocks side by side
    const auto expect = [&](bool holds) {
      if (!holds) right = false;
    };
    unsigned sum = 0;
    CHECK(succeeds({2, 3, 2}, {5, 3, 3}, [&] {
      const unsigned t = thread_index();
      expect(__warploom_lane_id() == t % 32 && __warploom_warp_id() == t / 32);
      expect(__warploom_barrier_count(1, HERE) == 45);
      expect(__warploom_grid_dim_x() == 2 && __warploom_grid_dim_y() == 3 && __warploom_grid_dim_z() == 2);
      const unsigned block = __warploom_block_idx_x() + 2 * (__warploom_block_idx_y() + 3 * __warploom_block_idx_z());
      __atomic_fetch_add(&sum, block * 45 + t, __ATOMIC_RELAXED);
    }));
    CHECK(right);
    CHECK(sum == 540 * 539 / 2);
  });

  test("1024 threads, many blocks", [] {
    std::vector<unsigned> sums(40);
    CHECK(succeeds({40}, {1024}, [&] {
      auto *values = reinterpret_cast<unsigned *>(__warploom_shared_memory());
      const unsigned t = __warploom_thread_idx_x();
      values[t] = t + __warploom_block_idx_x();
      __warploom_barrier(HERE);
      for (unsigned stride = 512; stride > 0; stride /= 2) {
        if (t < stride) values[t] += values[t + stride];
        __warploom_barrier(HERE);
      }
      if (t == 0) sums[__warploom_block_idx_x()] = values[0];
    }));
    for (unsigned block = 0; block < 40; ++block) CHECK(sums[block] == 1024 * 1023 / 2 + 1024 * block);
  });

  test("threads run in order, also after a barrier", [] {
    std::vector<unsigned> order;
    CHECK(succeeds({1}, {64}, [&] {
      order.push_back(__warploom_thread_idx_x());
      __warploom_barrier(HERE);
      order.push_back(64 + __warploom_thread_idx_x());
    }));
    bool right = order.size() == 128;
    for (unsigned i = 0; i < order.size(); ++i) right = right && order[i] == i;
    CHECK(right || std::getenv("WARPLOOM_SCHEDULE_SEED") != nullptr);
  });
  return finish();
}
