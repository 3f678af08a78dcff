// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled with the types of variables, which the rest of the runtime is not: see runtime_library.py.
#include "debug_variables.h"

struct Index {
  unsigned x, y, z;
};

// A program's own debug information has no variables of these names.
thread_local volatile Index threadIdx __attribute__((used)), blockIdx __attribute__((used)),
    blockDim __attribute__((used)), gridDim __attribute__((used));
thread_local char *volatile sharedMemory __attribute__((used));

namespace {

void set(volatile Index &index, const warploom::Extent &value) {
  index.x = value.x;
  index.y = value.y;
  index.z = value.z;
}

}  // namespace

namespace warploom {

void show_launch_to_debuggers(const Extent &grid, const Extent &block, char *shared_memory) {
  set(gridDim, grid);
  set(blockDim, block);
  sharedMemory = shared_memory;
}

void show_thread_to_debuggers(const Extent &block, const Extent &thread) {
  set(blockIdx, block);
  set(threadIdx, thread);
}

}  // namespace warploom
