// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What warploom/torch/bindings.py calls by ctypes, to fill in what torch._C of a CPU wheel lacks. A function that fails
// returns -1; `warploom_torch_error` then tells of it.
#include "cpu_backend.h"
#include "device.h"
#include "next_generator.h"

#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <nvToolsExt.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>

namespace {

using at::cuda::CUDAGraph;
using c10::DeviceIndex;
using c10::cuda::CUDAStream;
namespace caching = c10::cuda::CUDACachingAllocator;

enum Kind : int64_t { kOther = 0, kOutOfMemory = 1, kNotImplemented = 2, kAccelerator = 3 };

thread_local std::string error_text;
thread_local int64_t error_kind = kOther;

int64_t failed(const char *text, Kind kind) {
  error_text = text;
  error_kind = kind;
  return -1;
}

// `work`'s result; -1 with what went wrong noted.
template <typename Work>
int64_t guarded(Work work) {
  try {
    return static_cast<int64_t>(work());
  } catch (const c10::OutOfMemoryError &error) {
    return failed(error.what_without_backtrace(), kOutOfMemory);
  } catch (const c10::NotImplementedError &error) {
    return failed(error.what_without_backtrace(), kNotImplemented);
  } catch (const c10::AcceleratorError &error) {
    return failed(error.what_without_backtrace(), kAccelerator);
  } catch (const c10::Error &error) {
    return failed(error.what_without_backtrace(), kOther);
  } catch (const std::exception &error) {
    return failed(error.what(), kOther);
  }
}

template <typename Work>
int64_t done(Work work) {
  return guarded([&] {
    work();
    return 0;
  });
}

DeviceIndex index(int64_t device) { return static_cast<DeviceIndex>(device); }

CUDAStream stream_of(int64_t id, int64_t device) {
  return CUDAStream(c10::Stream(c10::Stream::UNSAFE, c10::Device(c10::DeviceType::CUDA, index(device)), id));
}

CUDAGraph *graph_of(void *graph) { return static_cast<CUDAGraph *>(graph); }

// An NVTX range that begins and ends where a stream comes to it.
struct DeviceRange {
  std::string text;
  nvtxRangeId_t id = 0;
};

void CUDART_CB begin(void *range) {
  auto *const begun = static_cast<DeviceRange *>(range);
  begun->id = nvtxRangeStartA(begun->text.c_str());
}
void CUDART_CB end(void *range) {
  const std::unique_ptr<DeviceRange> ended(static_cast<DeviceRange *>(range));
  nvtxRangeEnd(ended->id);
}

void add(int64_t *&out, const c10::CachingAllocator::Stat &stat) {
  for (const int64_t value : {stat.current, stat.peak, stat.allocated, stat.freed}) *out++ = value;
}

}  // namespace

#define API extern "C" __attribute__((visibility("default")))

API const char *warploom_torch_error(int64_t *kind) {
  *kind = error_kind;
  return error_text.c_str();
}

API int64_t warploom_torch_in_bad_fork() { return warploom::torch::in_bad_fork(); }
API int64_t warploom_torch_init() {
  return done([] {
    warploom::torch::refuse_bad_fork();
    c10::cuda::device_count_ensure_non_zero();
  });
}
API int64_t warploom_torch_device_count() { return c10::cuda::device_count(); }
API int64_t warploom_torch_current_device() {
  return guarded([] { return c10::cuda::current_device(); });
}
API int64_t warploom_torch_set_device(int64_t device) {
  return done([&] { c10::cuda::set_device(index(device)); });
}
API int64_t warploom_torch_exchange_device(int64_t device) {
  return guarded([&] { return device < 0 ? -1 : c10::cuda::ExchangeDevice(index(device)); });
}
API int64_t warploom_torch_maybe_exchange_device(int64_t device) {
  return guarded([&] { return device < 0 ? -1 : c10::cuda::MaybeExchangeDevice(index(device)); });
}
API int64_t warploom_torch_synchronize() {
  return done([] { c10::cuda::device_synchronize(); });
}
// `stream` is the runtime's handle; the range belongs to the call that ends it.
API int64_t warploom_torch_begin_device_range(const char *text, int64_t stream, int64_t *range) {
  return done([&] {
    auto made = std::make_unique<DeviceRange>(DeviceRange{text});
    C10_CUDA_CHECK(cudaLaunchHostFunc(reinterpret_cast<cudaStream_t>(stream), &begin, made.get()));
    *range = reinterpret_cast<int64_t>(made.release());
  });
}
API int64_t warploom_torch_end_device_range(int64_t range, int64_t stream) {
  return done([&] {
    C10_CUDA_CHECK(cudaLaunchHostFunc(reinterpret_cast<cudaStream_t>(stream), &end, reinterpret_cast<void *>(range)));
  });
}
API int64_t warploom_torch_can_access_peer(int64_t device, int64_t peer) {
  return guarded([&] { return at::cuda::canDeviceAccessPeer(index(device), index(peer)); });
}
API int64_t warploom_torch_sync_mode() {
  return static_cast<int64_t>(c10::cuda::warning_state().get_sync_debug_mode());
}
API int64_t warploom_torch_set_sync_mode(int64_t mode) {
  c10::cuda::warning_state().set_sync_debug_mode(static_cast<c10::cuda::SyncDebugMode>(mode));
  return 0;
}
// `name` has room for 256 bytes, `uuid` for 16; `out` gets 16 numbers in the order of `DeviceProperties` in
// bindings.py.
API int64_t warploom_torch_properties(int64_t device, char *name, char *uuid, int64_t *out) {
  return done([&] {
    const cudaDeviceProp &found = *at::cuda::getDeviceProperties(index(device));
    std::memcpy(name, found.name, sizeof found.name);
    std::memcpy(uuid, found.uuid.bytes, sizeof found.uuid.bytes);
    const std::array<int64_t, 16> numbers{found.major,
                                          found.minor,
                                          static_cast<int64_t>(found.totalGlobalMem),
                                          found.multiProcessorCount,
                                          found.warpSize,
                                          found.regsPerMultiprocessor,
                                          static_cast<int64_t>(found.sharedMemPerBlock),
                                          static_cast<int64_t>(found.sharedMemPerBlockOptin),
                                          static_cast<int64_t>(found.sharedMemPerMultiprocessor),
                                          found.maxThreadsPerMultiProcessor,
                                          found.maxThreadsPerBlock,
                                          found.l2CacheSize,
                                          found.integrated,
                                          found.isMultiGpuBoard,
                                          found.pciBusID,
                                          found.pciDeviceID};
    std::copy(numbers.begin(), numbers.end(), out);
  });
}
API int64_t warploom_torch_blas_handle() {
  return guarded([] { return reinterpret_cast<int64_t>(at::cuda::getCurrentCUDABlasHandle()); });
}
API int64_t warploom_torch_solver_handle() {
  return guarded([] { return reinterpret_cast<int64_t>(at::cuda::getCurrentCUDASolverDnHandle()); });
}
API void warploom_torch_next_generator_is_default(int64_t is_default) {
  warploom::torch::next_generator_is_default() = is_default != 0;
}

