// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for the driver's devices, contexts, streams and events: with the rest of NVTX.
#pragma once

#include <cuda.h>

#include "nvToolsExt.h"
