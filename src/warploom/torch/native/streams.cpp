// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// c10::cuda's streams. A stream's id: 0 is the default stream of its device, -1, -2, ... are those of the pool, and
// anything else is the handle of a stream that somebody else made.
#include "device.h"

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>
#include <ostream>
#include <vector>

namespace c10::cuda {
namespace {

constexpr size_t kPerPriority = 32;  // streams, as in PyTorch: then they come again
constexpr size_t kMostDevices = 64;  // C10_COMPILE_TIME_MAX_GPUS is smaller

// The streams that were made, never destroyed: work may outlive whoever asked for one.
struct Pool {
  std::mutex mutex;
  std::vector<cudaStream_t> streams;
  std::array<std::vector<StreamId>, max_compile_time_stream_priorities> ids;  // by priority
  std::array<size_t, max_compile_time_stream_priorities> given{};
};

Pool &pool(DeviceIndex device) {
  static auto *pools = new std::array<Pool, kMostDevices>;
  return pools->at(static_cast<size_t>(device));
}

thread_local std::array<StreamId, kMostDevices> current{};

CUDAStream stream_of(StreamId id, DeviceIndex device) {
  return CUDAStream(CUDAStream::UNCHECKED, Stream(Stream::UNSAFE, Device(DeviceType::CUDA, device), id));
}

}  // namespace

cudaStream_t CUDAStream::stream() const {
  const StreamId id = stream_.id();
  if (id == 0) return nullptr;
  auto &streams = pool(device_index());
  const std::lock_guard lock(streams.mutex);
  const auto place = static_cast<uint64_t>(-(id + 1));
  return place < streams.streams.size() ? streams.streams[place] : reinterpret_cast<cudaStream_t>(id);
}

bool CUDAStream::query() const {
  const DeviceGuard guard(stream_.device());
  const cudaError_t error = cudaStreamQuery(stream());
  if (error == cudaSuccess) return true;
  if (error != cudaErrorNotReady) C10_CUDA_CHECK(error);
  (void)cudaGetLastError();
  return false;
}

void CUDAStream::synchronize() const {
  warploom::torch::refuse_bad_fork();
  const DeviceGuard guard(stream_.device());
  stream_synchronize(stream());
}

CUDAStream getStreamFromPool(const int priority, DeviceIndex asked) {
  const DeviceIndex device = warploom::torch::device_or_current(asked);
  const CUDAGuard guard(device);
  const auto level = static_cast<size_t>(std::clamp(-priority, 0, max_compile_time_stream_priorities - 1));
  auto &streams = pool(device);
  const std::lock_guard lock(streams.mutex);
  auto &ids = streams.ids[level];
  if (ids.size() < kPerPriority) {
    cudaStream_t made = nullptr;
    C10_CUDA_CHECK(cudaStreamCreateWithPriority(&made, cudaStreamNonBlocking, -static_cast<int>(level)));
    streams.streams.push_back(made);
    ids.push_back(-static_cast<StreamId>(streams.streams.size()));
    return stream_of(ids.back(), device);
  }
  return stream_of(ids[streams.given[level]++ % kPerPriority], device);
}

CUDAStream getStreamFromPool(const bool is_high, DeviceIndex device) {
  return getStreamFromPool(is_high ? -max_compile_time_stream_priorities + 1 : 0, device);
}

CUDAStream getStreamFromExternal(cudaStream_t stream, DeviceIndex device) {
  return stream_of(reinterpret_cast<StreamId>(stream), warploom::torch::device_or_current(device));
}

CUDAStream getDefaultCUDAStream(DeviceIndex device) { return stream_of(0, warploom::torch::device_or_current(device)); }

CUDAStream getCurrentCUDAStream(DeviceIndex asked) {
  const DeviceIndex device = asked < 0 ? current_device() : asked;
  return stream_of(current.at(static_cast<size_t>(device)), device);
}

void setCurrentCUDAStream(CUDAStream stream) { current.at(static_cast<size_t>(stream.device_index())) = stream.id(); }

std::ostream &operator<<(std::ostream &out, const CUDAStream &stream) { return out << stream.unwrap(); }

}  // namespace c10::cuda
