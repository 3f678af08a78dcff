// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many processors the process may use: engine.h's processor_count.
#pragma once

#include <string>

namespace warploom {

// CPUs' worth of time that the control groups of this process grant it, rounded up; 0: no limit. `root`: where the
// files of /proc and /sys begin.
unsigned granted_processors(const std::string &root = "");

}  // namespace warploom
