// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ctrl-C while kernels run: the program says what it was doing, and ends by the signal.
#pragma once

namespace warploom {

// Unless the program has a handler of its own, or was started to ignore the signal. Once a process.
void report_when_interrupted();

}  // namespace warploom
