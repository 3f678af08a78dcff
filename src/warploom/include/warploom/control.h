// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers, fences, time, traps and hints.
#pragma once

#include "device_abi.h"
#include "function_attributes.h"
#include "libc.h"

#ifdef __CUDA_ARCH__
__WARPLOOM_DEVICE __attribute__((convergent)) void __syncthreads(__WARPLOOM_WHERE) {
  __warploom_barrier(__file, __line);
}
#else
// The host pass knows it as a builtin of the GPU target, with this signature, and never calls it.
extern "C" __device__ void __syncthreads(void);
#endif
__WARPLOOM_DEVICE __attribute__((convergent)) int __syncthreads_count(int predicate, __WARPLOOM_WHERE) {
  return __warploom_barrier_count(predicate, __file, __line);
}
__WARPLOOM_DEVICE __attribute__((convergent)) int __syncthreads_and(int predicate, __WARPLOOM_WHERE) {
  return __warploom_barrier_and(predicate, __file, __line);
}
__WARPLOOM_DEVICE __attribute__((convergent)) int __syncthreads_or(int predicate, __WARPLOOM_WHERE) {
  return __warploom_barrier_or(predicate, __file, __line);
}
__WARPLOOM_DEVICE __attribute__((convergent)) void __barrier_sync(unsigned int id, __WARPLOOM_WHERE) {
  __warploom_barrier_named(id, __warploom_block_dim_x() * __warploom_block_dim_y() * __warploom_block_dim_z(), __file,
                           __line);
}
__WARPLOOM_DEVICE __attribute__((convergent)) void __barrier_sync_count(unsigned int id, unsigned int count,
                                                                        __WARPLOOM_WHERE) {
  __warploom_barrier_named(id, count, __file, __line);
}

// One address space and one coherence domain: every scope is the whole machine.
__WARPLOOM_DEVICE void __threadfence(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
__WARPLOOM_DEVICE void __threadfence_block(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
__WARPLOOM_DEVICE void __threadfence_system(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

__WARPLOOM_DEVICE long long clock64(void) { return __warploom_clock64(); }
__WARPLOOM_DEVICE clock_t clock(void) { return (clock_t)__warploom_clock64(); }
// A handle of a conditional graph node is the address of its value.
__WARPLOOM_DEVICE void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value) {
  __atomic_store_n((unsigned int *)handle, value, __ATOMIC_RELAXED);
}
// A kernel begins when the one before it in its stream has ended, whatever that one says and its own launch allows.
__WARPLOOM_DEVICE void cudaGridDependencySynchronize(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
__WARPLOOM_DEVICE void cudaTriggerProgrammaticLaunchCompletion(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
__WARPLOOM_DEVICE void __nanosleep(unsigned int nanoseconds) { __warploom_nanosleep(nanoseconds); }

__WARPLOOM_DEVICE __attribute__((noreturn)) void __trap(void) { __warploom_trap(); }
// A breakpoint outside a debugger ends the grid, as on a GPU.
__WARPLOOM_DEVICE void __brkpt(int = 0) { __warploom_trap(); }
// Counters of a profiler that is not attached.
__WARPLOOM_DEVICE void __prof_trigger(int) {}
__WARPLOOM_DEVICE void __pm0(void) {}
__WARPLOOM_DEVICE void __pm1(void) {}
__WARPLOOM_DEVICE void __pm2(void) {}
__WARPLOOM_DEVICE void __pm3(void) {}

#ifndef __assume
#define __assume(condition) __builtin_assume(condition)
#endif
