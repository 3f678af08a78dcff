// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// at::cuda::CUDAGraph over the runtime's graphs. An operator that runs on the CPU backend becomes a host function of
// the graph; a replay of a graph with such ones waits for its end, so that their errors come out of it.
#include "cpu_backend.h"
#include "device.h"

#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/CUDAGraph.h>
#include <ATen/cuda/MemPool.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>

#include <atomic>
#include <map>
#include <mutex>

namespace at::cuda {
namespace {

std::atomic<CaptureId_t> graphs_made{0};
std::atomic<CaptureId_t> handles_made{0};
std::atomic<CUDAGraph *> capturing_graph{nullptr};

// What the graphs' host functions do, by graph: PyTorch's class has no place for it.
std::map<const CUDAGraph *, warploom::torch::ReplayWork> &work_of_graphs() {
  static auto *all = new std::map<const CUDAGraph *, warploom::torch::ReplayWork>;
  return *all;
}
std::mutex work_mutex;

warploom::torch::ReplayWork *work_of(const CUDAGraph *graph) {
  const std::lock_guard lock(work_mutex);
  return &work_of_graphs()[graph];
}

}  // namespace

MempoolId_t graph_pool_handle() { return {0, ++handles_made}; }

CUDAGraph::CUDAGraph(bool keep_graph) : capture_stream_(getCurrentCUDAStream()), keep_graph_(keep_graph) {}

CUDAGraph::~CUDAGraph() {
  if (!warploom::torch::in_bad_fork()) reset();
}

void CUDAGraph::register_generator_state(c10::intrusive_ptr<at::CUDAGeneratorState> state) {
  captured_generator_states_[std::move(state)] = 0;
}

void CUDAGraph::register_generator_state(const at::Generator &generator) {
  auto *impl = at::check_generator<CUDAGeneratorImpl>(generator);
  impl->register_graph(this);
}

void CUDAGraph::capture_begin(MempoolId_t pool, cudaStreamCaptureMode mode) {
  TORCH_CHECK(!has_graph_exec_ && !capture_ended_,
              "This CUDAGraph instance already owns a captured graph. To capture a new graph, create a new instance.");
  register_generator_state(detail::getDefaultCUDAGenerator());
  capture_stream_ = getCurrentCUDAStream();
  TORCH_CHECK(
      capture_stream_ != getDefaultCUDAStream(),
      "CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok to replay them on "
      "the default stream.)");
  capture_dev_ = c10::cuda::current_device();
  capture_mode_ = mode;
  const bool is_shared = pool.first != 0 || pool.second != 0;
  TORCH_INTERNAL_ASSERT(!is_shared || !(pool.first && pool.second));
  mempool_id_ = is_shared ? pool : MempoolId_t{++graphs_made, 0};
  CUDAGraph *none = nullptr;
  TORCH_CHECK(capturing_graph.compare_exchange_strong(none, this),
              "CUDA error: another graph is being captured by this process");
  warploom::torch::collect_replay_work(work_of(this));
  c10::cuda::CUDACachingAllocator::beginAllocateToPool(capture_dev_, mempool_id_,
                                                       create_allocate_filter<cudaStream_t>());
  const cudaError_t error = cudaStreamBeginCapture(capture_stream_, mode);
  if (error != cudaSuccess) {
    c10::cuda::CUDACachingAllocator::endAllocateToPool(capture_dev_, mempool_id_);
    capturing_graph = nullptr;
    warploom::torch::collect_replay_work(nullptr);
    C10_CUDA_CHECK(error);
  }
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  C10_CUDA_CHECK(cudaStreamGetCaptureInfo(capture_stream_, &status, &capture_id_));
  for (auto &[state, increment] : captured_generator_states_) state->init_capture_state(capture_id_);
}

void CUDAGraph::capture_end() {
  const auto stream = getCurrentCUDAStream();
  TORCH_CHECK(stream == capture_stream_, "Capture must end on the same stream it began on.");
  const cudaError_t error = cudaStreamEndCapture(capture_stream_, &graph_);
  c10::cuda::CUDACachingAllocator::endAllocateToPool(capture_dev_, mempool_id_);
  capturing_graph = nullptr;
  warploom::torch::collect_replay_work(nullptr);
  capture_ended_ = true;  // the pool's memory is this graph's to give back
  C10_CUDA_CHECK(error);
  TORCH_CHECK(graph_ != nullptr, "Invalid capture.");
  has_graph_ = true;
  for (auto &[state, increment] : captured_generator_states_) increment = state->capture_epilogue(capture_id_);
  size_t nodes = 0;
  C10_CUDA_CHECK(cudaGraphGetNodes(graph_, nullptr, &nodes));
  if (nodes == 0) {
    TORCH_WARN(
        "The CUDA Graph is empty. This usually means that the graph was attempted to be captured on wrong device "
        "or stream.");
  }
  if (!keep_graph_) {
    instantiate();
    C10_CUDA_CHECK(cudaGraphDestroy(graph_));
    has_graph_ = false;
  }
}

void CUDAGraph::instantiate() {
  TORCH_CHECK(capture_ended_, "capture_end() must have been called before calling instantiate");
  if (has_graph_exec_) C10_CUDA_CHECK(cudaGraphExecDestroy(graph_exec_));
  has_graph_exec_ = false;
  C10_CUDA_CHECK(cudaGraphInstantiate(&graph_exec_, graph_, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  has_graph_exec_ = true;
}

void CUDAGraph::replay() {
  TORCH_CHECK(capture_ended_, "Called CUDAGraph::replay without a preceding successful capture.");
  if (!has_graph_exec_) instantiate();
  const c10::OptionalDeviceGuard guard{capture_stream_.device()};
  const auto stream = getCurrentCUDAStream();
  const bool uses_cpu_backend = !work_of(this)->empty();
  bool has_random = uses_cpu_backend;
  for (const auto &[state, increment] : captured_generator_states_) has_random |= increment != 0;
  // An earlier replay reads the seed that this one sets.
  if (has_random) C10_CUDA_CHECK(cudaStreamSynchronize(stream));
  for (auto &[state, increment] : captured_generator_states_) state->replay_prologue(capture_id_, increment);
  C10_CUDA_CHECK(cudaGraphLaunch(graph_exec_, stream));
  if (!uses_cpu_backend) return;
  C10_CUDA_CHECK(cudaStreamSynchronize(stream));
  const std::string error = warploom::torch::take_replay_error();
  TORCH_CHECK(error.empty(), error);
}

void CUDAGraph::reset() {
  if (capture_ended_) c10::cuda::CUDACachingAllocator::releasePool(capture_dev_, mempool_id_);
  capture_ended_ = false;
  if (has_graph_) C10_CUDA_CHECK_WARN(cudaGraphDestroy(graph_));
  if (has_graph_exec_) C10_CUDA_CHECK_WARN(cudaGraphExecDestroy(graph_exec_));
  has_graph_ = has_graph_exec_ = false;
  for (auto &[state, increment] : captured_generator_states_) state->remove_capture_state(capture_id_);
  captured_generator_states_.clear();
  warploom::torch::ReplayWork doomed;  // frees tensors: not under the lock
  const std::lock_guard lock(work_mutex);
  const auto found = work_of_graphs().find(this);
  if (found == work_of_graphs().end()) return;
  doomed = std::move(found->second);
  work_of_graphs().erase(found);
}

MempoolId_t CUDAGraph::pool() {
  TORCH_CHECK(capture_ended_, "Called CUDAGraph::pool() without a preceding successful capture.");
  return mempool_id_;
}

void CUDAGraph::enable_debug_mode() { keep_graph_ = true; }

void CUDAGraph::debug_dump(const std::string &path) {
  TORCH_CHECK(has_graph_, "CUDA Graphs debug_dump: this graph was not kept; ask for CUDAGraph(keep_graph=True)");
  C10_CUDA_CHECK(cudaGraphDebugDotPrint(graph_, path.c_str(), cudaGraphDebugDotFlagsVerbose));
}

cudaGraph_t CUDAGraph::raw_cuda_graph() {
  TORCH_CHECK(keep_graph_ && has_graph_,
              "You cannot access the raw cudaGraph_t instance unless CUDAGraph was initialized "
              "with keep_graph=true and captured");
  return graph_;
}

cudaGraphExec_t CUDAGraph::raw_cuda_graph_exec() {
  TORCH_CHECK(has_graph_exec_,
              "You cannot access the raw cudaGraphExec_t instance until instantiate() has been called");
  return graph_exec_;
}

CUDAGraph *CUDAGraph::get_currently_capturing_graph() {
  CUDAGraph *graph = capturing_graph;
  TORCH_CHECK(graph != nullptr, "The current stream is not currently capturing.");
  return graph;
}

void CUDAGraph::begin_capture_to_if_node(const Tensor &) {
  TORCH_CHECK_NOT_IMPLEMENTED(false, "Warploom does not capture conditional nodes for PyTorch");
}
void CUDAGraph::end_capture_to_conditional_node() {
  TORCH_CHECK_NOT_IMPLEMENTED(false, "Warploom does not capture conditional nodes for PyTorch");
}
void CUDAGraph::set_conditional_handle(cudaGraphConditionalHandle, const Tensor &) {
  TORCH_CHECK_NOT_IMPLEMENTED(false, "Warploom does not capture conditional nodes for PyTorch");
}

// Whether a stream takes part in this capture.
template <>
std::function<bool(cudaStream_t)> CUDAGraph::create_allocate_filter<cudaStream_t>() const {
  return [this](cudaStream_t stream) {
    const auto capture = warploom::torch::capture_of(stream);
    return capture && (capture_id_ == 0 || *capture == capture_id_);
  };
}

}  // namespace at::cuda

namespace at {

void CUDAGeneratorImpl::register_graph(cuda::CUDAGraph *graph) { graph->register_generator_state(state_); }

}  // namespace at
