// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cooperative_groups::inclusive_scan, exclusive_scan and their forms that update an atomic.
#pragma once

#include "../cooperative_groups.h"
#include "../warploom/cg/operators.h"
#include "../warploom/cg/scan.h"
