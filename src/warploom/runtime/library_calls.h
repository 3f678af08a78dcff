// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libwarploom does for the libraries beside it (libcublas and its like, libraries/): plain C functions, since each
// of them may have a standard library of its own inside.
#pragma once

#include "cuda_runtime_api.h"

extern "C" {

// An operation of a stream. `run` is called once in the stream's turn, or at every launch of the graph that the stream
// is captured into; `drop` when it will not be called again, at the latest before this function returns an error.
struct __warploom_operation {
  const char *name;  // of the function of the library that was called; lives as long as the program
  void (*run)(void *state);
  void (*drop)(void *state);
  void *state;
};
// Gives the operation to the stream, behind all that it must wait for. `is_short`: it takes at most 10 us, and may run
// before this returns, if the stream has nothing else to do.
cudaError_t __warploom_library_submit(cudaStream_t stream, const __warploom_operation *operation, int is_short);

// Calls tile(state, i) for each i below `count`, on as many OS threads as there are processors for, and returns when
// all have ended. The order is open. Any thread may call this.
void __warploom_library_tiles(unsigned long long count, void (*tile)(void *state, unsigned long long i), void *state);

// Processors that __warploom_library_tiles would use.
unsigned __warploom_library_processors(void);

// One line on stderr, as all messages of the runtime begin.
void __warploom_library_message(const char *text);
}
