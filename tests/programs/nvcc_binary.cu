// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Devices and errors / a library with GPU code of nvcc, loaded by mistake [refused]
// unrecorded: what Warploom says of GPU code, in place of running it
// A library that nvcc compiled was loaded by mistake: its registration names it, and its kernels fail to launch.
// report: nvcc_binary\S* was compiled by nvcc: its kernels are for a GPU and cannot run here; build it with warpcc
#include <cstdint>
#include <cstdio>

extern "C" void **__cudaRegisterFatBinary(void *);
extern "C" cudaError_t __cudaGetKernel(cudaKernel_t *, const void *);
extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t);
extern "C" void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *,
                                       int *);

static const std::uint32_t kCode[] = {0xBA55ED50, 0x00100001, 0, 0};
static struct {
  std::int32_t magic, version;
  const void *data;
  void *file;
} wrapper = {0x466243b1, 1, kCode, nullptr};

static void stub(int *) {}

__global__ void own(int *p) { *p = 1; }

int main() {
  int *p;
  cudaMallocManaged(&p, sizeof *p);
  *p = 0;
  __cudaRegisterFatBinary(&wrapper);  // a library has one for each of its files
  void **handle = __cudaRegisterFatBinary(&wrapper);
  char name[] = "_Z7foreignPi";
  __cudaRegisterFunction(handle, reinterpret_cast<const char *>(&stub), name, name, -1, nullptr, nullptr, nullptr,
                         nullptr, nullptr);
  void *arguments[] = {&p};
  const cudaError_t error = cudaLaunchKernel(reinterpret_cast<const void *>(&stub), 1, 1, arguments, 0, nullptr);
  printf("%s\n", cudaGetErrorName(error));
  (void)cudaGetLastError();

  cudaKernel_t kernel = nullptr;  // as nvcc of CUDA 13 launches
  if (__cudaGetKernel(&kernel, reinterpret_cast<const void *>(&stub)) == cudaSuccess) return 1;
  if (__cudaLaunchKernel(kernel, 1, 1, arguments, 0, nullptr) == cudaSuccess) return 2;
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  if (__cudaGetKernel(&kernel, reinterpret_cast<const void *>(&own)) != cudaSuccess) return 3;
  if (__cudaLaunchKernel(kernel, 1, 1, arguments, 0, nullptr) != cudaSuccess) return 4;
  cudaDeviceSynchronize();
  printf("%d\n", *p);
  *p = 0;
  own<<<1, 1>>>(p);
  printf("%s %d\n", cudaGetErrorName(cudaDeviceSynchronize()), *p);
  return 0;
}
