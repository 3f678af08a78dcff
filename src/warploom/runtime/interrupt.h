// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ctrl-C while kernels run, or host functions of streams: the program says what it was doing, and ends by the signal.
#pragma once

namespace warploom {

// Unless the program has a handler of its own, or was started to ignore the signal. Once a process.
void report_when_interrupted();

// The calling thread begins a host function that a stream has called, and has ended one.
void note_host_function_begins();
void note_host_function_ends();

}  // namespace warploom
