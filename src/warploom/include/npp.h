// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NPP.
#pragma once

#include "nppi.h"
#include "npps.h"
