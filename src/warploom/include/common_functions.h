// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clock, printf, malloc, memcpy ... in device code: part of cuda_runtime.h.
#pragma once

#include "cuda_runtime.h"
