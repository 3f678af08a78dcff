// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
typedef int (*Function)(int);
__device__ int total = 10;
__device__ Function chosen;
static __device__ int calls = 100;

__device__ int in_other_file(int x) { return x + atomicAdd(&calls, 0); }

__global__ void other(int *out) { out[threadIdx.x] = in_other_file(threadIdx.x); }
