// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stream capture: what is submitted to a capturing stream becomes a node that depends on the stream's last ones. An
// event recorded there carries those nodes to other streams, which join the capture when they wait for it.
#include <algorithm>
#include <atomic>
#include <set>

#include "event.h"
#include "graph.h"

namespace warploom {
namespace {

std::atomic<unsigned long long> next_capture = 1;
thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

void join(CUstream_st *stream, const std::shared_ptr<Capture> &capture) {
  capture->streams.push_back(stream);
  stream->capture = capture;
}

void leave(Capture *capture) {
  for (CUstream_st *stream : capture->streams) {
    stream->capture = nullptr;
    stream->capture_tail.clear();
  }
}

// Work of a joined stream that the origin does not wait for.
bool has_unjoined_work(const Capture &capture) {
  std::set<const CUgraphNode_st *> depended_on;
  for (const auto &node : capture.graph->nodes)
    depended_on.insert(node->dependencies.begin(), node->dependencies.end());
  const auto &tail = capture.origin->capture_tail;
  const auto is_unjoined = [&](const CUgraphNode_st *node) {
    return !depended_on.contains(node) && std::find(tail.begin(), tail.end(), node) == tail.end();
  };
  for (const CUstream_st *stream : capture.streams)
    if (std::any_of(stream->capture_tail.begin(), stream->capture_tail.end(), is_unjoined)) return true;
  return std::any_of(capture.tails_of_destroyed.begin(), capture.tails_of_destroyed.end(), is_unjoined);
}

cudaError_t begin(CUstream_st *stream, CUgraph_st *graph, std::vector<CUgraphNode_st *> dependencies,
                  cudaStreamCaptureMode mode) {
  if (is_capturing(stream)) return cudaErrorIllegalState;
  if (is_legacy_stream(stream)) return cudaErrorStreamCaptureUnsupported;
  if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
  OwnedGraph made(graph ? nullptr : new_graph());
  CUgraph_st *const target = graph ? graph : made.get();
  join(stream, std::make_shared<Capture>(Capture{target, stream, next_capture++, graph == nullptr}));
  stream->capture_tail = std::move(dependencies);
  made.release();
  return cudaSuccess;
}

cudaError_t end(CUstream_st *stream, cudaGraph_t *graph) {
  const std::shared_ptr<Capture> capture = stream->capture;
  if (!capture) return cudaErrorIllegalState;
  if (!graph && capture->owns_graph) return cudaErrorInvalidValue;
  if (capture->origin != stream) return cudaErrorStreamCaptureUnmatched;
  capture->ended = true;
  cudaError_t error = cudaSuccess;
  if (capture->invalidated)
    error = cudaErrorStreamCaptureInvalidated;
  else if (has_unjoined_work(*capture))
    error = cudaErrorStreamCaptureUnjoined;
  leave(capture.get());
  if (error != cudaSuccess && capture->owns_graph) delete_graph(capture->graph);
  if (graph) *graph = error == cudaSuccess ? capture->graph : nullptr;
  return error;
}

}  // namespace

cudaError_t capture_operation(CUstream_st *stream, cudaGraphNodeType type, Operation operation) {
  if (stream->capture->invalidated) return cudaErrorStreamCaptureInvalidated;
  std::vector<CUgraphNode_st *> tail(1);
  tail[0] = add_node(stream->capture->graph, type, std::move(operation), stream->capture_tail);
  stream->capture_tail = std::move(tail);
  return cudaSuccess;
}

cudaError_t refuse_while_capturing(CUstream_st *stream) {
  stream->capture->invalidated = true;
  return cudaErrorStreamCaptureUnsupported;
}

void forget_capturing(CUstream_st *stream) {
  Capture &capture = *stream->capture;
  if (stream == capture.origin) capture.invalidated = true;
  auto &tails = capture.tails_of_destroyed;
  tails.insert(tails.end(), stream->capture_tail.begin(), stream->capture_tail.end());
  std::erase(capture.streams, stream);
}

void record_in_capture(CUevent_st *event, CUstream_st *stream) {
  event->capture_tail = stream->capture_tail;
  event->capture = stream->capture;
}

cudaError_t wait_in_capture(CUstream_st *stream, CUevent_st *event) {
  if (!event->capture) return cudaErrorStreamCaptureIsolation;
  if (event->capture->ended) return cudaErrorCapturedEvent;
  if (is_legacy_stream(stream)) return cudaErrorStreamCaptureImplicit;
  if (is_capturing(stream) && stream->capture != event->capture) return cudaErrorStreamCaptureMerge;
  std::vector<CUgraphNode_st *> tail = stream->capture_tail;
  for (CUgraphNode_st *node : event->capture_tail)
    if (std::find(tail.begin(), tail.end(), node) == tail.end()) tail.push_back(node);
  if (!is_capturing(stream)) join(stream, event->capture);
  stream->capture_tail = std::move(tail);
  return cudaSuccess;
}

// Takes what has been added to the graph out again, unless it is kept.
class Addition {
 public:
  explicit Addition(CUgraph_st *graph) : graph_(graph), before_(graph->nodes.size()) {}
  Addition(const Addition &) = delete;
  Addition &operator=(const Addition &) = delete;
  ~Addition() {
    auto &nodes = graph_->nodes;
    if (!is_kept_) nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(before_), nodes.end());
  }
  bool is_empty() const { return graph_->nodes.size() == before_; }
  void keep() { is_kept_ = true; }

