// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WARPLOOM_COMPARE: each kernel that the host launches is run on both engines first, on copies of memory, and what they
// leave there is compared. The program goes on as it does without.
#pragma once

#include "../engine.h"

namespace warploom {

// Runs a grid that the host launched.
Outcome run_launch(const Launch &launch);

}  // namespace warploom
