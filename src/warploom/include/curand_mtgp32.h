// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MTGP32's types.
#pragma once

#define CURAND_MTGP32_H

#include <cuda_runtime.h>

#include "warploom/curand/mtgp32.h"