 private:
  CUgraph_st *graph_;
  std::size_t before_;
  bool is_kept_ = false;
};

cudaError_t capture_node(CUgraph_st *graph, std::vector<CUgraphNode_st *> dependencies, CUgraphNode_st **node,
                         const std::function<cudaError_t(cudaStream_t)> &submit_to) {
  cudaStream_t stream = nullptr;
  if (const cudaError_t error = cudaStreamCreate(&stream); error != cudaSuccess) return error;
  const auto destroy = [](CUstream_st *made) {
    made->capture = nullptr;
    cudaStreamDestroy(made);
  };
  const std::unique_ptr<CUstream_st, decltype(destroy)> owned(stream, destroy);
  stream->capture = std::make_shared<Capture>(Capture{graph, stream, next_capture++, false});
  stream->capture_tail = dependencies;
  Addition addition(graph);
  if (const cudaError_t error = submit_to(stream); error != cudaSuccess) return error;
  // A copy of nothing submits nothing.
  if (addition.is_empty()) {
    add_node(graph, cudaGraphNodeTypeEmpty, [] { return cudaSuccess; }, std::move(dependencies));
  }
  addition.keep();
  *node = graph->nodes.back().get();
  return cudaSuccess;
}

}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return stream_call(stream, [&](CUstream_st *target) { return begin(target, nullptr, {}, mode); });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                          const cudaGraphEdgeData *, size_t numDependencies,
                                          cudaStreamCaptureMode mode) {
  return stream_call(stream, [&](CUstream_st *target) {
    if (!is_graph(graph) || (numDependencies && !dependencies)) return cudaErrorInvalidValue;
    return begin(target, graph, {dependencies, dependencies + numDependencies}, mode);
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph) {
  return stream_call(stream, [&](CUstream_st *target) { return end(target, pGraph); });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *captureStatus_out,
                                     unsigned long long *id_out, cudaGraph_t *graph_out,
                                     const cudaGraphNode_t **dependencies_out, const cudaGraphEdgeData **edgeData_out,
                                     size_t *numDependencies_out) {
  return stream_call(stream, [&](CUstream_st *target) {
    if (!captureStatus_out) return cudaErrorInvalidValue;
    const Capture *capture = target->capture.get();
    *captureStatus_out = cudaStreamCaptureStatusNone;
    if (!capture) return cudaSuccess;
    *captureStatus_out = capture->invalidated ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
    if (id_out) *id_out = capture->id;
    if (graph_out) *graph_out = capture->graph;
    if (dependencies_out) *dependencies_out = target->capture_tail.data();
    if (edgeData_out) *edgeData_out = nullptr;
    if (numDependencies_out) *numDependencies_out = target->capture_tail.size();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                const cudaGraphEdgeData *, size_t numDependencies, unsigned int flags) {
  return stream_call(stream, [&](CUstream_st *target) {
    if (!is_capturing(target)) return cudaErrorIllegalState;
    if ((numDependencies && !dependencies) || flags > cudaStreamSetCaptureDependencies) return cudaErrorInvalidValue;
    std::vector<CUgraphNode_st *> tail;
    if (flags == cudaStreamAddCaptureDependencies) tail = target->capture_tail;
    for (size_t i = 0; i < numDependencies; ++i) {
      if (!dependencies[i] || dependencies[i]->graph != target->capture->graph) return cudaErrorInvalidValue;
      tail.push_back(dependencies[i]);
    }
    target->capture_tail = std::move(tail);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *pCaptureStatus) {
  return cudaStreamGetCaptureInfo(stream, pCaptureStatus, nullptr, nullptr, nullptr, nullptr, nullptr);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
  return api_call([&] {
    if (!mode) return cudaErrorInvalidValue;
    std::swap(*mode, thread_mode);
    return cudaSuccess;
  });
}

}  // extern "C"
