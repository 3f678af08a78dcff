// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__global__ void turn(int *values, int n) {
  __shared__ int tile[256];
  tile[threadIdx.x] = values[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  values[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x] + n;
}
