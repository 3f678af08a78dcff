// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of cuda_fp4.h.
#pragma once

#include "cuda_fp4.h"
