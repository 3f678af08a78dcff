// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Surface references: `surface<void, dimensions>`.
#pragma once

#include "surface_functions.h"
