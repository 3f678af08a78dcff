// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What PyTorch's own build for CUDA writes, and its CPU build leaves out: its headers include it.
#pragma once

#define C10_CUDA_BUILD_SHARED_LIBS
