// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// at::cuda's context: properties of the devices, handles of the libraries, and the hooks through which PyTorch's core
// reaches a CUDA device.
#include "device.h"
#include "next_generator.h"

#include <ATen/Parallel.h>
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/Exceptions.h>
#include <ATen/cuda/detail/CUDAHooks.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>

#include <deque>
#include <mutex>

namespace at::cuda {
namespace {

// A library's handle for each thread and device, on the thread's current stream when it is asked for.
template <typename Handle, auto Create, auto SetStream>
Handle handle_on_current_stream() {
  thread_local std::map<c10::DeviceIndex, Handle> handles;  // a thread's end leaves them to the library
  Handle &handle = handles[c10::cuda::current_device()];
  if (handle == nullptr) TORCH_CHECK(Create(&handle) == 0, "a handle of a CUDA library could not be made");
  TORCH_CHECK(SetStream(handle, c10::cuda::getCurrentCUDAStream()) == 0, "a CUDA library refused the current stream");
  return handle;
}

}  // namespace

cudaDeviceProp *getDeviceProperties(c10::DeviceIndex asked) {
  static std::mutex mutex;
  static auto *properties = new std::map<c10::DeviceIndex, cudaDeviceProp>;
  const c10::DeviceIndex device = warploom::torch::device_or_current(asked);
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = properties->try_emplace(device);
  if (is_new) C10_CUDA_CHECK(cudaGetDeviceProperties(&found->second, device));
  return &found->second;
}

cudaDeviceProp *getCurrentDeviceProperties() { return getDeviceProperties(c10::cuda::current_device()); }
int warp_size() { return getCurrentDeviceProperties()->warpSize; }
bool canDeviceAccessPeer(c10::DeviceIndex device, c10::DeviceIndex peer) {
  int can = 0;
  C10_CUDA_CHECK(cudaDeviceCanAccessPeer(&can, device, peer));
  return can != 0;
}
c10::Allocator *getCUDADeviceAllocator() { return c10::cuda::CUDACachingAllocator::get(); }

cublasHandle_t getCurrentCUDABlasHandle(bool) {
  return handle_on_current_stream<cublasHandle_t, cublasCreate, cublasSetStream>();
}
cublasLtHandle_t getCurrentCUDABlasLtHandle() {
  thread_local cublasLtHandle_t handle = [] {
    cublasLtHandle_t made = nullptr;
    TORCH_CHECK(cublasLtCreate(&made) == CUBLAS_STATUS_SUCCESS, "a handle of cuBLASLt could not be made");
    return made;
  }();
  return handle;
}
cusparseHandle_t getCurrentCUDASparseHandle() {
  return handle_on_current_stream<cusparseHandle_t, cusparseCreate, cusparseSetStream>();
}
cusolverDnHandle_t getCurrentCUDASolverDnHandle() {
  return handle_on_current_stream<cusolverDnHandle_t, cusolverDnCreate, cusolverDnSetStream>();
}

// The libraries take their working memory themselves.
void clearCublasWorkspaces() {}
void clearCublasWorkspacesForStream(cudaStream_t) {}

namespace detail {
namespace {

c10::DeviceIndex checked(c10::DeviceIndex device) { return warploom::torch::device_or_current(device); }

}  // namespace

void CUDAHooks::init() const { c10::cuda::device_count_ensure_non_zero(); }
bool CUDAHooks::hasCUDA() const { return c10::cuda::device_count() > 0; }
bool CUDAHooks::hasCUDART() const { return true; }
long CUDAHooks::versionCUDART() const { return CUDART_VERSION; }
std::string CUDAHooks::showConfig() const {
  return "  - Warploom: CUDA " + std::to_string(CUDART_VERSION / 1000) + " on the CPU\n";
}

// What this build of ATen has no kernels of: PyTorch then takes its general way, which runs on the CPU backend.
bool CUDAHooks::hasMAGMA() const { return false; }
bool CUDAHooks::hasCuDNN() const { return false; }
bool CUDAHooks::hasCuSOLVER() const { return false; }
bool CUDAHooks::hasCuBLASLt() const { return false; }
bool CUDAHooks::hasROCM() const { return false; }
bool CUDAHooks::hasCKSDPA() const { return false; }
bool CUDAHooks::hasCKGEMM() const { return false; }
bool CUDAHooks::compiledWithCuDNN() const { return false; }
bool CUDAHooks::compiledWithMIOpen() const { return false; }
bool CUDAHooks::supportsDilatedConvolutionWithCuDNN() const { return false; }
bool CUDAHooks::supportsDepthwiseConvolutionWithCuDNN() const { return false; }
bool CUDAHooks::supportsBFloat16ConvolutionWithCuDNNv8() const { return false; }
bool CUDAHooks::supportsBFloat16RNNWithCuDNN() const { return false; }
const at::cuda::NVRTC &CUDAHooks::nvrtc() const { return CUDAHooksInterface::nvrtc(); }
long CUDAHooks::versionCuDNN() const { return CUDAHooksInterface::versionCuDNN(); }
long CUDAHooks::versionRuntimeCuDNN() const { return CUDAHooksInterface::versionRuntimeCuDNN(); }
long CUDAHooks::versionCuDNNFrontend() const { return CUDAHooksInterface::versionCuDNNFrontend(); }
long CUDAHooks::versionMIOpen() const { return CUDAHooksInterface::versionMIOpen(); }
long CUDAHooks::versionHipBLASLt() const { return CUDAHooksInterface::versionHipBLASLt(); }
double CUDAHooks::batchnormMinEpsilonCuDNN() const { return CUDAHooksInterface::batchnormMinEpsilonCuDNN(); }
int64_t CUDAHooks::cuFFTGetPlanCacheMaxSize(DeviceIndex) const { return 0; }
void CUDAHooks::cuFFTSetPlanCacheMaxSize(DeviceIndex, int64_t) const {}
int64_t CUDAHooks::cuFFTGetPlanCacheSize(DeviceIndex) const { return 0; }
void CUDAHooks::cuFFTClearPlanCache(DeviceIndex) const {}

Device CUDAHooks::getDeviceFromPtr(void *data) const {
  cudaPointerAttributes attributes{};
  C10_CUDA_CHECK(cudaPointerGetAttributes(&attributes, data));
  TORCH_CHECK(attributes.type != cudaMemoryTypeUnregistered,
              "The specified pointer resides on host memory and is not registered with any CUDA device.");
  return {DeviceType::CUDA, static_cast<DeviceIndex>(attributes.device)};
}
bool CUDAHooks::isPinnedPtr(const void *data) const {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, data) == cudaSuccess) return attributes.type == cudaMemoryTypeHost;
  (void)cudaGetLastError();
  return false;
}

