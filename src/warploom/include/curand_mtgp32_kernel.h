// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MTGP32 in device code.
#pragma once

#define CURAND_MTGP32_KERNEL_H

#include <cuda_runtime.h>

#include "curand.h"
#include "curand_mtgp32.h"
