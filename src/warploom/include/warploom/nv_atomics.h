// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA 12.8's __nv_atomic_* builtins: those of GNU C with a scope at the end, which does not matter here (see
// atomics.h). Macros, so that a constant memory order stays one.
#pragma once

#define __NV_ATOMIC_RELAXED __ATOMIC_RELAXED
#define __NV_ATOMIC_CONSUME __ATOMIC_CONSUME
#define __NV_ATOMIC_ACQUIRE __ATOMIC_ACQUIRE
#define __NV_ATOMIC_RELEASE __ATOMIC_RELEASE
#define __NV_ATOMIC_ACQ_REL __ATOMIC_ACQ_REL
#define __NV_ATOMIC_SEQ_CST __ATOMIC_SEQ_CST

#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

#define __nv_atomic_load(address, result, order, ...) __atomic_load(address, result, order)
#define __nv_atomic_load_n(address, order, ...) __atomic_load_n(address, order)
#define __nv_atomic_store(address, value, order, ...) __atomic_store(address, value, order)
#define __nv_atomic_store_n(address, value, order, ...) __atomic_store_n(address, value, order)
#define __nv_atomic_exchange(address, value, result, order, ...) __atomic_exchange(address, value, result, order)
#define __nv_atomic_exchange_n(address, value, order, ...) __atomic_exchange_n(address, value, order)
#define __nv_atomic_compare_exchange(address, expected, desired, weak, success, failure, ...) \
  __atomic_compare_exchange(address, expected, desired, weak, success, failure)
#define __nv_atomic_compare_exchange_n(address, expected, desired, weak, success, failure, ...) \
  __atomic_compare_exchange_n(address, expected, desired, weak, success, failure)
#define __nv_atomic_fetch_add(address, value, order, ...) __atomic_fetch_add(address, value, order)
#define __nv_atomic_fetch_sub(address, value, order, ...) __atomic_fetch_sub(address, value, order)
#define __nv_atomic_fetch_min(address, value, order, ...) __atomic_fetch_min(address, value, order)
#define __nv_atomic_fetch_max(address, value, order, ...) __atomic_fetch_max(address, value, order)
#define __nv_atomic_fetch_and(address, value, order, ...) __atomic_fetch_and(address, value, order)
#define __nv_atomic_fetch_or(address, value, order, ...) __atomic_fetch_or(address, value, order)
#define __nv_atomic_fetch_xor(address, value, order, ...) __atomic_fetch_xor(address, value, order)
#define __nv_atomic_thread_fence(order, ...) __atomic_thread_fence(order)
#define __nv_atomic_signal_fence(order) __atomic_signal_fence(order)
