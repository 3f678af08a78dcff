// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / architecture macros
// The macros that code tests: __CUDA_ARCH__ on the device only, __CUDACC__ on both sides, versions, NVCC's name.
// arch: sm_86
#include "check.h"

__host__ __device__ int arch() {
#ifdef __CUDA_ARCH__
  return __CUDA_ARCH__;
#else
  return -1;
#endif
}

__global__ void ask(int *output) {
  output[0] = arch();
#if defined(__CUDACC__) && defined(__NVCC__)
  output[1] = __CUDACC_VER_MAJOR__;
#endif
}

int main() {
  int *output = device_zeros<int>(2);
  ask<<<1, 1>>>(output);
  report("device", 860, download(output, 2)[0]);
  report("host", -1, arch());
  report("major", 13, download(output, 2)[1]);
#if defined(__CUDACC__) && defined(__NVCC__) && __CUDACC_VER_MAJOR__ == 13 && !defined(__CUDA_ARCH__)
  std::printf("host pass ok\n");
#endif
  std::printf("%d\n", CUDART_VERSION / 1000);
  return 0;
}
