#include <cstdio>

__global__ void some(int *p) {
  if (threadIdx.x < 16) __syncthreads();
  p[threadIdx.x] = __shfl_sync(0xffffffff, threadIdx.x, 31);
}

int main() {
  int *p;
  cudaMallocManaged(&p, 32 * sizeof(int));
  some<<<1, 32>>>(p);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s, p[0] = %d\n", cudaGetErrorString(error), p[0]);
}
