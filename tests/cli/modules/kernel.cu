// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a module may hold: a device, a constant and a managed variable, shared memory and a barrier. The static ones,
// too, are the loader's to set.
static __device__ int added = 5;
static __constant__ int scale[2];
__managed__ int seen = 7;

extern "C" __global__ void reverse(const int *in, int *out, int n) {
  __shared__ int block[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  block[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  if (i < n) out[i] = block[blockDim.x - 1 - threadIdx.x] * scale[0] + scale[1] + added;
  if (i == 0) seen += 1;
}
