// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "cuda_runtime_api.h"
#include "queue.h"

namespace warploom {
struct Capture;
}

struct CUevent_st {
  unsigned flags = cudaEventDefault;
  int device = 0;
  bool recorded = false;
  unsigned long long stream = 0;  // the id of the one that it was recorded in
  std::chrono::steady_clock::time_point time;
  bool is_in_graph = false;      // recorded by a node: `task` is the launch, `time` that of the node
  warploom::TaskPointer task{};  // that records it, where something is before it; `time` is not set then
  // The capture that it was last recorded in, and the nodes that it stands for.
  std::shared_ptr<warploom::Capture> capture;
  std::vector<CUgraphNode_st *> capture_tail;
};

namespace warploom {

CUevent_st *find_event(cudaEvent_t handle);
// An event recorded in a capturing stream, and a stream that waits for one.
void record_in_capture(CUevent_st *event, CUstream_st *stream);
cudaError_t wait_in_capture(CUstream_st *stream, CUevent_st *event);
// A node of a graph records the event; a graph with such a node is launched.
void record_in_graph(CUevent_st *event);
void expect_in_graph(CUevent_st *event, const TaskPointer &graph);
// Forgets all events (cudaDeviceReset).
void reset_events();

}  // namespace warploom
