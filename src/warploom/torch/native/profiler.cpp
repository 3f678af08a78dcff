// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What PyTorch's profiler asks of a CUDA device: times on its streams, and NVTX ranges, which `warploom profile` shows.
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/ApproximateClock.h>
#include <nvToolsExt.h>
#include <torch/csrc/profiler/stubs/base.h>

#include <functional>

namespace {

using torch::profiler::impl::ProfilerVoidEventStub;

struct Methods final : torch::profiler::impl::ProfilerStubs {
  void record(c10::DeviceIndex *device, ProfilerVoidEventStub *event, int64_t *cpu_ns) const override {
    if (device != nullptr) *device = c10::cuda::current_device();
    cudaEvent_t made = nullptr;
    C10_CUDA_CHECK(cudaEventCreate(&made));
    *event = {made, [](void *each) { C10_CUDA_CHECK_WARN(cudaEventDestroy(static_cast<cudaEvent_t>(each))); }};
    if (cpu_ns != nullptr) *cpu_ns = c10::getTime();
    C10_CUDA_CHECK(cudaEventRecord(made, c10::cuda::getCurrentCUDAStream()));
  }
  // In microseconds.
  float elapsed(const ProfilerVoidEventStub *begin, const ProfilerVoidEventStub *end) const override {
    const auto first = static_cast<cudaEvent_t>(begin->get()), last = static_cast<cudaEvent_t>(end->get());
    C10_CUDA_CHECK(cudaEventSynchronize(first));
    C10_CUDA_CHECK(cudaEventSynchronize(last));
    float milliseconds = 0;
    C10_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, first, last));
    return milliseconds * 1000;
  }
  void mark(const char *name) const override { nvtxMarkA(name); }
  void rangePush(const char *name) const override { nvtxRangePushA(name); }
  void rangePop() const override { nvtxRangePop(); }
  bool enabled() const override { return true; }
  void onEachDevice(std::function<void(int)> visit) const override {
    c10::cuda::OptionalCUDAGuard guard;
    for (c10::DeviceIndex device = 0; device < c10::cuda::device_count(); ++device) {
      guard.set_index(device);
      visit(device);
    }
  }
  void synchronize() const override { c10::cuda::device_synchronize(); }
};

const bool is_registered = [] {
  static Methods methods;
  torch::profiler::impl::registerCUDAMethods(&methods);
  return true;
}();

}  // namespace
