// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of curand_kernel.h.
#pragma once

#include "curand_kernel.h"