API int64_t warploom_torch_current_stream(int64_t device, int64_t *id) {
  return done([&] { *id = c10::cuda::getCurrentCUDAStream(index(device)).id(); });
}
API int64_t warploom_torch_set_stream(int64_t id, int64_t device) {
  return done([&] {
    const auto stream = stream_of(id, device);
    if (c10::cuda::current_device() != stream.device_index()) c10::cuda::set_device(stream.device_index());
    c10::cuda::setCurrentCUDAStream(stream);
  });
}
API int64_t warploom_torch_new_stream(int64_t priority, int64_t *id) {
  return done([&] { *id = c10::cuda::getStreamFromPool(static_cast<int>(priority)).id(); });
}
API int64_t warploom_torch_stream_handle(int64_t id, int64_t device, int64_t *handle) {
  return done([&] { *handle = reinterpret_cast<int64_t>(stream_of(id, device).stream()); });
}
API int64_t warploom_torch_stream_priority(int64_t id, int64_t device, int64_t *priority) {
  return done([&] { *priority = stream_of(id, device).priority(); });
}
// Milliseconds between two events.
API int64_t warploom_torch_elapsed(void *first, void *second, double *milliseconds) {
  return done([&] {
    TORCH_CHECK(first != nullptr && second != nullptr, "Both events must be recorded before calculating elapsed time.");
    float found = 0;
    C10_CUDA_CHECK(cudaEventElapsedTime(&found, static_cast<cudaEvent_t>(first), static_cast<cudaEvent_t>(second)));
    *milliseconds = found;
  });
}
API int64_t warploom_torch_is_capturing() {
  return guarded([] { return warploom::torch::is_capturing(); });
}

