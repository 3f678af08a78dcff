// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C library in device code.
//
// Device code is host machine code, so sin, memcpy and strlen are the host's own: they only need to be *declared* for
// both sides, which the force_cuda_host_device pragma does for the headers inside it. The rest of the library stays
// host-only, so that a device call of fopen is an error; those of its names that CUDA offers on the device (malloc,
// printf, abs, ...) get a device overload of their own. The overloads come first, so that the using-declarations of
// <cstdlib> and <cstdio> bring them into namespace std.
#pragma once

#include "device_abi.h"
#include "function_attributes.h"
#include "libc_vector_names.h"

__WARPLOOM_DEVICE void *malloc(__SIZE_TYPE__ size) { return __warploom_malloc(size); }
__WARPLOOM_DEVICE void free(void *pointer) { __warploom_free(pointer); }
__WARPLOOM_DEVICE int abs(int x) { return x < 0 ? -x : x; }
__WARPLOOM_DEVICE long labs(long x) { return x < 0 ? -x : x; }
__WARPLOOM_DEVICE long long llabs(long long x) { return x < 0 ? -x : x; }
#if !__has_include(<__config>)  // libc++ declares these where the pragma below reaches them
namespace std {
__WARPLOOM_DEVICE long abs(long x) { return x < 0 ? -x : x; }
__WARPLOOM_DEVICE long long abs(long long x) { return x < 0 ? -x : x; }
}  // namespace std
#endif

// A device variadic function cannot be inlined; the format is checked as for the host's.
static __attribute__((device, unused, format(printf, 1, 2))) int printf(const char *format, ...) {
  __builtin_va_list arguments;
  __builtin_va_start(arguments, format);
  int count = __warploom_vprintf(format, arguments);
  __builtin_va_end(arguments);
  return count;
}
__WARPLOOM_DEVICE int vprintf(const char *format, __builtin_va_list arguments) {
  return __warploom_vprintf(format, arguments);
}

// The hook of assert(): <assert.h> stays the host's, whenever and however often it is included.
static __inline__ __device__ __attribute__((noreturn, unused)) void __assert_fail(const char *expression,
                                                                                  const char *file, unsigned int line,
                                                                                  const char *function) {
  __warploom_assert_fail(expression, file, line, function);
}

#include <stdlib.h>
#include <time.h>

// libstdc++'s special functions (std::beta, ...) triple the cost of <cmath>: include/cmath brings them when the program
// itself, or a header it includes, asks for <cmath>.
#ifdef __GLIBCXX__
#pragma push_macro("_GLIBCXX_USE_STD_SPEC_FUNCS")
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#define _GLIBCXX_USE_STD_SPEC_FUNCS 0
#endif
#define __WARPLOOM_LIGHT_CMATH

// Names that are CUDA's but that some C library's <math.h> declares as well, in passing: moved out of the way.
#define sinpi __warploom_libc_sinpi
#define sinpif __warploom_libc_sinpif
#define cospi __warploom_libc_cospi
#define cospif __warploom_libc_cospif
#define rsqrt __warploom_libc_rsqrt
#define rsqrtf __warploom_libc_rsqrtf
#define __sinf __warploom_libc_sinf_internal
#define __cosf __warploom_libc_cosf_internal
#define __tanf __warploom_libc_tanf_internal
#define __tanhf __warploom_libc_tanhf_internal
#define __sincosf __warploom_libc_sincosf_internal
#define __expf __warploom_libc_expf_internal
#define __exp10f __warploom_libc_exp10f_internal
#define __logf __warploom_libc_logf_internal
#define __log2f __warploom_libc_log2f_internal
#define __log10f __warploom_libc_log10f_internal
#define __powf __warploom_libc_powf_internal

#pragma clang force_cuda_host_device begin
#include <math.h>
#include <string.h>
#pragma clang force_cuda_host_device end

#undef sinpi
#undef sinpif
#undef cospi
#undef cospif
#undef rsqrt
#undef rsqrtf
#undef __sinf
#undef __cosf
#undef __tanf
#undef __tanhf
#undef __sincosf
#undef __expf
#undef __exp10f
#undef __logf
#undef __log2f
#undef __log10f
#undef __powf

#undef __WARPLOOM_LIGHT_CMATH
#ifdef __GLIBCXX__
#pragma pop_macro("_GLIBCXX_USE_STD_SPEC_FUNCS")
#endif

// Part of what nvcc brings along.
#include <new>
#if __cplusplus >= 201103L
#include <utility>
#endif
