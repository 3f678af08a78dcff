// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include <cupti.h>

#include "../compare/compare.h"
#include "../processors.h"
#include "../recycled.h"
#include "../team.h"
#include "../ticks.h"
#include "allocation.h"
#include "argument_check.h"
#include "caller_runs.h"
#include "error.h"
#include "graph.h"
#include "grid_times.h"
#include "launch_report.h"
#include "strict.h"
#include "stream.h"

namespace warploom {
namespace {

struct Configuration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
  const void *site;  // what the expression kernel<<<...>>> goes on at
};

// <<<...>>> nests: an argument of a launch may launch.
constexpr char kCooperativeClusters[] =
    "a launch is cooperative, or of clusters of blocks, and not both: grid.sync() takes blocks without clusters";
thread_local std::vector<Configuration> configurations;
// Arguments of the cudaSetupArgument family, by offset.
thread_local std::vector<std::byte> argument_buffer;
// Of the launch whose configuration was taken last.
thread_local const void *configured_site = nullptr;

// What the launch that is under way returns to.
const void *launch_site() {
  const void *const configured = std::exchange(configured_site, nullptr);
  return configured != nullptr ? configured : current_caller.address;
}

bool fits(const dim3 &extent, const int (&limits)[3]) {
  const unsigned sizes[3] = {extent.x, extent.y, extent.z};
  for (int i = 0; i < 3; ++i)
    if (sizes[i] == 0 || sizes[i] > static_cast<unsigned>(limits[i])) return false;
  return true;
}

// When the calling thread last ended a grid, or queued one.
constinit thread_local std::chrono::nanoseconds latest_launch __attribute__((tls_model("initial-exec"))){0};

// Runs a grid; a failure is the device's.
void run_timed(const Launch &launch, const GridTime &time) {
  const Stopwatch watch;
  take_widest_job();
  set_device_fault(run_launch(launch));
  const std::chrono::nanoseconds start = watch.start(), elapsed = watch.elapsed();
  time.learn(elapsed, start - latest_launch, take_widest_job());
  latest_launch = start + elapsed;
}

// CUDA_LAUNCH_BLOCKING=1: for debugging.
bool launches_block() {
  static const bool result = [] {
    const char *const text = std::getenv("CUDA_LAUNCH_BLOCKING");
    return text != nullptr && std::atoi(text) != 0;
  }();
  return result;
}

// A grid that owns its arguments, for a stream that runs it later and maybe many times.
class OwnedGrid final : public Action {
 public:
  OwnedGrid(const Launch &launch, const GridTime &time) : launch_(launch), time_(time) {
    const Kernel &kernel = *launch.kernel;
    const std::uint32_t count = kernel.parameter_count;
    std::size_t size = 0;
    if (count != 0) size = std::size_t{kernel.parameters[count - 1].offset} + kernel.parameters[count - 1].size;
    if (size > kFewBytes) many_bytes_ = std::make_unique<std::byte[]>(size + kAlignment);
    if (count > std::size(few_addresses_)) many_addresses_ = std::make_unique<void *[]>(count);
    std::byte *base = many_bytes_ ? many_bytes_.get() : few_bytes_;
    base += kAlignment - reinterpret_cast<std::uintptr_t>(base) % kAlignment;
    launch_.arguments = many_addresses_ ? many_addresses_.get() : few_addresses_;
    for (std::uint32_t i = 0; i < count; ++i) {
      launch_.arguments[i] = base + kernel.parameters[i].offset;
      std::memcpy(launch_.arguments[i], launch.arguments[i], kernel.parameters[i].size);
    }
  }
  static void *operator new(std::size_t) { return Recycled<sizeof(OwnedGrid)>::take(); }
  static void *operator new(std::size_t, void *place) { return place; }
  static void operator delete(void *memory) { Recycled<sizeof(OwnedGrid)>::give(memory); }
  OwnedGrid(const OwnedGrid &) = delete;
  OwnedGrid &operator=(const OwnedGrid &) = delete;

  void **arguments() const { return launch_.arguments; }

