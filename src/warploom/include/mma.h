// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcuda::wmma: matrix products of a warp. Types: half, bfloat16, tf32, double, 8-bit integers. The sub-byte types are
// not here: their names are unknown and fail to compile.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#ifdef __CUDACC__
#include "warploom/wmma/operations.h"
#endif
