// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for streams, events and devices: with the rest of NVTX.
#pragma once

#include <cuda_runtime_api.h>

#include "nvToolsExt.h"