  cudaError_t run() override {
    run_timed(launch_, time_);
    return cudaSuccess;
  }
  std::string describe() const override {
    const Kernel &kernel = *launch_.kernel;
    return std::string("kernel ") + (kernel.source_name != nullptr ? kernel.source_name : kernel.name);
  }

 private:
  static constexpr std::size_t kAlignment = 64;  // the most that a parameter's type may ask for
  static constexpr std::size_t kFewBytes = 128;

  Launch launch_;
  GridTime time_;
  std::byte few_bytes_[kFewBytes + kAlignment];
  void *few_addresses_[16];
  std::unique_ptr<std::byte[]> many_bytes_;
  std::unique_ptr<void *[]> many_addresses_;
};

// A kernel that spins may wait for what is written, or submitted, later.
bool may_wait(const Kernel &kernel) { return kernel.may_spin != 0 && writes_from_outside_are_possible(); }

// What the calling thread runs at once: little where it launches in several streams, which are to run side by side.
std::chrono::nanoseconds short_work(const CUstream_st *stream) {
  constexpr unsigned kLaunches = 16;  // in one stream, after which it seems to use no other
  static constinit thread_local const CUstream_st *latest __attribute__((tls_model("initial-exec"))) = nullptr;
  static constinit thread_local unsigned left __attribute__((tls_model("initial-exec"))) = 0;
  const CUstream_st *const before = std::exchange(latest, stream);
  left = before != nullptr && before != stream ? kLaunches : left - std::min(left, 1U);
  return left != 0 ? kShortWorkOfSeveral : kShortWork;
}

// How long the calling thread has neither launched nor waited.
std::chrono::nanoseconds absence() { return Stopwatch().start() - std::max(latest_launch, latest_wait()); }

void run_or_queue(const Launch &request, CUstream_st *stream) {
  const GridTime time(request);
  if (in_task() || in_device_code()) return run_timed(request, time);
  const bool waits = may_wait(*request.kernel);
  if (strict::is_on) strict::note_launch(stream->id, stream->flags);
  if (!waits && caller_runs(time, short_work(stream), absence, usable_count())) {
    if (const Turn turn(stream); turn) return run_timed(request, time);
  }
  latest_launch = Stopwatch().start();
  push(stream, {.action = std::make_unique<OwnedGrid>(request, time), .threads = time.threads(), .may_wait = waits});
  if (launches_block()) return wait_for_stream(stream);
  if (strict::is_on && !waits) {
    const strict::OwnWait own;
    wait_for_stream(stream);
  }
}

cudaError_t launch(const void *stub, dim3 grid, dim3 block, void **arguments, std::size_t shared, CUstream_st *stream,
                   bool cooperative, dim3 asked_cluster = dim3(0, 0, 0)) {
  CUfunc_st *function = stub ? find_function(stub) : nullptr;
  if (!function) return no_kernel(stub);
  const void *const site = launch_site();
  const AskedLaunch asked = {grid, block, shared, cooperative, asked_cluster};
  if (const cudaError_t error = check_launch(*function, grid, block, shared, cooperative); error != cudaSuccess)
    return explain_refusal(error, *function, asked, site);
  if (!arguments && function->kernel->parameter_count > 0) return cudaErrorInvalidValue;
  Extent cluster;
  if (const cudaError_t error = find_cluster(*function, grid, asked_cluster, cluster); error != cudaSuccess)
    return explain_refusal(error, *function, asked, site);
  if (cooperative && cluster.count() > 1) return not_supported("cudaLaunchKernelExC", kCooperativeClusters);
  if (!in_device_code() && device_of(stream) != current_device()) return cudaErrorInvalidResourceHandle;
  const Launch request = {function->kernel,
                          {grid.x, grid.y, grid.z},
                          {block.x, block.y, block.z},
                          shared,
                          cooperative,
                          arguments,
                          0,
                          cluster,
                          site,
                          stream->id,
                          observe::correlation()};
  if (strict::is_on && !in_device_code() && strict::gets_host_variable(request)) {
    set_device_fault(Outcome::kIllegalAddress);  // of the kernel, which the next call finds
    return cudaSuccess;
  }
  if (has_guards() && !strict::is_on) check_arguments(request);  // those find what the kernel touches
  if (is_capturing(stream)) {
    const auto grid_node = std::make_shared<OwnedGrid>(request, GridTime(request));
    NodeAttributes attributes;
    if (cooperative) attributes[cudaLaunchAttributeCooperative].cooperative = 1;
    if (asked_cluster.x != 0)
      attributes[cudaLaunchAttributeClusterDimension].clusterDim = {asked_cluster.x, asked_cluster.y, asked_cluster.z};
    const cudaError_t error =
        capture_operation(stream, cudaGraphNodeTypeKernel, [grid_node] { return grid_node->run(); });
    if (error != cudaSuccess) return error;
    CUgraphNode_st &node = *stream->capture_tail.front();
    node.kernel = {const_cast<void *>(stub), grid,   block, static_cast<unsigned>(shared),
                   grid_node->arguments(),   nullptr};
    node.attributes = std::move(attributes);
    return cudaSuccess;
  }
  run_or_queue(request, stream);
  return cudaSuccess;
}

// What the attributes of a launch ask for that is more than advice.
struct Asked {
  bool cooperative = false;
  dim3 cluster = dim3(0, 0, 0);
  std::vector<cudaEvent_t> events;
};

cudaError_t read_attribute(const cudaLaunchAttribute &attribute, Asked *asked) {
  const cudaLaunchAttributeValue &value = attribute.val;
  switch (attribute.id) {
    case cudaLaunchAttributeCooperative:
      asked->cooperative = value.cooperative != 0;
      return cudaSuccess;
    case cudaLaunchAttributeClusterDimension:
      asked->cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
      return value.clusterDim.x == 0 ? cudaErrorInvalidClusterSize : cudaSuccess;
    case cudaLaunchAttributeProgrammaticEvent:
      asked->events.push_back(value.programmaticEvent.event);
      return cudaSuccess;
    case cudaLaunchAttributeLaunchCompletionEvent:
      asked->events.push_back(value.launchCompletionEvent.event);
      return cudaSuccess;
    case cudaLaunchAttributeDeviceUpdatableKernelNode:
      return not_supported(
          "cudaLaunchKernelExC",
          "device code updates no nodes of graphs: the host does, by cudaGraphExecKernelNodeSetParams");
    default:
      return attribute.id <= cudaLaunchAttributeNvlinkUtilCentricScheduling ? cudaSuccess : cudaErrorInvalidValue;
  }
}

}  // namespace

