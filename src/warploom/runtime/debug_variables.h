// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// threadIdx and its like as variables that a debugger can print and put into conditions. Each OS thread has its own:
// the position of the CUDA thread that it runs on the reference engine, and `sharedMemory`, where the dynamic shared
// memory of its block begins: `extern __shared__` arrays, of which debug information says nothing. No code reads them.
#pragma once

#include "engine.h"

namespace warploom {

void show_launch_to_debuggers(const Extent &grid, const Extent &block, char *shared_memory);
void show_thread_to_debuggers(const Extent &block, const Extent &thread);

}  // namespace warploom
