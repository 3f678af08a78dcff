// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores with cache hints (plain accesses: the hints name caches this machine manages itself), and the
// address spaces of generic pointers.
#pragma once

#include "device_abi.h"
#include "function_attributes.h"

// The second operand of a store converts to the type of the first.
template <class T>
struct __warploom_identity {
  typedef T type;
};

#define __WARPLOOM_LOAD(NAME)                  \
  template <class T>                           \
  __WARPLOOM_DEVICE T NAME(const T *address) { \
    return *address;                           \
  }
#define __WARPLOOM_STORE(NAME)                                                           \
  template <class T>                                                                     \
  __WARPLOOM_DEVICE void NAME(T *address, typename __warploom_identity<T>::type value) { \
    *address = value;                                                                    \
  }
__WARPLOOM_LOAD(__ldg)
__WARPLOOM_LOAD(__ldca)
__WARPLOOM_LOAD(__ldcg)
__WARPLOOM_LOAD(__ldcs)
__WARPLOOM_LOAD(__ldlu)
__WARPLOOM_STORE(__stwb)
__WARPLOOM_STORE(__stcg)
__WARPLOOM_STORE(__stcs)
__WARPLOOM_STORE(__stwt)
#undef __WARPLOOM_STORE
#undef __WARPLOOM_LOAD

// "Fetch again": the value another thread may have stored meanwhile.
template <class T>
__WARPLOOM_DEVICE T __ldcv(const T *address) {
  T value;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __builtin_memcpy(&value, address, sizeof(T));
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return value;
}
#define __WARPLOOM_LOAD_VOLATILE(T) \
  __WARPLOOM_DEVICE T __ldcv(const T *address) { return *(const volatile T *)address; }
__WARPLOOM_LOAD_VOLATILE(int)
__WARPLOOM_LOAD_VOLATILE(unsigned int)
__WARPLOOM_LOAD_VOLATILE(long)
__WARPLOOM_LOAD_VOLATILE(unsigned long)
__WARPLOOM_LOAD_VOLATILE(long long)
__WARPLOOM_LOAD_VOLATILE(unsigned long long)
__WARPLOOM_LOAD_VOLATILE(float)
__WARPLOOM_LOAD_VOLATILE(double)
#undef __WARPLOOM_LOAD_VOLATILE

// Shared memory is the only space apart: its "shared address" is the offset into the block's shared memory, in which
// the dynamic part comes first and the static part starts at WARPLOOM_STATIC_SHARED_OFFSET and is at most as long.
__WARPLOOM_DEVICE __SIZE_TYPE__ __cvta_generic_to_shared(const void *pointer) {
  return (__SIZE_TYPE__)pointer - (__SIZE_TYPE__)__warploom_shared_memory();
}
__WARPLOOM_DEVICE void *__cvta_shared_to_generic(__SIZE_TYPE__ offset) { return __warploom_shared_memory() + offset; }
__WARPLOOM_DEVICE __SIZE_TYPE__ __cvta_generic_to_global(const void *pointer) { return (__SIZE_TYPE__)pointer; }
__WARPLOOM_DEVICE __SIZE_TYPE__ __cvta_generic_to_local(const void *pointer) { return (__SIZE_TYPE__)pointer; }
__WARPLOOM_DEVICE __SIZE_TYPE__ __cvta_generic_to_constant(const void *pointer) { return (__SIZE_TYPE__)pointer; }
__WARPLOOM_DEVICE void *__cvta_global_to_generic(__SIZE_TYPE__ address) { return (void *)address; }
__WARPLOOM_DEVICE void *__cvta_local_to_generic(__SIZE_TYPE__ address) { return (void *)address; }
__WARPLOOM_DEVICE void *__cvta_constant_to_generic(__SIZE_TYPE__ address) { return (void *)address; }
// How long the caches should keep what is read through the pointer: nothing to the one who reads.
__WARPLOOM_DEVICE void *__nv_associate_access_property(const void *pointer, unsigned long long) {
  return (void *)pointer;
}
__WARPLOOM_DEVICE unsigned int __isShared(const void *pointer) {
  return __cvta_generic_to_shared(pointer) < 2u * WARPLOOM_STATIC_SHARED_OFFSET;
}
// A thread's own stack, constant variables and kernel parameters are not told apart from global memory.
__WARPLOOM_DEVICE unsigned int __isGlobal(const void *pointer) { return !__isShared(pointer); }
__WARPLOOM_DEVICE unsigned int __isConstant(const void *) { return 0; }
__WARPLOOM_DEVICE unsigned int __isLocal(const void *) { return 0; }
__WARPLOOM_DEVICE unsigned int __isGridConstant(const void *) { return 0; }
__WARPLOOM_DEVICE unsigned int __isClusterShared(const void *pointer) { return __isShared(pointer); }
