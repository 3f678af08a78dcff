// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__global__ void spin(volatile int *flag) {
  if (blockIdx.x < 5) return;
  while (*flag == 0) {
  }
}

int main() {
  int *flag;
  cudaMallocManaged(&flag, sizeof(int));
  spin<<<64, 256>>>(flag);
  cudaDeviceSynchronize();
}
