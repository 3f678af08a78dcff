// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
template <typename T>
__device__ T mean(T a, T b, T c) {
  return (a + b + c) / T(3);
}
#pragma warploom width(16) jam(2)
template <typename T>
__global__ void blur(T *pixels, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i + 1 < n) pixels[i] = mean(pixels[i - 1], pixels[i], pixels[i + 1]);
}

int main() {
  blur<float><<<1, dim3(64, 32)>>>(nullptr, 0);
  return cudaGetLastError() == cudaErrorInvalidValue ? 0 : 1;
}
