// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The weight of every texel when linear filtering blends four of each of two levels, bit by bit as an H200 has them.
// feature: Textures and surfaces / linear filtering between levels
#include "check.h"

constexpr int kSamples = 3000;

__global__ void sample(cudaTextureObject_t texture, const float3 *at, float4 *output) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kSamples) output[i] = tex2DLod<float4>(texture, at[i].x, at[i].y, at[i].z);
}

// Texels of one level are 1 in a channel that says where they lie, those of the other level 0.
static cudaTextureObject_t make_texture(int marked) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
  cudaMipmappedArray_t levels;
  CHECK(cudaMallocMipmappedArray(&levels, &format, make_cudaExtent(4, 4, 0), 2));
  for (int level = 0; level < 2; ++level) {
    const int size = 4 >> level;
    std::vector<float4> texels(size * size);
    for (int i = 0; i < size * size; ++i) {
      const int place = level == marked ? i / size % 2 * 2 + i % 2 : -1;
      texels[i] = make_float4(place == 0, place == 1, place == 2, place == 3);
    }
    cudaArray_t array;
    CHECK(cudaGetMipmappedArrayLevel(&array, levels, level));
    const std::size_t bytes = size * sizeof(float4);
    CHECK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), bytes, bytes, size, cudaMemcpyHostToDevice));
  }
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = levels;
  cudaTextureDesc description = {};
  description.filterMode = description.mipmapFilterMode = cudaFilterModeLinear;
  description.normalizedCoords = 1;
  description.maxMipmapLevelClamp = 1;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  return texture;
}

int main() {
  Lcg lcg{5};
  std::vector<float3> at(kSamples);
  for (float3 &each : at) {
    const float x = lcg.below(1024) / 1024.f, y = lcg.below(1024) / 1024.f;
    each = make_float3(x, y, lcg.below(257) / 256.f);
  }
  float4 *output = device_zeros<float4>(kSamples);
  for (int level = 0; level < 2; ++level) {
    sample<<<(kSamples + 127) / 128, 128>>>(make_texture(level), upload(at), output);
    std::printf("level %d: %08x\n", level, checksum(download(output, kSamples)));
  }
  return 0;
}
