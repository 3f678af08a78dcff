// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C library's <math.h> says of each function whether there is one for vectors by a macro of its name: since glibc
// 2.41 of those as well that libc.h moves out of the way. There is none of that name.
#pragma once

#define __DECL_SIMD___warploom_libc_sinpi
#define __DECL_SIMD___warploom_libc_sinpif
#define __DECL_SIMD___warploom_libc_sinpil
#define __DECL_SIMD___warploom_libc_sinpif16
#define __DECL_SIMD___warploom_libc_sinpif32
#define __DECL_SIMD___warploom_libc_sinpif64
#define __DECL_SIMD___warploom_libc_sinpif128
#define __DECL_SIMD___warploom_libc_sinpif32x
#define __DECL_SIMD___warploom_libc_sinpif64x
#define __DECL_SIMD___warploom_libc_sinpif128x
#define __DECL_SIMD___warploom_libc_cospi
#define __DECL_SIMD___warploom_libc_cospif
#define __DECL_SIMD___warploom_libc_cospil
#define __DECL_SIMD___warploom_libc_cospif16
#define __DECL_SIMD___warploom_libc_cospif32
#define __DECL_SIMD___warploom_libc_cospif64
#define __DECL_SIMD___warploom_libc_cospif128
#define __DECL_SIMD___warploom_libc_cospif32x
#define __DECL_SIMD___warploom_libc_cospif64x
#define __DECL_SIMD___warploom_libc_cospif128x
#define __DECL_SIMD___warploom_libc_rsqrt
#define __DECL_SIMD___warploom_libc_rsqrtf
#define __DECL_SIMD___warploom_libc_rsqrtl
#define __DECL_SIMD___warploom_libc_rsqrtf16
#define __DECL_SIMD___warploom_libc_rsqrtf32
#define __DECL_SIMD___warploom_libc_rsqrtf64
#define __DECL_SIMD___warploom_libc_rsqrtf128
#define __DECL_SIMD___warploom_libc_rsqrtf32x
#define __DECL_SIMD___warploom_libc_rsqrtf64x
#define __DECL_SIMD___warploom_libc_rsqrtf128x
