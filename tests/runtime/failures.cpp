// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every way a grid can fail, and that the next launch works all the same.
#include <algorithm>
#include <csetjmp>
#include <csignal>

#include "check.h"

using warploom::Outcome;

namespace {

// Runs a kernel that must fail with `outcome`; returns what it wrote to stderr.
template <typename Body>
std::string failing(Outcome outcome, warploom::Extent grid, warploom::Extent block, const Body &body,
                    Options options = {}) {
  const std::string text = captured(2, [&] { CHECK(run(grid, block, body, options) == outcome); });
  CHECK(succeeds({8}, {64}, [] { __warploom_barrier(HERE); }));
  return text;
}

__attribute__((noinline)) int recurse(int depth) {
  volatile char frame[256];
  frame[depth & 255] = static_cast<char>(depth);
  return depth < 0 ? 0 : recurse(depth + 1) + frame[depth & 255];
}

void deadlocks() {
  test("deadlock: named barrier that too few reach", [] {
    const auto text = failing(Outcome::kDeadlock, {2}, {64}, [] {
      if (__warploom_thread_idx_x() < 32) {
        __warploom_barrier_named(2, 64, HERE);
      } else {
        __warploom_barrier(HERE);
      }
    });
    CHECK(contains(text, "deadlock in kernel test(), block ("));
    CHECK(contains(text, "threads 0-31: in bar.sync 2, 64 at "));
    CHECK(contains(text, "threads 32-63: in __syncthreads() at "));
    CHECK(contains(text, "failures.cpp:"));
  });

  test("deadlock: a lane of the mask waits at the block's barrier", [] {
    const auto text = failing(Outcome::kDeadlock, {1}, {40}, [] {
      const unsigned t = __warploom_thread_idx_x();
      if (t == 39) return;
      if (t == 5 || t > 31) {
        __warploom_barrier(HERE);
      } else {
        __warploom_ballot(kAll, 1, HERE);
      }
    });
    CHECK(contains(text, "threads 0-4, 6-31: in __ballot_sync() with mask 0xffffffff at "));
    CHECK(contains(text, "threads 5, 32-38: in __syncthreads() at "));
    CHECK(contains(text, "thread 39: ended"));
  });

  test("deadlock: different operations, different masks, a mask without the caller", [] {
    auto text = failing(Outcome::kDeadlock, {1}, {32}, [] {
      if (__warploom_lane_id() == 0) {
        __warploom_any(kAll, 1, HERE);
      } else {
        __warploom_all(kAll, 1, HERE);
      }
    });
    CHECK(contains(text, "thread 0: in __any_sync()"));
    text = failing(Outcome::kDeadlock, {1}, {32},
                   [] { __warploom_syncwarp(__warploom_lane_id() == 0 ? 0x3 : kAll, HERE); });
    CHECK(contains(text, "thread 0: in __syncwarp() with mask 0x3 at"));
    text = failing(Outcome::kDeadlock, {1}, {32}, [] {
      if (__warploom_lane_id() == 9) __warploom_syncwarp(0xff, HERE);
    });
    CHECK(contains(text, "mask 0xff, which does not name the calling lane, at"));
  });
}

void traps() {
  test("trap", [] {
    const auto text = failing(Outcome::kTrap, {1}, {64}, [] {
      if (__warploom_thread_idx_x() == 40) __warploom_trap();
      __warploom_barrier(HERE);
    });
    CHECK(contains(text, "warploom: __trap() in kernel test(), block (0, 0, 0), thread (40, 0, 0)\n"));
  });

  test("trap, overflow: of a thread on the stack of those that ended before it", [] {
    auto text = failing(Outcome::kTrap, {1}, {64}, [] {
      if (__warploom_thread_idx_x() == 40) __warploom_trap();
    });
    CHECK(contains(text, "warploom: __trap() in kernel test(), block (0, 0, 0), thread (40, 0, 0)\n"));
    text = failing(Outcome::kStackOverflow, {1}, {64}, [] {
      if (__warploom_thread_idx_x() == 41) recurse(1);
    });
    CHECK(contains(text, "thread (41, 0, 0)"));
    CHECK(contains(text, "stack"));
  });

  test("assert: CUDA's line, for every lane of the warp that fails", [] {
    const auto text = failing(Outcome::kAssert, {1}, {64}, [] {
      if (__warploom_thread_idx_x() >= 30) __warploom_assert_fail("i < 30", "a.cu", 12, "void k(int)");
      __warploom_barrier(HERE);
    });
    if (std::getenv("WARPLOOM_SCHEDULE_SEED") != nullptr) return;  // warp 1 may be the first to fail
    CHECK(contains(text, "a.cu:12: void k(int): block: [0,0,0], thread: [31,0,0] Assertion `i < 30` failed.\n"));
    CHECK(std::count(text.begin(), text.end(), '\n') == 2);
  });

  test("free of what is not allocated", [] {
    const auto text = failing(Outcome::kTrap, {1}, {1}, [] {
      void *p = __warploom_malloc(64);
      __warploom_free(p);
      __warploom_free(p);
    });
    CHECK(contains(text, "freed twice"));
  });

  test("grid sync in an ordinary launch", [] {
    CHECK(contains(failing(Outcome::kTrap, {1}, {1}, [] { __warploom_grid_sync(HERE); }), "not cooperative"));
  });

  test("a failure stops the other blocks", [] {
    unsigned started = 0;
    failing(Outcome::kTrap, {100000}, {32}, [&] {
      __atomic_fetch_add(&started, 1, __ATOMIC_RELAXED);
      __warploom_trap();
    });
    CHECK(started < 10000);
    failing(Outcome::kTrap, {2}, {32}, [&] {
      if (__warploom_block_idx_x() == 1) __warploom_trap();
      while (true) __warploom_spin_point();
    });
  });
}

void faults() {
  test("illegal address", [] {
    const auto text = failing(Outcome::kIllegalAddress, {1}, {64}, [] {
      if (__warploom_thread_idx_x() == 33) *reinterpret_cast<volatile int *>(0x1230) = 1;
      __warploom_barrier(HERE);
    });
    CHECK(contains(text, "illegal address 0x1230 in kernel test(), block (0, 0, 0), thread (33, 0, 0)"));
  });

  test("illegal address in every block at once", [] {
    for (int i = 0; i < 20; ++i) {
      failing(Outcome::kIllegalAddress, {64}, {64}, [] { *reinterpret_cast<volatile int *>(0x10) = 1; });
    }
  });

  test("illegal address in printf leaves stdout usable", [] {
    failing(Outcome::kIllegalAddress, {1}, {1}, [] {
      const auto print = [](const char *format, ...) {
        __builtin_va_list arguments;
        __builtin_va_start(arguments, format);
        __warploom_vprintf(format, arguments);
        __builtin_va_end(arguments);
      };
      print("%s\n", reinterpret_cast<const char *>(0x10));
    });
  });

#ifdef __x86_64__  // elsewhere the division has a result, as on a device
  test("integer division by zero", [] {
    volatile int zero = 0;
    volatile int result = 0;
    const auto text = failing(Outcome::kTrap, {1}, {2}, [&] { result = 3 / zero; });
    CHECK(contains(text, "integer division by zero"));
  });
#endif

  test("trap instruction",
       [] { CHECK(contains(failing(Outcome::kTrap, {1}, {2}, [] { __builtin_trap(); }), "trap instruction")); });

  test("stack overflow", [] {
    volatile int result = 0;
    const auto text = failing(Outcome::kStackOverflow, {4}, {64}, [&] { result = recurse(1); });
    CHECK(contains(text, "stack overflow in kernel test(), block ("));
  });

  test("deep recursion within the limit", [] {
    warploom::set_thread_stack_size(16 << 20);
    CHECK(warploom::thread_stack_size() == 16 << 20);
    volatile int result = 0;
    CHECK(succeeds({1}, {4}, [&] { result = recurse(-20000 + (1 << 20) * 0) == 0 ? 1 : 2; }));
    warploom::set_thread_stack_size(1 << 20);
  });
}

sigjmp_buf host_fault;

void chaining() {
  test("faults of the host go to the host's handler", [] {
    if (sigsetjmp(host_fault, 1) == 0) {
      *reinterpret_cast<volatile int *>(0x20) = 1;
      CHECK(false);
    }
  });
}

}  // namespace

int main() {
  signal(SIGSEGV, [](int) { siglongjmp(host_fault, 1); });  // before the engine's first launch
  deadlocks();
  traps();
  faults();
  chaining();
  return finish();
}
