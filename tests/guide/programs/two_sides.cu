#include <cstdio>
__global__ void sides(int *p) {
  if (p[threadIdx.x] > 0) {
    __syncthreads();
    p[threadIdx.x] = 1;
  } else {
    __syncthreads();
    p[threadIdx.x] = 2;
  }
}

int main() {
  int *p;
  cudaMallocManaged(&p, 32 * sizeof(int));
  sides<<<1, 32>>>(p);
  cudaDeviceSynchronize();
  std::printf("%d\n", p[0]);
}
