// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the kernels that ATen's own code launches. The library is linked with --wrap for both calls: which of them
// stands behind <<<>>> depends on the CUDA toolkit that clang sees.
#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

extern "C" cudaError_t __real_cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
extern "C" cudaError_t __real_cudaLaunch(const void *);

namespace {

std::mutex mutex;
std::unordered_map<const void *, uint64_t> &counts() {
  static auto *launches = new std::unordered_map<const void *, uint64_t>;
  return *launches;
}

void count(const void *kernel) {
  const std::lock_guard lock(mutex);
  ++counts()[kernel];
}

}  // namespace

extern "C" cudaError_t __wrap_cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                               size_t shared, cudaStream_t stream) {
  count(kernel);
  return __real_cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

extern "C" cudaError_t __wrap_cudaLaunch(const void *kernel) {
  count(kernel);
  return __real_cudaLaunch(kernel);
}

// Lines "COUNT NAME" of kernels' mangled names; until the next call of this thread.
extern "C" __attribute__((visibility("default"))) const char *warploom_aten_launches() {
  static thread_local std::string lines;
  lines.clear();
  const std::lock_guard lock(mutex);
  std::map<std::string, uint64_t> named;
  for (const auto &[kernel, count] : counts()) {
    const char *name = nullptr;
    named[cudaFuncGetName(&name, kernel) == cudaSuccess && name != nullptr ? name : "?"] += count;
  }
  for (const auto &[name, count] : named) lines += std::to_string(count) + " " + name + "\n";
  return lines.c_str();
}

extern "C" __attribute__((visibility("default"))) void warploom_aten_reset_launches() {
  const std::lock_guard lock(mutex);
  counts().clear();
}
