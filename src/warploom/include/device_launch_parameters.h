// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// threadIdx, blockIdx, blockDim, gridDim and warpSize.
#pragma once

#include "vector_types.h"
#if defined(__CUDACC__) && defined(__cplusplus)
#include "warploom/builtins.h"
#endif
