// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Six small kernels that read textures, for measuring how long they take to compile (bench/compile_time.py).
#include <cstdio>

__global__ void line(cudaTextureObject_t texture, int n, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<float>(texture, i);
}

__global__ void turned(cudaTextureObject_t texture, int width, int height, float angle, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float u = x - width / 2.0f, v = y - height / 2.0f;
  float tu = u * cosf(angle) - v * sinf(angle), tv = v * cosf(angle) + u * sinf(angle);
  out[y * width + x] = tex2D<float>(texture, tu / width + 0.5f, tv / height + 0.5f);
}

__global__ void bytes(cudaTextureObject_t texture, int width, int height, uchar4 *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = tex2D<uchar4>(texture, x + 0.5f, y + 0.5f);
}

__global__ void blurred(cudaTextureObject_t texture, int width, int height, float4 *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float4 sum = make_float4(0, 0, 0, 0);
  for (int dy = -2; dy <= 2; ++dy) {
    for (int dx = -2; dx <= 2; ++dx) {
      float4 p = tex2D<float4>(texture, x + dx + 0.5f, y + dy + 0.5f);
      sum.x += p.x, sum.y += p.y, sum.z += p.z, sum.w += p.w;
    }
  }
  out[y * width + x] = make_float4(sum.x / 25, sum.y / 25, sum.z / 25, sum.w / 25);
}

__global__ void volume(cudaTextureObject_t texture, int width, int height, float depth, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = tex3D<float>(texture, x + 0.5f, y + 0.5f, depth);
}

__global__ void doubled(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float value;
  surf2Dread(&value, from, x * sizeof(float), y);
  surf2Dwrite(value * 2, to, (width - 1 - x) * sizeof(float), y);
}

int main() {
  const int side = 64;
  cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
  cudaArray_t array, other;
  cudaMallocArray(&array, &channel, side, side, cudaArraySurfaceLoadStore);
  cudaMallocArray(&other, &channel, side, side, cudaArraySurfaceLoadStore);
  float *out;
  cudaMallocManaged(&out, side * side * sizeof(float4));
  for (int k = 0; k < side * side; ++k) out[k] = k;
  cudaMemcpy2DToArray(array, 0, 0, out, side * sizeof(float), side * sizeof(float), side, cudaMemcpyDefault);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeWrap;
  description.filterMode = cudaFilterModeLinear;
  description.normalizedCoords = 1;
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  cudaSurfaceObject_t from, to;
  cudaCreateSurfaceObject(&from, &resource);
  resource.res.array.array = other;
  cudaCreateSurfaceObject(&to, &resource);
  dim3 block(16, 16), grid(side / 16, side / 16);
  turned<<<grid, block>>>(texture, side, side, 0.5f, out);
  doubled<<<grid, block>>>(from, to, side, side);
  cudaError_t status = cudaDeviceSynchronize();
  std::printf("%s, %g\n", cudaGetErrorString(status), out[100]);
  if (status == cudaSuccess) return 0;
  // What is not launched here is compiled all the same.
  line<<<16, 256>>>(texture, side * side, out);
  bytes<<<grid, block>>>(texture, side, side, reinterpret_cast<uchar4 *>(out));
  blurred<<<grid, block>>>(texture, side, side, reinterpret_cast<float4 *>(out));
  volume<<<grid, block>>>(texture, side, side, 1.5f, out);
  return 1;
}
