// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cubemaps, layers of them, mipmapped arrays with explicit levels and derivatives, surfaces of every shape.
// feature: Textures and surfaces / cubemaps and layers of cubemaps
// feature: Textures and surfaces / mipmapped arrays: levels and derivatives
// feature: Textures and surfaces / surfaces
// feature: Textures and surfaces / boundary modes of surfaces
#include "check.h"

constexpr int kSide = 4, kCubes = 3;

// The direction of a texel's centre: the inverse of the programming guide's table of faces.
__host__ __device__ float3 direction(int face, int x, int y, float length) {
  const float s = ((x + 0.5f) / kSide * 2 - 1) * length, t = ((y + 0.5f) / kSide * 2 - 1) * length;
  switch (face) {
    case 0:
      return {length, -t, -s};
    case 1:
      return {-length, -t, s};
    case 2:
      return {s, length, t};
    case 3:
      return {s, -length, -t};
    case 4:
      return {s, -t, length};
    default:
      return {-s, -t, -length};
  }
}

// One thread a texel; negated, so that a write to a wrong place shows.
__global__ void read_cube(cudaTextureObject_t texture, bool layered, int *output, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int slice = i / (kSide * kSide);
  const float3 d = direction(slice % 6, i % kSide, i / kSide % kSide, i % 3 + 0.5f);
  output[i] =
      layered ? texCubemapLayered<int>(texture, d.x, d.y, d.z, slice / 6) : texCubemap<int>(texture, d.x, d.y, d.z);
}

__global__ void write_cube(cudaSurfaceObject_t surface, bool layered, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int x = i % kSide * 4, y = i / kSide % kSide, slice = i / (kSide * kSide);
  if (layered) {
    surfCubemapLayeredwrite(surfCubemapLayeredread<int>(surface, x, y, slice) + 7 * i, surface, x, y, slice);
  } else {
    int value;
    surfCubemapread(&value, surface, x, y, slice);
    surfCubemapwrite(value + 7 * i, surface, x, y, slice);
  }
}

void check_cube(bool layered) {
  const int slices = layered ? 6 * kCubes : 6, count = kSide * kSide * slices;
  std::vector<int> texels(count);
  for (int i = 0; i < count; ++i) texels[i] = 1000 - i;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array = nullptr;
  CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(kSide, kSide, slices),
                          cudaArrayCubemap | cudaArraySurfaceLoadStore | (layered ? cudaArrayLayered : 0)));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(texels.data(), kSide * sizeof(int), kSide, kSide);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(kSide, kSide, slices);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  write_cube<<<(count + 63) / 64, 64>>>(surface, layered, count);
  finish();
  cudaTextureDesc description = {};
  description.normalizedCoords = 1;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  int *output = device_zeros<int>(count);
  read_cube<<<(count + 49) / 50, 50>>>(texture, layered, output, count);
  for (int i = 0; i < count; ++i) texels[i] += 7 * i;
  compare(layered ? "layers of cubes" : "cube", texels, download(output, count));
}

// Every level holds its own number everywhere, so that a sample tells where it came from.
cudaMipmappedArray_t make_levels(int width, int height, int levels) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t mipmapped = nullptr;
  CHECK(cudaMallocMipmappedArray(&mipmapped, &format, make_cudaExtent(width, height, 0), levels));
  for (int level = 0; level < levels; ++level) {
    cudaArray_t array = nullptr;
    CHECK(cudaGetMipmappedArrayLevel(&array, mipmapped, level));
    cudaExtent extent;
    CHECK(cudaArrayGetInfo(nullptr, &extent, nullptr, array));
    const std::vector<float> texels(extent.width * extent.height, 10.0f * level);
    CHECK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), extent.width * 4, extent.width * 4, extent.height,
                              cudaMemcpyHostToDevice));
  }
  return mipmapped;
}

__global__ void read_levels(cudaTextureObject_t texture, float *output) {
  const int i = threadIdx.x;
  output[i] = tex2DLod<float>(texture, 0.3f, 0.7f, i * 0.25f - 1);
  // A step of 2^k texels of level 0 in x, half of it in y.
  const float step = static_cast<float>(1 << i % 6);
  output[32 + i] = tex2DGrad<float>(texture, 0.3f, 0.7f, make_float2(step / 32, 0), make_float2(0, step / 2 / 16));
}

