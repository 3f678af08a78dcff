// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams run what is submitted at once, on the thread that submits it: nothing is ever pending. But for one case: a
// kernel that spins until the host, or another stream, writes something. Such a kernel (`may_spin`) runs on a thread of
// its own; when it makes no headway, the launch returns, and the kernel is pending. What is submitted behind it waits
// for it, in the order that CUDA gives streams; everything else still runs at once.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "cuda_runtime_api.h"

namespace warploom {

// Something can be written while a kernel runs: there is memory that the host reaches, or a second stream.
void expect_writes_from_outside();
bool writes_from_outside_are_possible();

// One operation that is pending, or was.
struct Task;
using TaskPointer = std::shared_ptr<Task>;

// Whether the operation has ended; null: it has.
bool has_ended(const TaskPointer &task);
void wait_for(const TaskPointer &task);
// When it ended.
std::chrono::steady_clock::time_point end_of(const TaskPointer &task);

// Whether an operation submitted to the stream now would have to wait for another one.
bool must_wait(const CUstream_st *stream);
// Waits for all that it would have to wait for.
void wait_for_stream(const CUstream_st *stream);

// Runs the operation once all that the stream, and `after`, must wait for has ended. Returns at once. An error that the
// operation ends with is the device's from then on.
TaskPointer defer(CUstream_st *stream, std::function<cudaError_t()> operation, const TaskPointer &after = nullptr);

// The same for a grid that may spin; returns when it has ended, or when it makes no headway.
void run_aside(CUstream_st *stream, std::function<cudaError_t()> operation);

// Whether the calling thread runs an operation that was deferred.
bool in_deferred_operation();

}  // namespace warploom
