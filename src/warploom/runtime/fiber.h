// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fibers: contexts that share one OS thread, and the stacks they run on.
#pragma once

#include <cstddef>
#include <vector>

extern "C" {
// Saves the running context in *save and continues the context `load` (fiber_switch.S).
void __warploom_switch(void **save, void *load);
// Continues the context that the stack pointer names: where a fault handler goes to leave a fiber for good.
void __warploom_resume();
// Leaves the running fiber for good, for the context that started it.
[[noreturn]] void __warploom_leave(void *load);
}

namespace warploom {

struct Stack {
  char *low = nullptr;    // first byte, of the guard if there is one
  char *limit = nullptr;  // lowest byte that may be used
  char *top = nullptr;    // 16-byte aligned; the stack grows down from here

  bool overflowed_at(const void *address) const { return address >= low && address < limit; }
};

// Contexts prepared from now on round as the processor numbers it: 0 to nearest, 1 down, 2 up (x86-64, AArch64).
void set_fiber_rounding(unsigned rounding);

// A context that calls function(argument) on `stack` when first switched to, in the default floating-point
// environment but for that, and for denormals, which count as zeros if `flush_denormals` (x86-64, AArch64). The
// function must not return. `*resumer`: where whoever continues the fiber is saved meanwhile; debuggers follow it.
void *prepare_context(const Stack &stack, void *const *resumer, void (*function)(void *), void *argument,
                      bool flush_denormals = false);

// Stacks of one worker, all of one size. The stack given back last is handed out first, so threads that end without
// blocking all run on one warm stack.
class StackPool {
 public:
  StackPool() = default;
  StackPool(const StackPool &) = delete;
  StackPool &operator=(const StackPool &) = delete;
  ~StackPool();

  // Makes stacks of at least `bytes` usable bytes; every stack must have been given back.
  void require(std::size_t bytes);
  // A stack; `top` is null when the system has no memory left to reserve.
  Stack acquire();
  void release(const Stack &stack) { free_.push_back(stack); }

 private:
  struct Slab {
    void *address;
    std::size_t size;
  };

  void add_slab();
  void drop_slabs();

  std::size_t usable_ = 0;
  std::size_t made_ = 0;
  std::vector<Stack> free_;
  std::vector<Slab> slabs_;
};

}  // namespace warploom
