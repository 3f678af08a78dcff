// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVRTC's compiler: a process that is kept for as long as this one lives.
#pragma once

#include <string>
#include <vector>

namespace warploom {

// Runs a command line of nvcc, words[0] being its file; messages go to the file `log`. Its exit status; -1 when it
// could not be started or did not end by itself.
int run_compiler(const std::vector<std::string> &words, const std::string &log);

}  // namespace warploom
