// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of cuda_awbarrier_primitives.h.
#pragma once

#include "cuda_awbarrier_primitives.h"
