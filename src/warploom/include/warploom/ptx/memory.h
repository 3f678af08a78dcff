// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores, atomics and asynchronous copies. Memory is one coherent domain: scopes and cache hints mean nothing.
#pragma once

#include "../cluster.h"
#include "arithmetic.h"

namespace warploom {
namespace ptx {

WARPLOOM_PTX void *shared_pointer(u64 address) { return __warploom_shared_memory() + address; }
WARPLOOM_PTX u64 shared_address(u64 generic) { return generic - reinterpret_cast<u64>(__warploom_shared_memory()); }
WARPLOOM_PTX bool is_shared(u64 generic) { return shared_address(generic) < 2u * WARPLOOM_STATIC_SHARED_OFFSET; }

// Addresses of .shared::cluster: of the own block's memory as they are in .shared::cta, of another's with its rank + 1
// above.
inline constexpr int cluster_rank_at = 20;
static_assert(2u * WARPLOOM_STATIC_SHARED_OFFSET <= 1u << cluster_rank_at);
WARPLOOM_PTX u64 cluster_offset(u64 address) { return address & ((1u << cluster_rank_at) - 1); }
WARPLOOM_PTX u64 cluster_address(u64 address, u32 rank) {
  return cluster_offset(address) | u64(rank + 1) << cluster_rank_at;
}
WARPLOOM_PTX u32 cluster_address_rank(u64 address) {
  const u32 rank = u32(address >> cluster_rank_at);
  return rank == 0 ? __warploom_block_rank_in_cluster() : rank - 1;
}
WARPLOOM_PTX u64 mapped(u64 generic, u32 rank) {
  return reinterpret_cast<u64>(__warploom_map_shared_rank(reinterpret_cast<char *>(generic), rank));
}
WARPLOOM_PTX void *cluster_pointer(u64 address) {
  const u32 rank = u32(address >> cluster_rank_at);
  return (rank == 0 ? __warploom_shared_memory() : __warploom_cluster_shared_memory(rank - 1)) +
         cluster_offset(address);
}

enum access { weak, is_volatile, relaxed, acquire, release };

// 16 bytes in one access: aligned ones of this type are whole on x86-64 with AVX and on Armv8.4.
typedef u64 whole16 __attribute__((vector_size(16)));

// A load of one element.
template <access How, class T>
WARPLOOM_PTX T load(const void *address) {
  if constexpr (How == weak) {
    return *static_cast<const T *>(address);
  } else if constexpr (sizeof(T) == 16) {
    const whole16 value = *static_cast<const volatile whole16 *>(address);
    if constexpr (How == acquire) __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return __builtin_bit_cast(T, value);
  } else if constexpr (How == is_volatile) {
    return *static_cast<const volatile T *>(address);
  } else {
    return __atomic_load_n(static_cast<const T *>(address), How == acquire ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED);
  }
}
template <access How, class T>
WARPLOOM_PTX void store(void *address, T value) {
  if constexpr (How == weak) {
    *static_cast<T *>(address) = value;
  } else if constexpr (sizeof(T) == 16) {
    if constexpr (How == release) __atomic_thread_fence(__ATOMIC_RELEASE);
    *static_cast<volatile whole16 *>(address) = __builtin_bit_cast(whole16, value);
  } else if constexpr (How == is_volatile) {
    *static_cast<volatile T *>(address) = value;
  } else {
    __atomic_store_n(static_cast<T *>(address), value, How == release ? __ATOMIC_RELEASE : __ATOMIC_RELAXED);
  }
}

// Several elements at once: who reads {flag, value} while another thread writes both gets the two that belong together,
// as on a GPU, up to 16 bytes. Programs that look back at earlier blocks count on it.
template <class T, int N>
struct elements {
  T part[N];
};
template <int Bytes>
struct whole_of {
  typedef whole16 type;
};
template <>
struct whole_of<2> {
  typedef u16 type;
};
template <>
struct whole_of<4> {
  typedef u32 type;
};
template <>
struct whole_of<8> {
  typedef u64 type;
};
template <access How, class T, int N>
WARPLOOM_PTX elements<T, N> load_elements(const void *address) {
  typedef typename whole_of<sizeof(elements<T, N>)>::type Whole;
  elements<T, N> result;
  for (u64 at = 0; at < sizeof(result); at += sizeof(Whole)) {
    const Whole whole = load<How, Whole>(static_cast<const char *>(address) + at);
    __builtin_memcpy(reinterpret_cast<char *>(&result) + at, &whole, sizeof(Whole));
  }
  return result;
}
template <access How, class T, int N>
WARPLOOM_PTX void store_elements(void *address, const elements<T, N> &values) {
  typedef typename whole_of<sizeof(elements<T, N>)>::type Whole;
  for (u64 at = 0; at < sizeof(values); at += sizeof(Whole)) {
    Whole whole;
    __builtin_memcpy(&whole, reinterpret_cast<const char *>(&values) + at, sizeof(Whole));
    store<How, Whole>(static_cast<char *>(address) + at, whole);
  }
}

// An atomic operation as a loop of compare-and-exchange, for what has no instruction.
template <class T, class Next>
WARPLOOM_PTX T atomic_loop(void *address, Next next) {
  typedef bits_of<T> B;
  B *const word = static_cast<B *>(address);
  B old = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(word, &old, __builtin_bit_cast(B, next(__builtin_bit_cast(T, old))), false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
  return __builtin_bit_cast(T, old);
}
template <int Order, class T>
WARPLOOM_PTX T atom_add(void *address, T value) {
  if constexpr (is_integer<T> || is_float<T>) {
    return __atomic_fetch_add(static_cast<T *>(address), value, Order);
  } else {
    return atomicAdd(static_cast<T *>(address), value);
  }
}
template <int Order, class T>
WARPLOOM_PTX T atom_min(void *address, T value) {
  if constexpr (is_integer<T>) return __atomic_fetch_min(static_cast<T *>(address), value, Order);
  if constexpr (!is_integer<T>) {
    return atomic_loop<T>(address, [=](T old) { return extreme<false, false, false, false>(old, value); });
  }
}
template <int Order, class T>
WARPLOOM_PTX T atom_max(void *address, T value) {
  if constexpr (is_integer<T>) return __atomic_fetch_max(static_cast<T *>(address), value, Order);
  if constexpr (!is_integer<T>) {
    return atomic_loop<T>(address, [=](T old) { return extreme<true, false, false, false>(old, value); });
  }
}
template <int Order, class T>
WARPLOOM_PTX T atom_and(void *address, T value) {
  return __atomic_fetch_and(static_cast<T *>(address), value, Order);
}
template <int Order, class T>
WARPLOOM_PTX T atom_or(void *address, T value) {
  return __atomic_fetch_or(static_cast<T *>(address), value, Order);
}
template <int Order, class T>
WARPLOOM_PTX T atom_xor(void *address, T value) {
  return __atomic_fetch_xor(static_cast<T *>(address), value, Order);
}
template <int Order, class T>
WARPLOOM_PTX T atom_inc(void *address, T value) {
  return atomicInc(static_cast<T *>(address), value);
}
template <int Order, class T>
WARPLOOM_PTX T atom_dec(void *address, T value) {
  return atomicDec(static_cast<T *>(address), value);
}
template <int Order, class T>
WARPLOOM_PTX T atom_exch(void *address, T value) {
  return __atomic_exchange_n(static_cast<T *>(address), value, Order);
}
template <int Order, class T>
WARPLOOM_PTX T atom_cas(void *address, T compare, T value) {
  constexpr int failure = Order == __ATOMIC_RELEASE   ? __ATOMIC_RELAXED
                          : Order == __ATOMIC_ACQ_REL ? __ATOMIC_ACQUIRE
                                                      : Order;
  __atomic_compare_exchange_n(static_cast<T *>(address), &compare, value, false, Order, failure);
  return compare;
}

// Copied at once: that it is done before it is waited for, nobody can tell.
template <u32 Size>
WARPLOOM_PTX void copy_async(void *target, const void *source, u32 size) {
  if (size >= Size) {
    __builtin_memcpy(__builtin_assume_aligned(target, Size), __builtin_assume_aligned(source, Size), Size);
    return;
  }
  for (u32 i = 0; i < Size; ++i) {
    static_cast<char *>(target)[i] = i < size ? static_cast<const char *>(source)[i] : char(0);
  }
}

}  // namespace ptx
}  // namespace warploom
