// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What PyTorch's own build for CUDA writes, and its CPU build leaves out: its headers include it. Of what
// is optional in such a build there is nothing.
#pragma once

#define AT_CUDNN_ENABLED() 0
#define AT_CUSPARSELT_ENABLED() 0
#define AT_HIPSPARSELT_ENABLED() 0
#define AT_ROCM_ENABLED() 0
#define AT_MAGMA_ENABLED() 0
#define AT_USE_JITERATOR_ENABLED() 0
#define AT_CUDSS_ENABLED() 0

#define NVCC_FLAGS_EXTRA ""
