// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's unqualified min and max, on host and device, with its mixed-type overloads: a signed and an unsigned operand
// of one width compare as unsigned.
#pragma once

#include "function_attributes.h"

#define __WARPLOOM_MIN_MAX(R, A, B)                                            \
  __WARPLOOM_HOST_DEVICE R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; } \
  __WARPLOOM_HOST_DEVICE R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }
#define __WARPLOOM_MIN_MAX_MIXED(S, U) \
  __WARPLOOM_MIN_MAX(S, S, S)          \
  __WARPLOOM_MIN_MAX(U, U, U)          \
  __WARPLOOM_MIN_MAX(U, S, U)          \
  __WARPLOOM_MIN_MAX(U, U, S)

__WARPLOOM_MIN_MAX_MIXED(int, unsigned int)
__WARPLOOM_MIN_MAX_MIXED(long, unsigned long)
__WARPLOOM_MIN_MAX_MIXED(long long, unsigned long long)
#undef __WARPLOOM_MIN_MAX_MIXED
#undef __WARPLOOM_MIN_MAX

// A NaN loses against a number.
__WARPLOOM_HOST_DEVICE float min(float a, float b) { return __builtin_fminf(a, b); }
__WARPLOOM_HOST_DEVICE float max(float a, float b) { return __builtin_fmaxf(a, b); }
__WARPLOOM_HOST_DEVICE double min(double a, double b) { return __builtin_fmin(a, b); }
__WARPLOOM_HOST_DEVICE double max(double a, double b) { return __builtin_fmax(a, b); }
__WARPLOOM_HOST_DEVICE double min(float a, double b) { return __builtin_fmin(a, b); }
__WARPLOOM_HOST_DEVICE double max(float a, double b) { return __builtin_fmax(a, b); }
__WARPLOOM_HOST_DEVICE double min(double a, float b) { return __builtin_fmin(a, b); }
__WARPLOOM_HOST_DEVICE double max(double a, float b) { return __builtin_fmax(a, b); }

__WARPLOOM_HOST_DEVICE unsigned int umin(unsigned int a, unsigned int b) { return a < b ? a : b; }
__WARPLOOM_HOST_DEVICE unsigned int umax(unsigned int a, unsigned int b) { return a > b ? a : b; }
__WARPLOOM_HOST_DEVICE long long llmin(long long a, long long b) { return a < b ? a : b; }
__WARPLOOM_HOST_DEVICE long long llmax(long long a, long long b) { return a > b ? a : b; }
__WARPLOOM_HOST_DEVICE unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
__WARPLOOM_HOST_DEVICE unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
