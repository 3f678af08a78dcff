// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What CUDA's headers want to know of the host compiler: nothing here, but the names of the C library's own macros.
#pragma once

#include <features.h>

#include "host_defines.h"
