// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Devices and errors / refused launches
// Launches that cannot be, and their neighbours that can: each gives its error from cudaGetLastError, runs nothing, and
// leaves the device usable. The codes are CUDA 13's: older ones had cudaErrorInvalidConfiguration for some of them.
#include "check.h"

__global__ void mark(int *data) { atomicAdd(data, 1); }

__global__ void use_shared(int *data) {
  extern __shared__ int cells[];
  cells[0] = 5;
  *data = cells[0];
}

__global__ void __launch_bounds__(128) bounded(int *data) { atomicAdd(data, 0); }

__global__ void static_shared(int *data) {
  __shared__ int own[12288];
  own[threadIdx.x] = 1;
  __syncthreads();
  *data = own[blockDim.x - 1 - threadIdx.x];
}

void show(const char *what) {
  cudaError_t error = cudaGetLastError();
  std::printf("%s: %s, then %s\n", what, cudaGetErrorName(error), cudaGetErrorName(cudaGetLastError()));
}

template <class Kernel>
void attempt(const char *what, Kernel kernel, dim3 grid, dim3 block, size_t shared, int *data) {
  void *arguments[] = {&data};
  cudaError_t error = cudaLaunchKernel(reinterpret_cast<const void *>(kernel), grid, block, arguments, shared, nullptr);
  std::printf("%s ", error == cudaPeekAtLastError() ? "returned," : "NOT RETURNED,");
  show(what);
}

void blocks(int *data) {
  attempt("1024 threads", mark, 1, 1024, 0, data);
  attempt("1025 threads", mark, 1, 1025, 0, data);
  attempt("1025 threads in y", mark, 1, dim3(1, 1025), 0, data);
  attempt("64 threads in z", mark, 1, dim3(1, 1, 64), 0, data);
  attempt("65 threads in z", mark, 1, dim3(1, 1, 65), 0, data);
  attempt("33 x 32 threads", mark, 1, dim3(33, 32), 0, data);
  attempt("1024 x 1024 x 64 threads", mark, 1, dim3(1024, 1024, 64), 0, data);
  attempt("128 threads of 128", bounded, 1, 128, 0, data);
  attempt("129 threads of 128", bounded, 1, 129, 0, data);
  attempt("no thread in x", mark, 1, dim3(0, 1, 1), 0, data);
  attempt("no thread in z", mark, 1, dim3(1, 1, 0), 0, data);
}

void grids(int *data) {
  attempt("no block in x", mark, dim3(0, 1, 1), 1, 0, data);
  attempt("no block in y", mark, dim3(1, 0, 1), 1, 0, data);
  attempt("65535 blocks in y", bounded, dim3(1, 65535), 1, 0, data);
  attempt("65536 blocks in y", bounded, dim3(1, 65536), 1, 0, data);
  attempt("65536 blocks in z", bounded, dim3(1, 1, 65536), 1, 0, data);
  attempt("65536 blocks in x", bounded, 65536, 1, 0, data);
  attempt("2^31 blocks in x", mark, dim3(1U << 31), 1, 0, data);
}

void shared_memory(int *data) {
  attempt("48 KiB shared", use_shared, 1, 1, 49152, data);
  attempt("48 KiB and a byte", use_shared, 1, 1, 49153, data);
  attempt("16 MiB shared", use_shared, 1, 1, 16 << 20, data);
  attempt("48 KiB of static shared", static_shared, 1, 1, 0, data);
  attempt("and a byte more", static_shared, 1, 1, 1, data);
  std::printf("attribute: %s\n",
              cudaGetErrorName(cudaFuncSetAttribute(use_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20)));
  cudaGetLastError();
  // Raised by the attribute, 64 KiB are allowed.
  CHECK(cudaFuncSetAttribute(use_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
  attempt("64 KiB shared", use_shared, 1, 1, 64 << 10, data);
  attempt("64 KiB and a byte", use_shared, 1, 1, (64 << 10) + 1, data);
}

void cooperative(int *data) {
  void *arguments[] = {&data};
  const auto launch = [&](const char *what, dim3 grid, dim3 block, size_t shared) {
    cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(mark), grid, block, arguments, shared, nullptr);
    show(what);
  };
  launch("cooperative, 1025 threads", 1, 1025, 0);
  launch("cooperative, no block", dim3(0), 32, 0);
  launch("cooperative, 2^31 blocks", dim3(1U << 31), 32, 0);
  launch("cooperative, 48 KiB and a byte", 1, 32, 49153);
  launch("cooperative", 2, 1, 0);
}

void configured(int *data) {
  void *arguments[] = {&data};
  cudaLaunchConfig_t config = {};
  config.gridDim = config.blockDim = dim3(1);
  cudaLaunchAttribute attribute = {};
  config.numAttrs = 1;
  cudaLaunchKernelExC(&config, reinterpret_cast<const void *>(mark), arguments);
  show("an attribute at no address");
  config.attrs = &attribute;
  for (int id : {0, 8, 77}) {
    attribute.id = static_cast<cudaLaunchAttributeID>(id);
    cudaLaunchKernelExC(&config, reinterpret_cast<const void *>(mark), arguments);
    std::printf("attribute %d ", id);
    show("");
  }
}

void occupancy() {
  int found = -1;
  size_t bytes = 0;
  for (int threads : {1024, 1025, 0, -1}) {
    cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found, mark, threads, 0);
    std::printf("%d threads: %d %s\n", threads, found, cudaGetErrorName(error));
  }
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found, mark, 32, 49153));
  std::printf("more shared memory than allowed: %d\n", found);
  CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, mark, 1, 32));
  std::printf("available: %zu\n", bytes);
  cudaGetLastError();
}

int main() {
  int *data = device_zeros<int>(1), *other = device_zeros<int>(1);
  mark<<<1, 2048>>>(data);
  show("<<<1, 2048>>>");
  mark<<<0, 32>>>(data);
  show("<<<0, 32>>>");
  mark<<<1, 0>>>(data);
  show("<<<1, 0>>>");
  blocks(other);
  grids(other);
  shared_memory(other);
  cooperative(other);
  configured(other);
  occupancy();
  report("untouched", 0, download(data, 1)[0]);
  use_shared<<<1, 1, 4096>>>(data);
  report("usable", 5, download(data, 1)[0]);
  finish();
  return 0;
}
