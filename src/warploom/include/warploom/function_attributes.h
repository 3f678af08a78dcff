// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the functions of these headers are declared. All are header-only and inlined before anything else looks at them,
// so the compiler sees plain arithmetic, builtins and the device ABI.
#pragma once

#include "host_defines.h"

#define __WARPLOOM_DEVICE static __inline__ __device__ __attribute__((always_inline))
#define __WARPLOOM_HOST_DEVICE static __inline__ __host__ __device__ __attribute__((always_inline))
// Bodies too long to copy to each call.
#define __WARPLOOM_DEVICE_CALL static __inline__ __device__
#define __WARPLOOM_HOST_DEVICE_CALL static __inline__ __host__ __device__
// Where a blocking call was written: __builtin_FILE() and __builtin_LINE() of the caller, by default argument.
#define __WARPLOOM_WHERE const char *__file = __builtin_FILE(), int __line = __builtin_LINE()
