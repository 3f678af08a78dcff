// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVTX under the path of its third version.
#pragma once

#include "../nvToolsExt.h"