API int64_t warploom_torch_empty_cache() {
  return done([] { caching::emptyCache(); });
}
API int64_t warploom_torch_alloc(int64_t bytes, int64_t stream, void **data) {
  return done([&] {
    *data = caching::raw_alloc_with_stream(static_cast<size_t>(bytes), reinterpret_cast<cudaStream_t>(stream));
  });
}
API int64_t warploom_torch_free(void *data) {
  return done([&] { caching::raw_delete(data); });
}
API int64_t warploom_torch_resize_storage(void *storage, int64_t bytes) {
  return done([=] {
    TORCH_CHECK(bytes >= 0, "Storage size must be non-negative, got: ", bytes);
    warploom::torch::resize_storage(*static_cast<c10::StorageImpl *>(storage), static_cast<size_t>(bytes));
  });
}
API int64_t warploom_torch_enable_caching(int64_t is_enabled) {
  return done([&] { caching::enable(is_enabled != 0); });
}
API int64_t warploom_torch_caching_is_enabled() { return caching::isEnabled(); }
API int64_t warploom_torch_set_memory_fraction(double fraction, int64_t device) {
  return done([&] { caching::setMemoryFraction(fraction, index(device)); });
}
API double warploom_torch_memory_fraction(int64_t device) { return caching::getMemoryFraction(index(device)); }
API int64_t warploom_torch_memory_info(int64_t device, int64_t *free, int64_t *total) {
  return done([&] {
    const auto [unused, all] = caching::get()->getMemoryInfo(index(device));
    *free = static_cast<int64_t>(unused);
    *total = static_cast<int64_t>(all);
  });
}
API int64_t warploom_torch_reset_stats(int64_t device, int64_t peaks) {
  return done(
      [&] { peaks != 0 ? caching::resetPeakStats(index(device)) : caching::resetAccumulatedStats(index(device)); });
}
// For each of the groups of `torch.cuda.memory_stats` and for all, small and large blocks: current, peak, allocated,
// freed; then retries, out of memory, calls of cudaMalloc and of cudaFree. 9 * 3 * 4 + 4 numbers.
API int64_t warploom_torch_memory_stats(int64_t device, int64_t *out) {
  return done([&] {
    const auto stats = caching::getDeviceStats(index(device));
    for (const auto *group :
         {&stats.allocation, &stats.segment, &stats.active, &stats.inactive_split, &stats.allocated_bytes,
          &stats.reserved_bytes, &stats.active_bytes, &stats.inactive_split_bytes, &stats.requested_bytes}) {
      for (const auto &stat : *group) add(out, stat);
    }
    for (const int64_t count :
         {stats.num_alloc_retries, stats.num_ooms, stats.num_device_alloc, stats.num_device_free}) {
      *out++ = count;
    }
  });
}
// The groups of `torch.cuda.host_memory_stats`, as above; then calls of cudaHostAlloc and of cudaFreeHost. 4 * 4 + 2
// numbers.
API int64_t warploom_torch_host_memory_stats(int64_t *out) {
  return done([&] {
    const auto stats = at::getHostAllocator(at::kCUDA)->get_stats();
    for (const auto *stat : {&stats.active_requests, &stats.active_bytes, &stats.allocations, &stats.allocated_bytes}) {
      add(out, *stat);
    }
    *out++ = stats.num_host_alloc;
    *out++ = stats.num_host_free;
  });
}
API int64_t warploom_torch_reset_host_stats(int64_t peaks) {
  return done([&] {
    auto *allocator = at::getHostAllocator(at::kCUDA);
    peaks != 0 ? allocator->reset_peak_stats() : allocator->reset_accumulated_stats();
  });
}
// One segment a line: device address size is_live requested stream.
API const char *warploom_torch_memory_snapshot() {
  thread_local std::string text;
  text.clear();
  for (const auto &segment : caching::snapshot().segments) {
    text += std::to_string(segment.device) + " " + std::to_string(segment.address) + " " +
            std::to_string(segment.total_size) + " " + std::to_string(segment.allocated_size != 0) + " " +
            std::to_string(segment.requested_size) + " " + std::to_string(reinterpret_cast<uintptr_t>(segment.stream)) +
            "\n";
  }
  return text.c_str();
}

API int64_t warploom_torch_graph_new(int64_t keep, void **graph) {
  return done([&] { *graph = new CUDAGraph(keep != 0); });
}
API void warploom_torch_graph_delete(void *graph) { delete graph_of(graph); }
API int64_t warploom_torch_graph_pool_handle() { return static_cast<int64_t>(at::cuda::graph_pool_handle().second); }
API int64_t warploom_torch_graph_begin(void *graph, int64_t pool0, int64_t pool1, int64_t mode) {
  return done([&] {
    graph_of(graph)->capture_begin({static_cast<c10::CaptureId_t>(pool0), static_cast<c10::CaptureId_t>(pool1)},
                                   static_cast<cudaStreamCaptureMode>(mode));
  });
}
API int64_t warploom_torch_graph_end(void *graph) {
  return done([&] { graph_of(graph)->capture_end(); });
}
API int64_t warploom_torch_graph_instantiate(void *graph) {
  return done([&] { graph_of(graph)->instantiate(); });
}
API int64_t warploom_torch_graph_replay(void *graph) {
  return done([&] { graph_of(graph)->replay(); });
}
API int64_t warploom_torch_graph_reset(void *graph) {
  return done([&] { graph_of(graph)->reset(); });
}
API int64_t warploom_torch_graph_pool(void *graph, int64_t *pool) {
  return done([&] {
    const auto id = graph_of(graph)->pool();
    pool[0] = static_cast<int64_t>(id.first);
    pool[1] = static_cast<int64_t>(id.second);
  });
}
API int64_t warploom_torch_graph_dump(void *graph, const char *path) {
  return done([&] { graph_of(graph)->debug_dump(path); });
}
API int64_t warploom_torch_graph_handle(void *graph, int64_t is_executable) {
  return guarded([&] {
    return is_executable != 0 ? reinterpret_cast<int64_t>(graph_of(graph)->raw_cuda_graph_exec())
                              : reinterpret_cast<int64_t>(graph_of(graph)->raw_cuda_graph());
  });
}
API const char *warploom_torch_coverage() {
  thread_local std::string text;
  text = warploom::torch::coverage_lines();
  return text.c_str();
}
API void warploom_torch_reset_coverage() { warploom::torch::reset_coverage(); }
