// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that wait for other threads by looking at memory again and again.
#include <chrono>
#include <thread>

#include "check.h"

namespace {

int load(const int &place) {
  __warploom_spin_point();
  return __atomic_load_n(&place, __ATOMIC_ACQUIRE);
}
void store(int &place, int value) { __atomic_store_n(&place, value, __ATOMIC_RELEASE); }

}  // namespace

int main() {
  test("a thread spins on a later thread of its block", [] {
    int flag = 0;
    CHECK(succeeds({1}, {256}, [&] {
      if (__warploom_thread_idx_x() == 0) {
        while (load(flag) == 0) {
        }
      } else if (__warploom_thread_idx_x() == 255) {
        store(flag, 1);
      }
    }));
  });

  test("spin lock between the lanes of a warp", [] {
    int lock = 0, count = 0;
    CHECK(succeeds({4}, {96}, [&] {
      while (true) {
        __warploom_spin_point();
        if (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE) == 0) break;
      }
      ++count;
      __warploom_spin_point();
      store(lock, 0);
    }));
    CHECK(count == 4 * 96);
  });

  test("a block spins on an earlier block (chained scan)", [] {
    std::vector<int> sums(2000, -1);
    CHECK(succeeds({2000}, {32}, [&] {
      if (__warploom_thread_idx_x() != 0) return;
      const auto block = __warploom_block_idx_x();
      int before = 0;
      while (block > 0 && (before = load(sums[block - 1])) < 0) {
      }
      store(sums[block], before + 1);
    }));
    CHECK(sums[1999] == 2000);
  });

  test("blocks spin on later blocks: a barrier of all blocks made of atomics", [] {
    int arrived = 0;
    CHECK(succeeds({24}, {64}, [&] {
      __warploom_barrier(HERE);
      if (__warploom_thread_idx_x() == 0) {
        __atomic_fetch_add(&arrived, 1, __ATOMIC_ACQ_REL);
        while (load(arrived) < 24) {
        }
      }
      __warploom_barrier(HERE);
    }));
    CHECK(arrived == 24);
  });

  test("a lane spins on one that stands at activemask", [] {
    int flag = 0;
    CHECK(succeeds({1}, {32}, [&] {
      if (__warploom_lane_id() == 0) {
        while (load(flag) == 0) {
        }
      } else {
        __warploom_activemask(HERE);
        store(flag, 1);
      }
    }));
  });

  test("lanes in lock step meet at every step, however slow the machine is", [] {
    bool together = true;
    CHECK(succeeds({1}, {32}, [&] {
      auto *const cells = reinterpret_cast<volatile unsigned *>(__warploom_shared_memory());
      const unsigned lane = __warploom_lane_id();
      for (unsigned step = 1; step <= 64; ++step) {
        __warploom_lock_step(cells);
        if (step % 16 == 0 && lane == step % 31) std::this_thread::sleep_for(std::chrono::milliseconds(60));
        for (int i = 0; i < 4; ++i) __warploom_spin_point();
        cells[lane] = step;
        __warploom_lock_step(cells);
        if (cells[(lane + 1) % 32] != step) together = false;
      }
    }));
    CHECK(together);
  });

  test("a warp polls with collectives while another makes the value", [] {
    int flag = 0;
    CHECK(succeeds({1}, {64}, [&] {
      if (__warploom_warp_id() == 0) {
        while (__warploom_any(kAll, load(flag) == 0, HERE) != 0) {
        }
      } else {
        store(flag, 1);
      }
    }));
  });

  test("nanosleep lets others run", [] {
    volatile int flag = 0;
    CHECK(succeeds({1}, {2}, [&] {
      if (__warploom_thread_idx_x() == 0) {
        while (flag == 0) __warploom_nanosleep(100);
      } else {
        flag = 1;
      }
    }));
  });

  test("launches from several host threads", [] {
    std::vector<std::thread> hosts;
    std::vector<unsigned> sums(8);
    for (unsigned host = 0; host < sums.size(); ++host) {
      hosts.emplace_back([&sums, host] {
        for (int i = 0; i < 50; ++i) {
          CHECK(succeeds({4}, {64}, [&] {
            __warploom_barrier(HERE);
            __atomic_fetch_add(&sums[host], __warploom_thread_idx_x(), __ATOMIC_RELAXED);
          }));
        }
      });
    }
    for (std::thread &host : hosts) host.join();
    for (const unsigned sum : sums) CHECK(sum == 50 * 4 * 2016);
  });

  test("a launch from device code runs at once", [] {
    unsigned sum = 0;
    CHECK(succeeds({2}, {4}, [&] {
      const auto child = [&] {
        __warploom_barrier(HERE);
        __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
      };
      CHECK(succeeds({2}, {8}, child));
      __warploom_barrier(HERE);
    }));
    CHECK(sum == 8 * 16);
  });

  test("time goes on", [] {
    bool right = true;
    CHECK(succeeds({1}, {1}, [&] {
      const auto cycles = __warploom_clock64();
      const auto time = __warploom_globaltimer();
      while (__warploom_clock64() - cycles < 1000000) {
      }
      right = __warploom_globaltimer() - time >= 900000;
    }));
    CHECK(right);
  });
  return finish();
}
