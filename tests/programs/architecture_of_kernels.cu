// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Launches / what a kernel was compiled for, as its attributes say
// arch: sm_90
// CUB chooses among what it was compiled for by cudaFuncAttributes::ptxVersion; a file that has it needs that number to
// be of its list of architectures.
#include <cstdio>

#include "check.h"

__global__ void empty() {}
__global__ void tell(int *arch) {
#ifdef __CUDA_ARCH__
  *arch = __CUDA_ARCH__;
#endif
}

template <int... listed>
bool is_listed(int version) {
  return ((version * 10 == listed) || ...);
}

int main() {
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, empty));
  int *arch;
  CHECK(cudaMallocManaged(&arch, sizeof *arch));
  tell<<<1, 1>>>(arch);
  CHECK(cudaDeviceSynchronize());
  std::printf("PTX %d, code %d, __CUDA_ARCH__ %d, listed: %d\n", attributes.ptxVersion, attributes.binaryVersion, *arch,
              is_listed<__CUDA_ARCH_LIST__>(attributes.ptxVersion));
}
