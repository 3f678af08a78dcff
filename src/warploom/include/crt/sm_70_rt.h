// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name inside CUDA's own headers that programs include: part of cuda_runtime.h.
#pragma once

#include "../cuda_runtime.h"
