// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPLOOM_CUDA_PROFILER_API_H
#define WARPLOOM_CUDA_PROFILER_API_H

// cudaProfilerStart and cudaProfilerStop are declared there.
#include "cuda_runtime_api.h"

#endif
