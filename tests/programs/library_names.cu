// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Device libraries / names of the host libraries resolve
// Programs that name CUDA's libraries link, and find functions of each of them.
// flags: -lcudart -lcuda -lcublas -lcublasLt -lcufft -lcurand -lcusparse -lcusolver -lnvrtc -lcudadevrt
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cufftXt.h>
#include <cusolverDn.h>
#include <cusparse.h>
#include <nvrtc.h>
#include <nvtx3/nvToolsExt.h>

#include "check.h"

// What programs ask for to know what is declared.
#if !defined(CUBLAS_API_H_) || !defined(_CUFFT_H_) || !defined(CUSPARSEAPI) || !defined(CUSOLVER_COMMON_H_)
#error "a header's own name is missing"
#endif
// Names of the kind that CUDA's headers reserve, which are free there.
__device__ unsigned long long __globaltimer() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  return time;
}
__global__ void time_passes(bool *passes) {
  const unsigned long long before = __globaltimer();
  *passes = __globaltimer() >= before;
}

int main() {
  std::printf("%s\n", cublasGetStatusName(CUBLAS_STATUS_NOT_SUPPORTED));
  cufftHandle plan = 0;
  std::printf("cufftPlan1d: %d\n", cufftPlan1d(&plan, 8, CUFFT_C2C, 1));
  std::printf("cufftXtSetGPUs: %d\n", cufftXtSetGPUs != nullptr);
  std::printf("cufftDestroy: %d\n", cufftDestroy(plan));
  cusparseHandle_t sparse = nullptr;
  cusparseMatDescr_t description = nullptr;
  int total = 0, *const rows = device_zeros<int>(2);
  float *const matrix = upload(std::vector<float>{1, 2, 0, 3});  // by columns
  std::printf("cusparseCreate: %d\n", cusparseCreate(&sparse));
  std::printf("cusparseCreateMatDescr: %d\n", cusparseCreateMatDescr(&description));
  std::printf("cusparseSnnz: %d\n",
              cusparseSnnz(sparse, CUSPARSE_DIRECTION_ROW, 2, 2, description, matrix, 2, rows, &total));
  std::printf("%d in all, %d in the second row\n", total, download(rows, 2)[1]);
  std::printf("cusparseDestroy: %d\n", cusparseDestroy(sparse));
  cusolverDnHandle_t solver = nullptr;
  std::printf("cusolverDnCreate: %d\n", cusolverDnCreate(&solver));
  std::printf("cusolverDnDestroy: %d\n", cusolverDnDestroy(solver));
  int major = 0, minor = 0;
  std::printf("nvrtcVersion: %d\n", nvrtcVersion(&major, &minor) == NVRTC_SUCCESS);
  const int first = nvtxRangePush("outer"), second = nvtxRangePush("inner");
  const int inner = nvtxRangePop(), outer = nvtxRangePop();
  std::printf("ranges: %d %d\n", inner == second, outer == first);  // levels where a tool listens
  nvtxRangeEnd(nvtxRangeStart("apart"));
  bool *passes;
  CHECK(cudaMallocManaged(&passes, sizeof *passes));
  time_passes<<<1, 1>>>(passes);
  finish();
  std::printf("time: %d\n", *passes);
  return 0;
}
