// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With WARPLOOM_GUARD: looks at what a kernel is given, for pointers that work here and would not on a GPU.
#pragma once

#include "../engine.h"

namespace warploom {

// Says, once for each kernel and argument, that it points to memory of the host, or to an allocation that was freed.
void check_arguments(const Launch &launch);

}  // namespace warploom
