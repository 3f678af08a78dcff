// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcuda::wmma: matrix products of a warp. Types: half, bfloat16, tf32, double, 8-bit integers, and nvcuda::wmma::
// experimental's 4-bit integers and bits.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#ifdef __CUDACC__
#include "warploom/wmma/operations.h"
#include "warploom/wmma/packed.h"
#endif
