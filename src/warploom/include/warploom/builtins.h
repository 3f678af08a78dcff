// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The built-in variables. Each is an object without storage whose members read the device ABI, so that `threadIdx.x` is
// one call of a const function and the whole object converts to uint3 and dim3.
#pragma once

#include "../vector_types.h"
#include "device_abi.h"
#include "function_attributes.h"

#define __WARPLOOM_BUILTIN_MEMBER(WHICH, C)                                                     \
  __declspec(property(get = __get_##C)) unsigned int C;                                         \
  static inline __device__ __attribute__((always_inline, const)) unsigned int __get_##C(void) { \
    return __warploom_##WHICH##_##C();                                                          \
  }
#define __WARPLOOM_BUILTIN(NAME, WHICH)                                       \
  struct __warploom_##NAME {                                                  \
    __WARPLOOM_BUILTIN_MEMBER(WHICH, x)                                       \
    __WARPLOOM_BUILTIN_MEMBER(WHICH, y)                                       \
    __WARPLOOM_BUILTIN_MEMBER(WHICH, z)                                       \
    __device__ __attribute__((always_inline)) inline operator uint3() const { \
      uint3 __v = {__get_x(), __get_y(), __get_z()};                          \
      return __v;                                                             \
    }                                                                         \
    __device__ __attribute__((always_inline)) inline operator dim3() const {  \
      return dim3(__get_x(), __get_y(), __get_z());                           \
    }                                                                         \
  };                                                                          \
  extern const __device__ __attribute__((weak)) struct __warploom_##NAME NAME;

__WARPLOOM_BUILTIN(threadIdx, thread_idx)
__WARPLOOM_BUILTIN(blockIdx, block_idx)
__WARPLOOM_BUILTIN(blockDim, block_dim)
__WARPLOOM_BUILTIN(gridDim, grid_dim)

#undef __WARPLOOM_BUILTIN
#undef __WARPLOOM_BUILTIN_MEMBER

#if __cplusplus >= 201103L
static constexpr int warpSize = 32;
#else
static const int warpSize = 32;
#endif