void check_levels(cudaTextureFilterMode filter, float bias, float least, float most) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = make_levels(32, 16, 6);
  cudaTextureDesc description = {};
  description.normalizedCoords = 1;
  description.mipmapFilterMode = filter;
  description.mipmapLevelBias = bias;
  description.minMipmapLevelClamp = least;
  description.maxMipmapLevelClamp = most;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  float *output = device_zeros<float>(64);
  read_levels<<<1, 32>>>(texture, output);
  const bool linear = filter == cudaFilterModeLinear;
  std::vector<float> want(64), got = download(output, 64);
  const auto level = [&](float asked) {
    const float clamped = std::min(std::max(asked + bias, least), std::min(most, 5.0f));
    return std::max(clamped, 0.0f);
  };
  int wrong = 0;
  for (int i = 0; i < 64; ++i) {
    const float at = i < 32 ? level(i * 0.25f - 1) : level(i % 32 % 6);
    const bool between = at != std::floor(at);
    if (linear) wrong += got[i] != 10 * at;
    if (!linear && !between) wrong += got[i] != 10 * at;
    if (!linear && between) wrong += got[i] != 10 * std::floor(at) && got[i] != 10 * std::ceil(at);
  }
  std::printf("levels %s bias %.2f in [%.2f, %.2f]: %d wrong\n", linear ? "linear" : "nearest", bias, least, most,
              wrong);
}

__global__ void edges(cudaSurfaceObject_t surface, int *output) {
  const int x = static_cast<int>(threadIdx.x) - 4;  // an array of 8 shorts in each of 3 rows
  output[threadIdx.x] = surf2Dread<short>(surface, 2 * x, 1, cudaBoundaryModeZero);
  output[16 + threadIdx.x] = surf2Dread<short>(surface, 2 * x, x, cudaBoundaryModeClamp);
  __syncthreads();
  surf2Dwrite(static_cast<short>(500 + x), surface, 2 * x, 2, cudaBoundaryModeZero);
}

void check_edges() {
  std::vector<short> texels(24);
  for (int i = 0; i < 24; ++i) texels[i] = static_cast<short>(i + 1);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<short>();
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  CHECK(cudaMallocArray(&resource.res.array.array, &format, 8, 3, cudaArraySurfaceLoadStore));
  CHECK(cudaMemcpy2DToArray(resource.res.array.array, 0, 0, texels.data(), 16, 16, 3, cudaMemcpyHostToDevice));
  cudaSurfaceObject_t surface = 0;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  int *output = device_zeros<int>(32);
  edges<<<1, 16>>>(surface, output);
  std::vector<int> want(32);
  for (int i = 0; i < 16; ++i) {
    const int x = i - 4, column = std::min(std::max(x, 0), 7), row = std::min(std::max(x, 0), 2);
    want[i] = x >= 0 && x < 8 ? texels[8 + x] : 0;
    want[16 + i] = texels[8 * row + column];
    if (x >= 0 && x < 8) texels[16 + x] = static_cast<short>(500 + x);
  }
  for (int i = 0; i < 16; ++i)  // rows 2 and on were read before they were written
    if (i - 4 >= 2) want[16 + i] = 16 + std::min(i - 4, 7) + 1;
  compare("edges of a surface", want, download(output, 32));
  std::vector<short> written(24);
  CHECK(cudaMemcpy2DFromArray(written.data(), 16, resource.res.array.array, 0, 0, 16, 3, cudaMemcpyDeviceToHost));
  compare("writes at the edges", texels, written);
}

int main() {
  check_cube(false);
  check_cube(true);
  check_levels(cudaFilterModeLinear, 0, 0, 5);
  check_levels(cudaFilterModePoint, 0, 0, 5);
  check_levels(cudaFilterModeLinear, 0.5f, 0.25f, 2.75f);
  check_levels(cudaFilterModePoint, -1, 0, 0);
  check_edges();
  return 0;
}
