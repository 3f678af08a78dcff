// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running an operator of a CUDA tensor on PyTorch's CPU backend, in place.
#pragma once

#include <ATen/core/boxing/KernelFunction.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <functional>
#include <string>
#include <vector>

namespace warploom::torch {

// What a dispatch key of the CUDA device (CUDA, SparseCUDA, SparseCsrCUDA, QuantizedCUDA) does for an operator without
// a kernel of its own.
void run_on_cpu_backend(const c10::OperatorHandle &op, c10::DispatchKey key, ::torch::jit::Stack *stack);

template <c10::DispatchKey key = c10::DispatchKey::CUDA>
void cpu_backend(const c10::OperatorHandle &op, ::torch::jit::Stack *stack) {
  run_on_cpu_backend(op, key, stack);
}

// Kernels that follow run on OpenMP's threads, too, which now wait awake. WARPLOOM_TORCH_OPENMP=0: on the runtime's.
void note_threads_are_awake();

// Count a call of an operator that runs CPU kernels in another way.
void note_on_cpu_backend(const char *name, const char *overload = "");

// Call `work` on each of `threads` of the CPU backend's threads, of which it has its own kind: not what this library is
// compiled with, so that only an operator of its own reaches them.
void on_each_thread(int threads, const std::function<void()> &work);

// Run `work`, which reads and writes device memory, in the order of the current stream: at once when the stream has
// come there, and again at each replay when the stream records a graph.
void in_stream_order(const std::function<void()> &work);

// Gives a tensor's storage memory of another size, with what it held.
void resize_storage(c10::StorageImpl &storage, size_t bytes);

// Have the stream, which records a graph, run `work` at each replay.
void record_in_graph(std::function<void()> work);
// What failed in such work since the last call; empty: nothing did.
std::string take_replay_error();
// Between these, recorded work is collected in a list that the graph keeps: it has to live as long.
using ReplayWork = std::vector<std::unique_ptr<std::function<void()>>>;
void collect_replay_work(ReplayWork *list);

// How often each operator ran on the CPU backend, one `name count` a line.
std::string coverage_lines();
void reset_coverage();

}  // namespace warploom::torch