const Generator &CUDAHooks::getDefaultGenerator(DeviceIndex device) const { return getDefaultCUDAGenerator(device); }
Generator CUDAHooks::getNewGenerator(DeviceIndex device) const {
  return warploom::torch::next_generator_is_default() ? getDefaultCUDAGenerator(device) : createCUDAGenerator(device);
}
DeviceIndex CUDAHooks::current_device() const { return c10::cuda::current_device(); }
DeviceIndex CUDAHooks::getCurrentDevice() const { return c10::cuda::current_device(); }
DeviceIndex CUDAHooks::deviceCount() const { return c10::cuda::device_count(); }
int CUDAHooks::getNumGPUs() const { return c10::cuda::device_count(); }
bool CUDAHooks::hasPrimaryContext(DeviceIndex device) const { return c10::cuda::hasPrimaryContext(device); }
Allocator *CUDAHooks::getCUDADeviceAllocator() const { return at::cuda::getCUDADeviceAllocator(); }
Allocator *CUDAHooks::getPinnedMemoryAllocator() const { return at::getHostAllocator(at::kCUDA); }
void CUDAHooks::deviceSynchronize(DeviceIndex device) const {
  const c10::DeviceGuard guard({DeviceType::CUDA, checked(device)});
  c10::cuda::device_synchronize();
}

namespace {

// The setters of devices, which PyTorch's own hooks leave out.
struct Hooks final : CUDAHooks {
  using CUDAHooks::CUDAHooks;
  void setCurrentDevice(DeviceIndex device) const override { c10::cuda::set_device(device); }
  DeviceIndex exchangeDevice(DeviceIndex device) const override { return c10::cuda::ExchangeDevice(device); }
  DeviceIndex maybeExchangeDevice(DeviceIndex device) const override { return c10::cuda::MaybeExchangeDevice(device); }
};

C10_REGISTER_CLASS(CUDAHooksRegistry, CUDAHooks, Hooks)

const bool counts_threads = (warploom::torch::count_threads_by(&at::get_num_threads), true);

}  // namespace
}  // namespace detail
}  // namespace at::cuda
