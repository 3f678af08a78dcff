// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic functions, relaxed as CUDA's are. The scope of _block and _system does not matter here: memory is one coherent
// domain, so the three forms of each function are one.
#pragma once

#include "../vector_types.h"
#include "function_attributes.h"

#define __WARPLOOM_ATOMIC_SCOPED(T, NAME, BODY)                                           \
  __WARPLOOM_DEVICE T NAME(T *address, T value){BODY} __WARPLOOM_DEVICE T NAME##_block(   \
      T *address, T value){BODY} __WARPLOOM_DEVICE T NAME##_system(T *address, T value) { \
    BODY                                                                                  \
  }
#define __WARPLOOM_ATOMIC(T, NAME, BUILTIN) \
  __WARPLOOM_ATOMIC_SCOPED(T, NAME, return BUILTIN(address, value, __ATOMIC_RELAXED);)
#define __WARPLOOM_ATOMIC_INTEGER(T)                  \
  __WARPLOOM_ATOMIC(T, atomicAdd, __atomic_fetch_add) \
  __WARPLOOM_ATOMIC(T, atomicMin, __atomic_fetch_min) \
  __WARPLOOM_ATOMIC(T, atomicMax, __atomic_fetch_max) \
  __WARPLOOM_ATOMIC(T, atomicAnd, __atomic_fetch_and) \
  __WARPLOOM_ATOMIC(T, atomicOr, __atomic_fetch_or)   \
  __WARPLOOM_ATOMIC(T, atomicXor, __atomic_fetch_xor) \
  __WARPLOOM_ATOMIC(T, atomicExch, __atomic_exchange_n)

__WARPLOOM_ATOMIC_INTEGER(int)
__WARPLOOM_ATOMIC_INTEGER(unsigned int)
__WARPLOOM_ATOMIC_INTEGER(unsigned long long)
__WARPLOOM_ATOMIC(int, atomicSub, __atomic_fetch_sub)
__WARPLOOM_ATOMIC(unsigned int, atomicSub, __atomic_fetch_sub)
__WARPLOOM_ATOMIC(long long, atomicMin, __atomic_fetch_min)
__WARPLOOM_ATOMIC(long long, atomicMax, __atomic_fetch_max)
__WARPLOOM_ATOMIC(long long, atomicAnd, __atomic_fetch_and)
__WARPLOOM_ATOMIC(long long, atomicOr, __atomic_fetch_or)
__WARPLOOM_ATOMIC(long long, atomicXor, __atomic_fetch_xor)
__WARPLOOM_ATOMIC(float, atomicAdd, __atomic_fetch_add)
__WARPLOOM_ATOMIC(double, atomicAdd, __atomic_fetch_add)

#define __WARPLOOM_ATOMIC_EXCHANGE(T)                             \
  __WARPLOOM_ATOMIC_SCOPED(T, atomicExch, {                       \
    T __old;                                                      \
    __atomic_exchange(address, &value, &__old, __ATOMIC_RELAXED); \
    return __old;                                                 \
  })
__WARPLOOM_ATOMIC_EXCHANGE(float)
#undef __WARPLOOM_ATOMIC_EXCHANGE

