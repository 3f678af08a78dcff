// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers in device code: XORWOW (curandState), Philox4_32_10, MRG32k3a and Sobol, with cuRAND's documented
// sequences, and MTGP32, whose states curand_mtgp32_host.h makes.
#pragma once

// Programs ask for these to know what is declared.
#define CURAND_KERNEL_H_

#include <cuda_runtime.h>

#include "curand.h"
#include "warploom/curand/discrete.h"
#include "warploom/curand/mtgp32.h"
