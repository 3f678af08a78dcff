// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the API are made of macros F(P, T, I, S): P the letter of the type T in their names, I the type of
// sizes, S what their names then end in. The names without a version become those with one by cublas_v2.h.
#pragma once

#include <cublas_v2.h>

#include <cstdint>

#define WARPLOOM_SIZES(F, P, T) F(P, T, int, ) F(P, T, std::int64_t, _64)
#define WARPLOOM_REAL_TYPES(F) WARPLOOM_SIZES(F, S, float) WARPLOOM_SIZES(F, D, double)
#define WARPLOOM_COMPLEX_TYPES(F) WARPLOOM_SIZES(F, C, cuComplex) WARPLOOM_SIZES(F, Z, cuDoubleComplex)
#define WARPLOOM_TYPES(F) WARPLOOM_REAL_TYPES(F) WARPLOOM_COMPLEX_TYPES(F)
