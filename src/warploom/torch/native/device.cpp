// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// c10::cuda's functions of devices and errors, over Warploom's CUDA runtime, and the registration of the device guard.
#include "device.h"

#include <c10/cuda/CUDADeviceAssertionHost.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/impl/CUDAGuardImpl.h>
#include <pthread.h>

#include <atomic>
#include <mutex>
#include <string>

namespace warploom::torch {
namespace {

std::atomic<bool> used{false};
std::atomic<bool> forked_while_used{false};

void note_use() {
  if (used.exchange(true)) return;
  pthread_atfork(nullptr, nullptr, [] { forked_while_used = true; });
}

}  // namespace

bool in_bad_fork() noexcept { return forked_while_used; }

void refuse_bad_fork() {
  if (C10_UNLIKELY(!used)) note_use();
  TORCH_CHECK(C10_LIKELY(!forked_while_used),
              "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the "
              "'spawn' start method");
}

c10::DeviceIndex device_or_current(c10::DeviceIndex device) {
  if (device < 0) return c10::cuda::current_device();
  TORCH_CHECK(device < c10::cuda::device_count(), "CUDA error: invalid device ordinal: ", int(device));
  return device;
}

std::optional<unsigned long long> capture_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  const cudaError_t error = cudaStreamGetCaptureInfo(stream, &status, &id);
  if (error == cudaErrorStreamCaptureImplicit) {  // the default stream, while another one is captured
    (void)cudaGetLastError();
    return std::nullopt;
  }
  C10_CUDA_CHECK(error);
  return status == cudaStreamCaptureStatusActive ? std::optional(id) : std::nullopt;
}

bool is_capturing() { return capture_of(c10::cuda::getCurrentCUDAStream()).has_value(); }

}  // namespace warploom::torch

namespace c10::cuda {

DeviceIndex device_count() noexcept {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return static_cast<DeviceIndex>(count);
  (void)cudaGetLastError();
  return 0;
}

DeviceIndex device_count_ensure_non_zero() {
  const DeviceIndex count = device_count();
  TORCH_CHECK(count > 0, "No CUDA GPUs are available");
  return count;
}

cudaError_t GetDeviceCount(int *count) { return cudaGetDeviceCount(count); }

cudaError_t GetDevice(DeviceIndex *device) {
  int current = 0;
  const cudaError_t error = cudaGetDevice(&current);
  *device = static_cast<DeviceIndex>(current);
  return error;
}

cudaError_t SetDevice(DeviceIndex device, const bool force) {
  TORCH_CHECK(device >= 0, "device id must be non-negative!", static_cast<int>(device));
  DeviceIndex current = -1;
  if (!force && GetDevice(&current) == cudaSuccess && current == device) return cudaSuccess;
  return cudaSetDevice(device);
}

cudaError_t MaybeSetDevice(DeviceIndex device) { return device < 0 ? cudaSuccess : SetDevice(device); }

DeviceIndex current_device() {
  DeviceIndex device = -1;
  C10_CUDA_CHECK(GetDevice(&device));
  return device;
}

void set_device(DeviceIndex device, const bool force) { C10_CUDA_CHECK(SetDevice(device, force)); }

DeviceIndex ExchangeDevice(DeviceIndex device) {
  const DeviceIndex before = current_device();
  if (before != device) C10_CUDA_CHECK(cudaSetDevice(device));
  return before;
}

DeviceIndex MaybeExchangeDevice(DeviceIndex device) { return device < 0 ? current_device() : ExchangeDevice(device); }

// A device is chosen at once here, never later.
void SetTargetDevice() {}

void device_synchronize() {
  warploom::torch::refuse_bad_fork();
  C10_CUDA_CHECK(cudaDeviceSynchronize());
}

void warn_or_error_on_sync() {
  const SyncDebugMode mode = warning_state().get_sync_debug_mode();
  TORCH_CHECK(mode != SyncDebugMode::L_ERROR, "called a synchronizing CUDA operation");
  if (mode == SyncDebugMode::L_WARN) TORCH_WARN("called a synchronizing CUDA operation");
}

bool hasPrimaryContext(DeviceIndex device) {
  TORCH_CHECK(device >= 0 && device < device_count(),
              "hasPrimaryContext expects a valid device index, but got device_index=", static_cast<int>(device));
  return true;  // the host's memory and processors are always there
}

std::optional<DeviceIndex> getDeviceIndexWithPrimaryContext() { return current_device(); }

std::string get_cuda_error_help(cudaError_t) noexcept { return ""; }
const char *get_cuda_check_suffix() noexcept { return ""; }
const char *get_cuda_async_error_suffix(cudaError_t) noexcept { return ""; }

std::mutex *getFreeMutex() {
  static std::mutex mutex;
  return &mutex;
}

void c10_cuda_check_implementation(const int32_t error, const char *file, const char *function, const uint32_t line,
                                   const bool) {
  if (C10_LIKELY(error == cudaSuccess)) return;
  (void)cudaGetLastError();
  throw c10::AcceleratorError({function, file, line}, error,
                              std::string("CUDA error: ") + cudaGetErrorString(static_cast<cudaError_t>(error)));
}

namespace impl {

C10_REGISTER_GUARD_IMPL(CUDA, CUDAGuardImpl)

}  // namespace impl

// Kernels that record their assertions (TORCH_USE_CUDA_DSA) get no place for it: an assertion here ends the kernel with
// its own line.
CUDAKernelLaunchRegistry::CUDAKernelLaunchRegistry() = default;

CUDAKernelLaunchRegistry &CUDAKernelLaunchRegistry::get_singleton_ref() {
  static CUDAKernelLaunchRegistry registry;
  return registry;
}

uint32_t CUDAKernelLaunchRegistry::insert(const char *, const char *, const uint32_t, const char *, const int32_t) {
  return 0;
}

DeviceAssertionsData *CUDAKernelLaunchRegistry::get_uvm_assertions_ptr_for_current_device() { return nullptr; }

bool CUDAKernelLaunchRegistry::has_failed() const { return false; }

std::string c10_retrieve_device_side_assertion_info() { return "Device assertions are reported by Warploom itself.\n"; }

}  // namespace c10::cuda
