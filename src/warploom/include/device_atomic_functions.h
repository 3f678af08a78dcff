// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic functions: part of cuda_runtime.h.
#pragma once

#include "cuda_runtime.h"
