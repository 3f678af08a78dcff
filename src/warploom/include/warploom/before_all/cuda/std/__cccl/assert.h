// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CCCL's assertions, also those of a copy that a program brings. With NDEBUG they declare __assert_fail for both sides,
// and PyTorch declares it for the host: nvcc takes both, clang the second only, beside the device's own (libc.h).
#pragma once
#pragma GCC system_header

#ifdef NDEBUG
#pragma push_macro("__assert_fail")
#define __assert_fail __warploom_declared_by_cccl
#include_next <cuda/std/__cccl/assert.h>
#pragma pop_macro("__assert_fail")
#ifdef __GLIBC__
extern "C" void __assert_fail(const char *expression, const char *file, unsigned int line,
                              const char *function) noexcept __attribute__((__noreturn__));
#endif
#else
#include_next <cuda/std/__cccl/assert.h>
#endif
