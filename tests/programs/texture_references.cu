// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texture and surface references, which CUDA 12 removed: every shape, bound to linear memory, pitched memory and
// arrays.
// feature: Textures and surfaces / texture references
// feature: Textures and surfaces / surface references
// unrecorded: CUDA 12 removed texture and surface references
#include "check.h"

texture<int, cudaTextureType1D, cudaReadModeElementType> line;
texture<unsigned char, cudaTextureType2D, cudaReadModeNormalizedFloat> plane;
texture<float, cudaTextureType2D> filtered(1, cudaFilterModeLinear, cudaAddressModeWrap);
texture<float4, cudaTextureType3D> volume;
texture<short2, cudaTextureType2DLayered> layers;
texture<int, cudaTextureTypeCubemap> cube;
surface<void, cudaSurfaceType2D> drawing;
surface<void, cudaSurfaceType3D> block;

__global__ void read_all(float *output) {
  const int i = threadIdx.x;
  output[i] = tex1Dfetch(line, i);
  output[32 + i] = tex2D(plane, i % 8 + 0.5f, i / 8 + 0.5f) * 255;
  output[64 + i] = tex2D(filtered, i / 4.0f, 0.5f);
  output[96 + i] = tex3D(volume, i % 2, i / 2 % 2, i / 4 % 2).y;
  output[128 + i] = tex2DLayered(layers, i % 4, i / 4 % 2, i / 8).y;
  output[160 + i] = texCubemap(cube, i == 0 ? 1 : 0, i == 1 ? -1 : 0, i > 1 ? 1 : 0);
  output[192 + i] = tex2Dgather(plane, 1, 1, 0).z * 255;
}

__global__ void draw() {
  const int x = threadIdx.x, y = threadIdx.y;
  surf2Dwrite(10 * y + x, drawing, x * 4, y);
  surf3Dwrite(make_float2(x, y), block, x * 8, y, blockIdx.x);
}

__global__ void redraw() {
  const int x = threadIdx.x, y = threadIdx.y;
  int value;
  surf2Dread(&value, drawing, x * 4, y);
  const float2 other = surf3Dread<float2>(block, x * 8, y, 1);
  surf2Dwrite(value + 1000 * static_cast<int>(other.y), drawing, x * 4, y);
}

template <class T>
cudaArray_t make_array(const std::vector<T> &texels, cudaExtent extent, unsigned flags) {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  CHECK(cudaMalloc3DArray(&array, &format, extent, flags));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr =
      make_cudaPitchedPtr(const_cast<T *>(texels.data()), extent.width * sizeof(T), extent.width, extent.height);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(extent.width, extent.height, std::max<std::size_t>(extent.depth, 1));
  copy.kind = cudaMemcpyHostToDevice;
  if (!texels.empty()) CHECK(cudaMemcpy3D(&copy));
  return array;
}

void check_textures() {
  std::vector<int> numbers(32);
  std::vector<unsigned char> bytes(32);
  std::vector<float4> volumes(8);
  std::vector<short2> pairs(32);
  std::vector<int> faces(6);
  std::vector<float> want(7 * 32);
  for (int i = 0; i < 32; ++i) {
    numbers[i] = want[i] = 3 * i - 40;
    want[32 + i] = bytes[i] = static_cast<unsigned char>(8 * i);
    pairs[i] = make_short2(i, -i);
    want[128 + i] = -i;
  }
  for (int i = 0; i < 8; ++i) volumes[i] = make_float4(0, i * 1.5f, 0, 0);
  for (int i = 0; i < 6; ++i) faces[i] = i * i;
  const float blend[4] = {2, 0, 2, 4};  // between texels 0 and 4, at quarters of the width of two
  for (int i = 0; i < 32; ++i) {
    want[64 + i] = blend[i % 4];
    want[96 + i] = i % 8 * 1.5f;
    want[160 + i] = i == 0 ? 0 : i == 1 ? 9 : 16;
    want[192 + i] = bytes[1];
  }
  CHECK(cudaBindTexture(nullptr, line, upload(numbers), 32 * sizeof(int)));
  void *rows = nullptr;
  std::size_t pitch = 0;
  CHECK(cudaMallocPitch(&rows, &pitch, 8, 4));
  CHECK(cudaMemcpy2D(rows, pitch, bytes.data(), 8, 8, 4, cudaMemcpyHostToDevice));
  CHECK(cudaBindTexture2D(nullptr, plane, rows, plane.channelDesc, 8, 4, pitch));
  CHECK(cudaBindTextureToArray(filtered, make_array(std::vector<float>{0, 4}, make_cudaExtent(2, 1, 0), 0)));
  CHECK(cudaBindTextureToArray(volume, make_array(volumes, make_cudaExtent(2, 2, 2), 0)));
  CHECK(cudaBindTextureToArray(layers, make_array(pairs, make_cudaExtent(4, 2, 4), cudaArrayLayered)));
  CHECK(cudaBindTextureToArray(cube, make_array(faces, make_cudaExtent(1, 1, 6), cudaArrayCubemap)));
  float *output = device_zeros<float>(7 * 32);
  read_all<<<1, 32>>>(output);
  const std::vector<float> got = download(output, 7 * 32);
  const char *names[] = {"1D", "2D", "filtered", "3D", "layered", "cube", "gather"};
  for (int part = 0; part < 7; ++part)
    compare(names[part], std::vector<float>(&want[32 * part], &want[32 * part] + 32),
            std::vector<float>(&got[32 * part], &got[32 * part] + 32));
}

void check_surfaces() {
  const cudaArray_t sheet = make_array(std::vector<int>{}, make_cudaExtent(5, 3, 0), cudaArraySurfaceLoadStore);
  CHECK(cudaBindSurfaceToArray(drawing, sheet));
  CHECK(cudaBindSurfaceToArray(block,
                               make_array(std::vector<float2>{}, make_cudaExtent(5, 3, 2), cudaArraySurfaceLoadStore)));
  draw<<<2, dim3(5, 3)>>>();
  redraw<<<1, dim3(5, 3)>>>();
  finish();
  std::vector<int> want, got(15);
  for (int i = 0; i < 15; ++i) want.push_back(10 * (i / 5) + i % 5 + 1000 * (i / 5));
  CHECK(cudaMemcpy2DFromArray(got.data(), 20, sheet, 0, 0, 20, 3, cudaMemcpyDeviceToHost));
  compare("surfaces", want, got);
}

int main() {
  check_textures();
  check_surfaces();
  return 0;
}
