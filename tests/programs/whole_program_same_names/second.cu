// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
static __device__ int helper(int x) { return x * 50; }
__device__ int state = 20;
__constant__ int constant = -3;

static __global__ void run(int *output) { output[threadIdx.x] = helper(threadIdx.x) + state + constant; }

void run_second(int *output, int n) { run<<<1, n>>>(output); }
