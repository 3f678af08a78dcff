// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cooperative_groups::reduce and the operators that reductions and scans take.
#pragma once

#include "../cooperative_groups.h"
#include "../warploom/cg/operators.h"
#include "../warploom/cg/reduce.h"
