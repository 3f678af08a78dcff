// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPLOOM_CUDA_DEVICE_RUNTIME_API_H
#define WARPLOOM_CUDA_DEVICE_RUNTIME_API_H

// The calls that device code may make are host functions too, and declared with them.
#include "cuda_runtime_api.h"

#endif
