// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda::atomic, cuda::atomic_ref, cuda::atomic_thread_fence. Memory is one coherent domain, so the scope of an
// operation changes nothing.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <cstddef>
#include <type_traits>

namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread = 10 };

namespace std {
using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;
}  // namespace std
using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

namespace details {

// Every operation is sequentially consistent: at least as strong as any order asked for.
template <class T, class Address>
class atomic_operations {
  static_assert(::std::is_trivially_copyable<T>::value, "an atomic holds a trivially copyable type");

 public:
  using value_type = T;

  __host__ __device__ __forceinline__ T load(memory_order = memory_order_seq_cst) const {
    T value;
    __atomic_load(address(), &value, __ATOMIC_SEQ_CST);
    return value;
  }
  __host__ __device__ __forceinline__ void store(T value, memory_order = memory_order_seq_cst) const {
    __atomic_store(address(), &value, __ATOMIC_SEQ_CST);
  }
  __host__ __device__ __forceinline__ T exchange(T value, memory_order = memory_order_seq_cst) const {
    T old;
    __atomic_exchange(address(), &value, &old, __ATOMIC_SEQ_CST);
    return old;
  }
  __host__ __device__ __forceinline__ bool compare_exchange_strong(T &expected, T desired,
                                                                   memory_order = memory_order_seq_cst,
                                                                   memory_order = memory_order_seq_cst) const {
    return __atomic_compare_exchange(address(), &expected, &desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  }
  __host__ __device__ __forceinline__ bool compare_exchange_weak(T &expected, T desired,
                                                                 memory_order = memory_order_seq_cst,
                                                                 memory_order = memory_order_seq_cst) const {
    return compare_exchange_strong(expected, desired);
  }
  __host__ __device__ __forceinline__ operator T() const { return load(); }
  __host__ __device__ static constexpr bool is_lock_free() { return sizeof(T) <= 8; }

  template <class V = T>
  __host__ __device__ __forceinline__ V fetch_add(V value, memory_order = memory_order_seq_cst) const {
    return update([value](T old) { return static_cast<T>(old + value); });
  }
  template <class V = T>
  __host__ __device__ __forceinline__ V fetch_sub(V value, memory_order = memory_order_seq_cst) const {
    return update([value](T old) { return static_cast<T>(old - value); });
  }
  template <class V = T>
  __host__ __device__ __forceinline__ V fetch_and(V value, memory_order = memory_order_seq_cst) const {
    return update([value](T old) { return static_cast<T>(old & value); });
  }
  template <class V = T>
  __host__ __device__ __forceinline__ V fetch_or(V value, memory_order = memory_order_seq_cst) const {
    return update([value](T old) { return static_cast<T>(old | value); });
  }
  template <class V = T>
  __host__ __device__ __forceinline__ V fetch_xor(V value, memory_order = memory_order_seq_cst) const {
    return update([value](T old) { return static_cast<T>(old ^ value); });
  }
  template <class V = T>
  __host__ __device__ __forceinline__ V fetch_min(V value, memory_order = memory_order_seq_cst) const {
    return update([value](T old) { return value < old ? value : old; });
  }
  template <class V = T>
  __host__ __device__ __forceinline__ V fetch_max(V value, memory_order = memory_order_seq_cst) const {
    return update([value](T old) { return old < value ? value : old; });
  }

  __host__ __device__ __forceinline__ T operator++() const { return fetch_add(T(1)) + T(1); }
  __host__ __device__ __forceinline__ T operator++(int) const { return fetch_add(T(1)); }
  __host__ __device__ __forceinline__ T operator--() const { return fetch_sub(T(1)) - T(1); }
  __host__ __device__ __forceinline__ T operator--(int) const { return fetch_sub(T(1)); }
  __host__ __device__ __forceinline__ T operator+=(T value) const { return fetch_add(value) + value; }
  __host__ __device__ __forceinline__ T operator-=(T value) const { return fetch_sub(value) - value; }
  __host__ __device__ __forceinline__ T operator&=(T value) const { return fetch_and(value) & value; }
  __host__ __device__ __forceinline__ T operator|=(T value) const { return fetch_or(value) | value; }
  __host__ __device__ __forceinline__ T operator^=(T value) const { return fetch_xor(value) ^ value; }

  // Waits while the value is `old`.
  __host__ __device__ __forceinline__ void wait(T old, memory_order = memory_order_seq_cst) const {
    for (T now = load(); __builtin_memcmp(&now, &old, sizeof(T)) == 0;) now = load();
  }
  // Waiting threads look for themselves.
  __host__ __device__ __forceinline__ void notify_one() const {}
  __host__ __device__ __forceinline__ void notify_all() const {}

 private:
  __host__ __device__ __forceinline__ T *address() const { return static_cast<const Address *>(this)->data(); }

  template <class Next>
  __host__ __device__ __forceinline__ T update(Next next) const {
    T old = load();
    while (!compare_exchange_weak(old, next(old))) {
    }
    return old;
  }
};

}  // namespace details

template <class T, thread_scope Scope = thread_scope_system>
class atomic : public details::atomic_operations<T, atomic<T, Scope>> {
 public:
  atomic() = default;
  __host__ __device__ constexpr atomic(T value) : value_(value) {}
  atomic(const atomic &) = delete;
  atomic &operator=(const atomic &) = delete;
  __host__ __device__ __forceinline__ T operator=(T value) {
    this->store(value);
    return value;
  }
  __host__ __device__ __forceinline__ T *data() const { return const_cast<T *>(&value_); }

 private:
  alignas(sizeof(T) <= 8 && (sizeof(T) & (sizeof(T) - 1)) == 0 ? sizeof(T) : alignof(T)) T value_;
};

template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref : public details::atomic_operations<T, atomic_ref<T, Scope>> {
 public:
  __host__ __device__ explicit atomic_ref(T &value) : value_(&value) {}
  atomic_ref(const atomic_ref &) = default;
  atomic_ref &operator=(const atomic_ref &) = delete;
  __host__ __device__ __forceinline__ T operator=(T value) const {
    this->store(value);
    return value;
  }
  __host__ __device__ __forceinline__ T *data() const { return value_; }

 private:
  T *value_;
};

__host__ __device__ __forceinline__ void atomic_thread_fence(memory_order, thread_scope = thread_scope_system) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

namespace std {
template <class T>
using atomic = ::cuda::atomic<T, thread_scope_system>;
template <class T>
using atomic_ref = ::cuda::atomic_ref<T, thread_scope_system>;
using ::cuda::atomic_thread_fence;
}  // namespace std
}  // namespace cuda