// Increment that wraps to 0 past `value`, decrement that wraps to `value` below 0.
#if __has_builtin(__atomic_fetch_uinc)
__WARPLOOM_ATOMIC(unsigned int, atomicInc, __atomic_fetch_uinc)
__WARPLOOM_ATOMIC(unsigned int, atomicDec, __atomic_fetch_udec)
#else
#define __WARPLOOM_ATOMIC_WRAP(NAME, NEXT)                                                                   \
  __WARPLOOM_ATOMIC_SCOPED(unsigned int, NAME, {                                                             \
    unsigned int __old = __atomic_load_n(address, __ATOMIC_RELAXED);                                         \
    while (!__atomic_compare_exchange_n(address, &__old, NEXT, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) { \
    }                                                                                                        \
    return __old;                                                                                            \
  })
__WARPLOOM_ATOMIC_WRAP(atomicInc, __old >= value ? 0u : __old + 1)
__WARPLOOM_ATOMIC_WRAP(atomicDec, (__old == 0 || __old > value) ? value : __old - 1)
#undef __WARPLOOM_ATOMIC_WRAP
#endif

#define __WARPLOOM_ATOMIC_CAS_SCOPED(T, NAME)                                                         \
  __WARPLOOM_DEVICE T NAME(T *address, T compare, T value) {                                          \
    __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
    return compare;                                                                                   \
  }
#define __WARPLOOM_ATOMIC_CAS(T)                   \
  __WARPLOOM_ATOMIC_CAS_SCOPED(T, atomicCAS)       \
  __WARPLOOM_ATOMIC_CAS_SCOPED(T, atomicCAS_block) \
  __WARPLOOM_ATOMIC_CAS_SCOPED(T, atomicCAS_system)
__WARPLOOM_ATOMIC_CAS(int)
__WARPLOOM_ATOMIC_CAS(unsigned int)
__WARPLOOM_ATOMIC_CAS(unsigned long long)
__WARPLOOM_ATOMIC_CAS(unsigned short)
#undef __WARPLOOM_ATOMIC_CAS
#undef __WARPLOOM_ATOMIC_CAS_SCOPED

// Types of 16 bytes, aligned to as many (compute capability 9.0).
template <class T, bool = sizeof(T) == 16 && alignof(T) >= 16 && __is_trivially_copyable(T)>
struct __warploom_atomic_128 {};
template <class T>
struct __warploom_atomic_128<T, true> {
  typedef T type;
};
#define __WARPLOOM_ATOMIC_128(SCOPE)                                                                                \
  template <class T>                                                                                                \
  __WARPLOOM_DEVICE typename __warploom_atomic_128<T>::type atomicCAS##SCOPE(T *address, T compare, T value) {      \
    unsigned __int128 __expected, __desired;                                                                        \
    __builtin_memcpy(&__expected, &compare, 16);                                                                    \
    __builtin_memcpy(&__desired, &value, 16);                                                                       \
    __atomic_compare_exchange_n((unsigned __int128 *)address, &__expected, __desired, false, __ATOMIC_RELAXED,      \
                                __ATOMIC_RELAXED);                                                                  \
    __builtin_memcpy(&compare, &__expected, 16);                                                                    \
    return compare;                                                                                                 \
  }                                                                                                                 \
  template <class T>                                                                                                \
  __WARPLOOM_DEVICE typename __warploom_atomic_128<T>::type atomicExch##SCOPE(T *address, T value) {                \
    unsigned __int128 __desired;                                                                                    \
    __builtin_memcpy(&__desired, &value, 16);                                                                       \
    const unsigned __int128 __old = __atomic_exchange_n((unsigned __int128 *)address, __desired, __ATOMIC_RELAXED); \
    __builtin_memcpy(&value, &__old, 16);                                                                           \
    return value;                                                                                                   \
  }
__WARPLOOM_ATOMIC_128()
__WARPLOOM_ATOMIC_128(_block)
__WARPLOOM_ATOMIC_128(_system)
#undef __WARPLOOM_ATOMIC_128

// Vectors are added component by component, each atomically: CUDA promises no more.
#define __WARPLOOM_COMPONENT(C) __old.C = atomicAdd(&address->C, value.C);
__WARPLOOM_ATOMIC_SCOPED(float2, atomicAdd, {
  float2 __old;
  __WARPLOOM_COMPONENT(x)
  __WARPLOOM_COMPONENT(y)
  return __old;
})
__WARPLOOM_ATOMIC_SCOPED(float4, atomicAdd, {
  float4 __old;
  __WARPLOOM_COMPONENT(x)
  __WARPLOOM_COMPONENT(y)
  __WARPLOOM_COMPONENT(z)
  __WARPLOOM_COMPONENT(w)
  return __old;
})
#undef __WARPLOOM_COMPONENT
#undef __WARPLOOM_ATOMIC_INTEGER
#undef __WARPLOOM_ATOMIC
#undef __WARPLOOM_ATOMIC_SCOPED
