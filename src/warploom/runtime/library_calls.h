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
enum __warploom_operation_kind {
  kLongOperation = 0,
  kShortOperation = 1,  // at most 10 us: it may run before the submission returns, if the stream has nothing else to do
  kWaitingOperation = 2  // it may wait for what another stream, thread or process does
};
// Gives the operation to the stream, behind all that it must wait for. `kind`: a __warploom_operation_kind.
cudaError_t __warploom_library_submit(cudaStream_t stream, const __warploom_operation *operation, int kind);

// Calls run(state), if none of the streams has anything to do or is captured, and returns what that returns: during
// it no other work of them begins. Otherwise 0.
int __warploom_library_run_now(const cudaStream_t *streams, unsigned count, int (*run)(void *state), void *state);

// The device has an error from now on, as after an operation that has failed.
void __warploom_library_fail(cudaError_t error);

// Calls tile(state, i) for each i below `count`, on as many OS threads as there are processors for, and returns when
// all have ended. The order is open. Any thread may call this.
void __warploom_library_tiles(unsigned long long count, void (*tile)(void *state, unsigned long long i), void *state);

// The most OS threads, the calling one among them, that __warploom_library_tiles would use now: the processors of this
// process without those that other streams keep busy. A moment later it may be more or fewer.
unsigned __warploom_library_threads(void);

// One line on stderr, as all messages of the runtime begin.
void __warploom_library_message(const char *text);
}