int largest_cluster(const CUfunc_st &function) { return function.large_clusters ? 16 : 8; }

cudaError_t find_cluster(const CUfunc_st &function, const dim3 &grid, const dim3 &asked, Extent &cluster) {
  const std::uint32_t *const own = function.kernel->cluster;
  const bool is_fixed = own[0] != 0, is_asked = asked.x != 0;
  if (is_fixed && is_asked && (own[0] != asked.x || own[1] != asked.y || own[2] != asked.z)) {
    return cudaErrorInvalidClusterSize;
  }
  if (is_fixed) cluster = {own[0], own[1], own[2]};
  if (is_asked) cluster = {asked.x, asked.y, asked.z};
  if (cluster.y == 0 || cluster.z == 0) return cudaErrorInvalidClusterSize;
  if (cluster.count() > static_cast<unsigned>(largest_cluster(function))) return cudaErrorInvalidClusterSize;
  const bool whole = grid.x % cluster.x == 0 && grid.y % cluster.y == 0 && grid.z % cluster.z == 0;
  return whole ? cudaSuccess : cudaErrorInvalidClusterSize;
}

cudaError_t check_launch(const CUfunc_st &function, const dim3 &grid, const dim3 &block, std::size_t shared,
                         bool cooperative) {
  const Kernel &kernel = *function.kernel;
  if (!fits(grid, kMaxGridDim) || !fits(block, kMaxBlockDim)) return cudaErrorInvalidValue;
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads > kMaxThreadsPerBlock) return cudaErrorInvalidValue;
  if (kernel.max_threads && threads > kernel.max_threads) return cudaErrorInvalidValue;
  // The blocks of a cooperative launch need not fit at once here; but of these not even one would.
  if (shared > function.max_dynamic_shared)
    return cooperative ? cudaErrorCooperativeLaunchTooLarge : cudaErrorInvalidValue;
  return cudaSuccess;
}

}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
                             cudaStream_t stream) {
  const cudaLaunchKernel_v7000_params parameters{func, gridDim, blockDim, args, sharedMem, stream};
  return stream_call(
      stream, [&](CUstream_st *target) { return launch(func, gridDim, blockDim, args, sharedMem, target, false); },
      WARPLOOM_CALLER_WITH(parameters));
}

cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
                                        cudaStream_t stream) {
  return stream_call(
      stream, [&](CUstream_st *target) { return launch(func, gridDim, blockDim, args, sharedMem, target, true); });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args) {
  if (!config || (config->numAttrs && !config->attrs)) return record(cudaErrorInvalidValue);
  Asked asked;
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (const cudaError_t error = read_attribute(config->attrs[i], &asked); error != cudaSuccess) return record(error);
  const cudaError_t error = stream_call(config->stream, [&](CUstream_st *target) {
    return launch(func, config->gridDim, config->blockDim, args, config->dynamicSmemBytes, target, asked.cooperative,
                  asked.cluster);
  });
  // CUDA lets these events wait for all of the kernel.
  for (std::size_t i = 0; i < asked.events.size() && error == cudaSuccess; ++i)
    if (const cudaError_t failure = cudaEventRecord(asked.events[i], config->stream); failure != cudaSuccess)
      return failure;
  return error;
}

cudaError_t cudaLaunchCooperativeKernelMultiDevice(cudaLaunchParams *launches, unsigned int count, unsigned int) {
  if (!launches || count == 0) return record(cudaErrorInvalidValue);
  if (count > 1) return record(cudaErrorInvalidDevice);  // there is one
  return cudaLaunchCooperativeKernel(launches->func, launches->gridDim, launches->blockDim, launches->args,
                                     launches->sharedMem, launches->stream);
}

unsigned int __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem, CUstream_st *stream) {
  configurations.push_back({gridDim, blockDim, sharedMem, stream, __builtin_return_address(0)});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem, void *stream) {
  if (configurations.empty()) return record(cudaErrorMissingConfiguration);
  const Configuration top = configurations.back();
  configurations.pop_back();
  *gridDim = top.grid;
  *blockDim = top.block;
  *sharedMem = top.shared;
  *static_cast<cudaStream_t *>(stream) = top.stream;
  configured_site = top.site;
  return cudaSuccess;
}

cudaError_t cudaConfigureCall(dim3 gridDim, dim3 blockDim, size_t sharedMem, cudaStream_t stream) {
  argument_buffer.clear();
  configurations.push_back({gridDim, blockDim, sharedMem, stream, __builtin_return_address(0)});
  return cudaSuccess;
}

cudaError_t cudaSetupArgument(const void *arg, size_t size, size_t offset) {
  if (!arg) return record(cudaErrorInvalidValue);
  if (argument_buffer.size() < offset + size) argument_buffer.resize(offset + size);
  std::memcpy(argument_buffer.data() + offset, arg, size);
  return cudaSuccess;
}

cudaError_t cudaLaunch(const void *func) {
  dim3 grid, block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
  if (const cudaError_t error = __cudaPopCallConfiguration(&grid, &block, &shared, &stream); error != cudaSuccess)
    return error;
  const CUfunc_st *function = func ? find_function(func) : nullptr;
  if (!function) return record(no_kernel(func));
  const Kernel &kernel = *function->kernel;
  std::vector<void *> arguments;
  for (std::uint32_t i = 0; i < kernel.parameter_count; ++i) {
    const Parameter &parameter = kernel.parameters[i];
    if (parameter.offset + std::size_t{parameter.size} > argument_buffer.size()) return record(cudaErrorInvalidValue);
    arguments.push_back(argument_buffer.data() + parameter.offset);
  }
  return cudaLaunchKernel(func, grid, block, arguments.data(), shared, stream);
}

}  // extern "C"
