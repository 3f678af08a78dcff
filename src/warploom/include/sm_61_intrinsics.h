// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that came with one generation of GPUs: part of cuda_runtime.h.
#pragma once

#include "cuda_runtime.h"
