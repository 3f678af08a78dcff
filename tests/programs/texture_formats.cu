// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channel formats, normalised reads, sRGB, gathers, linear and pitched memory.
// feature: Textures and surfaces / channel formats
// feature: Textures and surfaces / normalised reads
// feature: Textures and surfaces / sRGB
// feature: Textures and surfaces / tex1Dfetch from linear memory
// feature: Textures and surfaces / pitched memory
// feature: Textures and surfaces / tex2Dgather
#include <cuda_fp16.h>

#include "check.h"

template <class T>
__global__ void fetch_line(cudaTextureObject_t texture, T *output, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) output[i] = tex1Dfetch<T>(texture, i - 2);
}

template <class T>
__global__ void fetch_plane(cudaTextureObject_t texture, T *output, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < width && y < height) output[y * width + x] = tex2D<T>(texture, x + 0.5f, y + 0.25f);
}

template <class T>
__global__ void gather(cudaTextureObject_t texture, T *output) {
  for (int channel = 0; channel < 4; ++channel) output[channel] = tex2Dgather<T>(texture, 1.0f, 2.0f, channel);
}

template <class Texel>
cudaTextureObject_t linear_texture(const std::vector<Texel> &texels, cudaTextureReadMode read, bool srgb = false) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {upload(texels), cudaCreateChannelDesc<Texel>(), texels.size() * sizeof(Texel)};
  cudaTextureDesc description = {};
  description.readMode = read;
  description.sRGB = srgb;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  return texture;
}

// Two texels before the first and two after the last are zero.
template <class Texel, class Read, class Convert>
void check_line(const char *what, const std::vector<Texel> &texels, cudaTextureReadMode read, Convert convert,
                bool srgb = false) {
  const int count = static_cast<int>(texels.size()) + 4;
  Read *output = device_zeros<Read>(count);
  const cudaTextureObject_t texture = linear_texture(texels, read, srgb);
  fetch_line<Read><<<2, 133>>>(texture, output, count);
  std::vector<Read> want(count, Read{});
  for (std::size_t i = 0; i < texels.size(); ++i) want[i + 2] = convert(texels[i]);
  compare(what, want, download(output, count));
}

template <class Texel>
std::vector<Texel> all_bytes() {
  std::vector<Texel> texels(256 / sizeof(Texel));
  std::vector<unsigned char> bytes(256);
  for (int i = 0; i < 256; ++i) bytes[i] = static_cast<unsigned char>(i * 167 + 13);
  std::memcpy(texels.data(), bytes.data(), 256);
  return texels;
}

template <class Texel>
void check_same(const char *what) {
  check_line<Texel, Texel>(what, all_bytes<Texel>(), cudaReadModeElementType, [](const Texel &texel) { return texel; });
}

void check_element_reads() {
  check_same<char>("char");
  check_same<uchar2>("uchar2");
  check_same<char4>("char4");
  check_same<short>("short");
  check_same<ushort2>("ushort2");
  check_same<short4>("short4");
  check_same<int>("int");
  check_same<uint2>("uint2");
  check_same<int4>("int4");
}

float unit(int value, float largest) { return std::max(value / largest, -1.0f); }

void check_normalized_reads() {
  const auto mode = cudaReadModeNormalizedFloat;
  check_line<unsigned char, float>("uchar as float", all_bytes<unsigned char>(), mode,
                                   [](unsigned char v) { return unit(v, 255); });
  check_line<char2, float2>("char2 as float2", all_bytes<char2>(), mode,
                            [](char2 v) { return make_float2(unit(v.x, 127), unit(v.y, 127)); });
  check_line<ushort4, float4>("ushort4 as float4", all_bytes<ushort4>(), mode, [](ushort4 v) {
    return make_float4(unit(v.x, 65535), unit(v.y, 65535), unit(v.z, 65535), unit(v.w, 65535));
  });
  check_line<short, float>("short as float", all_bytes<short>(), mode, [](short v) { return unit(v, 32767); });
}

void check_half() {
  std::vector<unsigned short> bits;
  for (int i = 0; i < 512; ++i) bits.push_back(static_cast<unsigned short>(i * 61 % 0x7c00 | (i & 1) << 15));
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDescHalf2();
  CHECK(cudaMallocArray(&array, &format, 16, 16));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, bits.data(), 64, 64, 16, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  float2 *output = device_zeros<float2>(256);
  fetch_plane<float2><<<dim3(2, 16), 11>>>(texture, output, 16, 16);
  std::vector<float2> want;
  for (int i = 0; i < 256; ++i) {
    __half_raw first, second;
    first.x = bits[2 * i], second.x = bits[2 * i + 1];
    want.push_back(make_float2(__half2float(__half(first)), __half2float(__half(second))));
  }
  compare("half2 array", want, download(output, 256));
}

void check_srgb() {
  std::vector<uchar4> texels = all_bytes<uchar4>();
  const int count = static_cast<int>(texels.size());
  float4 *output = device_zeros<float4>(count + 4);
  const cudaTextureObject_t texture = linear_texture(texels, cudaReadModeNormalizedFloat, true);
  fetch_line<float4><<<1, 96>>>(texture, output, count + 4);
  const std::vector<float4> got = download(output, count + 4);
  const auto linear = [](int value) {
    const double s = value / 255.0;
    return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
  };
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    const float4 &read = got[i + 2];
    const auto far = [&](float value, int byte) {  // 8 significant bits, of multiples of 2^-14
      return std::fabs(value - linear(byte)) > linear(byte) / 128 + 0x1p-14;
    };
    wrong += far(read.x, texels[i].x) || far(read.z, texels[i].z) || read.w != texels[i].w / 255.0f;  // alpha is linear
  }
  std::printf("sRGB: %d wrong\n", wrong);
}

void check_pitched() {
  constexpr int kWidth = 37, kHeight = 6;
  std::vector<uchar4> texels(kWidth * kHeight);
  for (int i = 0; i < kWidth * kHeight; ++i) texels[i] = make_uchar4(i, i / 2, 255 - i, 3 * i);
  void *memory = nullptr;
  std::size_t pitch = 0;
  CHECK(cudaMallocPitch(&memory, &pitch, kWidth * 4, kHeight));
  CHECK(cudaMemcpy2D(memory, pitch, texels.data(), kWidth * 4, kWidth * 4, kHeight, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {memory, cudaCreateChannelDesc<uchar4>(), kWidth, kHeight, pitch};
  cudaTextureDesc description = {};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  uchar4 *output = device_zeros<uchar4>(kWidth * kHeight);
  fetch_plane<uchar4><<<dim3(2, kHeight), 20>>>(texture, output, kWidth, kHeight);
  compare("pitched memory", texels, download(output, kWidth * kHeight));
}

void check_gather() {
  std::vector<int4> texels;
  for (int i = 0; i < 16; ++i) texels.push_back(make_int4(i, 100 + i, 200 + i, 300 + i));
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int4>();
  CHECK(cudaMallocArray(&array, &format, 4, 4, cudaArrayTextureGather));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), 64, 64, 4, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  int4 *output = device_zeros<int4>(4);
  gather<int4><<<1, 1>>>(texture, output);
  for (const int4 &each : download(output, 4)) std::printf("gather %d %d %d %d\n", each.x, each.y, each.z, each.w);
}

int main() {
  check_element_reads();
  check_normalized_reads();
  check_half();
  check_srgb();
  check_pitched();
  check_gather();
  return 0;
}
