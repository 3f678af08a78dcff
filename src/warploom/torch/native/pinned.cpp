// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pinned host memory, as `pin_memory()` and data loaders ask for: the runtime's cudaHostAlloc. Nothing is cached: it
// costs what memory costs. What a stream still uses is freed when the stream has come that far.
#include "device.h"

#include <ATen/core/CachingHostAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#include <mutex>
#include <unordered_map>
#include <vector>

namespace at::cuda {
namespace {

struct Pinned {
  size_t bytes;
  std::vector<c10::cuda::CUDAStream> users;
};

class PinnedAllocator final : public HostAllocator {
 public:
  DataPtr allocate(size_t bytes) override {
    warploom::torch::refuse_bad_fork();
    void *data = nullptr;
    if (bytes != 0) {
      C10_CUDA_CHECK(cudaHostAlloc(&data, bytes, cudaHostAllocDefault));
      const std::lock_guard lock(mutex_);
      live_.emplace(data, Pinned{bytes, {}});
      for (auto *count : {&stats_.active_requests, &stats_.allocations}) count->increase(1);
      for (auto *size : {&stats_.active_bytes, &stats_.allocated_bytes}) size->increase(bytes);
      ++stats_.num_host_alloc;
    }
    return {data, data, &give_back, Device(DeviceType::CPU)};
  }
  DeleterFnPtr raw_deleter() const override { return &give_back; }
  void copy_data(void *to, const void *from, std::size_t bytes) const override { default_copy_data(to, from, bytes); }
  bool record_event(void *data, void *, c10::Stream stream) override {
    const std::lock_guard lock(mutex_);
    const auto found = live_.find(data);
    if (found == live_.end()) return false;
    found->second.users.emplace_back(stream);
    return true;
  }
  void empty_cache() override {}
  HostStats get_stats() override {
    const std::lock_guard lock(mutex_);
    return stats_;
  }
  void reset_accumulated_stats() override {
    change([](auto &stat) { stat.reset_accumulated(); });
  }
  void reset_peak_stats() override {
    change([](auto &stat) { stat.reset_peak(); });
  }

 private:
  static void give_back(void *data);

  template <typename Change>
  void change(Change one) {
    const std::lock_guard lock(mutex_);
    for (auto *stat : {&stats_.active_requests, &stats_.allocations, &stats_.active_bytes, &stats_.allocated_bytes}) {
      one(*stat);
    }
  }

  void free(void *data) {
    if (data == nullptr || warploom::torch::in_bad_fork()) return;
    std::vector<c10::cuda::CUDAStream> users;
    {
      const std::lock_guard lock(mutex_);
      const auto found = live_.find(data);
      users = std::move(found->second.users);
      for (auto *count : {&stats_.active_requests, &stats_.allocations}) count->decrease(1);
      for (auto *size : {&stats_.active_bytes, &stats_.allocated_bytes}) size->decrease(found->second.bytes);
      ++stats_.num_host_free;
      live_.erase(found);
    }
    for (const auto &user : users) C10_CUDA_CHECK_WARN(cudaStreamSynchronize(user));
    C10_CUDA_CHECK_WARN(cudaFreeHost(data));
  }

  std::mutex mutex_;
  std::unordered_map<void *, Pinned> live_;
  HostStats stats_;
};

// Never destroyed: tensors may outlive it at the end of the process.
PinnedAllocator &pinned() {
  static auto *made = new PinnedAllocator;
  return *made;
}

void PinnedAllocator::give_back(void *data) { pinned().free(data); }

}  // namespace
}  // namespace at::cuda

REGISTER_HOST_ALLOCATOR(at::kCUDA, &at::cuda::pinned())
