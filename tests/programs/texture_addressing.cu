// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samples of 1D, 2D, 3D and layered textures in every address mode, by points and by linear filtering, against the
// formulas of the CUDA programming guide. Coordinates are such that weights of 8 fractional bits are exact.
// feature: Textures and surfaces / 1D, 2D, 3D and layered textures
// feature: Textures and surfaces / address modes
// feature: Textures and surfaces / linear filtering
// feature: Textures and surfaces / normalised coordinates
#include "check.h"

enum Shape { kLine, kPlane, kVolume, kLines, kPlanes };

constexpr int kWidth = 5, kHeight = 7, kDepth = 3;
constexpr int kSamples = 400;

__host__ __device__ float coordinate(unsigned sample, int axis, int size, bool normalized) {
  Lcg lcg{sample * 3u + axis + 1u};
  lcg.next();
  // From -2 to 3 images, in sixteenths of a texel, or in 32nds of the image: sums of three weights stay exact.
  if (normalized) return (lcg.below(5 * 32) - 64) / 32.0f;
  return (lcg.below(5 * size * 16) - 2 * size * 16) / 16.0f;
}

__global__ void sample_all(cudaTextureObject_t texture, Shape shape, bool normalized, float4 *output) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kSamples) return;
  const float x = coordinate(i, 0, kWidth, normalized), y = coordinate(i, 1, kHeight, normalized);
  const float z = coordinate(i, 2, kDepth, normalized);
  const int layer = static_cast<int>(i % 5) - 1;
  switch (shape) {
    case kLine:
      output[i] = tex1D<float4>(texture, x);
      break;
    case kPlane:
      tex2D(&output[i], texture, x, y);
      break;
    case kVolume:
      output[i] = tex3D<float4>(texture, x, y, z);
      break;
    case kLines:
      output[i] = tex1DLayered<float4>(texture, x, layer);
      break;
    case kPlanes:
      output[i] = tex2DLayered<float4>(texture, x, y, layer);
  }
}

struct Image {
  int width, height, depth;
  std::vector<float4> texels;
  cudaTextureAddressMode modes[3];
  bool linear, normalized;
  float4 border;

  cudaTextureAddressMode mode_of(int axis) const {
    return normalized || modes[axis] == cudaAddressModeBorder ? modes[axis] : cudaAddressModeClamp;
  }

  // The texel that an index along an axis means; -1: the border.
  int folded(int axis, int i) const {
    const int size = axis == 0 ? width : axis == 1 ? height : depth;
    const cudaTextureAddressMode mode = mode_of(axis);
    if (mode == cudaAddressModeBorder && (i < 0 || i >= size)) return -1;
    if (mode == cudaAddressModeClamp) i = std::min(std::max(i, 0), size - 1);
    if (mode == cudaAddressModeWrap) i = (i % size + size) % size;
    if (mode == cudaAddressModeMirror) {
      i = (i % (2 * size) + 2 * size) % (2 * size);
      i = i < size ? i : 2 * size - 1 - i;
    }
    return i;
  }

  float4 at(const int *index) const {
    const int x = folded(0, index[0]), y = folded(1, index[1]), z = folded(2, index[2]);
    return x < 0 || y < 0 || z < 0 ? border : texels[(z * height + y) * width + x];
  }

  static double rounded(double weight) { return std::floor(weight * 256 + 0.5) / 256; }

  float4 sample(const float *coordinates, int dimensions, int layer) const {
    const int sizes[3] = {width, height, depth};
    int base[3] = {0, 0, layer < 0 || layer >= depth ? depth - 1 : layer};
    double weight[3] = {};
    for (int axis = 0; axis < dimensions; ++axis) {
      const double x = coordinates[axis] * (normalized ? sizes[axis] : 1.0) - (linear ? 0.5 : 0.0);
      base[axis] = static_cast<int>(std::floor(x));
      if (linear) weight[axis] = x - std::floor(x);
    }
    // A coordinate that is clamped lies in the middle of its texel.
    for (int axis = 0; axis < dimensions; ++axis) {
      if (mode_of(axis) != cudaAddressModeClamp) continue;
      if (folded(axis, base[axis]) == folded(axis, base[axis] + 1)) weight[axis] = 0;
    }
    // Weights have 8 fractional bits: they are shared out by z, x, y, one of two is rounded, the other what remains.
    double weights[8];
    for (int behind = 0; behind < 2; ++behind) {
      const double all = behind ? weight[2] : 1 - weight[2], right = rounded(all * weight[0]), left = all - right;
      weights[4 * behind + 3] = rounded(right * weight[1]);
      weights[4 * behind + 1] = right - weights[4 * behind + 3];
      weights[4 * behind] = rounded(left * (1 - weight[1]));
      weights[4 * behind + 2] = left - weights[4 * behind];
    }
    double sum[4] = {};
    for (int corner = 0; corner < 1 << dimensions; ++corner) {
      int index[3] = {base[0], base[1], base[2]};
      for (int axis = 0; axis < dimensions; ++axis) index[axis] += corner >> axis & 1;
      const double share = weights[corner];
      if (share == 0.0) continue;
      const float4 texel = at(index);
      sum[0] += share * texel.x, sum[1] += share * texel.y, sum[2] += share * texel.z, sum[3] += share * texel.w;
    }
    return make_float4(sum[0], sum[1], sum[2], sum[3]);
  }
};

// Integers: sums of them with weights of 4 fractional bits each are exact in float.
Image make_image(Shape shape, cudaTextureAddressMode mode, bool linear, bool normalized) {
  const bool flat = shape == kLine || shape == kLines, single = shape == kLine || shape == kPlane;
  Image image{kWidth, flat ? 1 : kHeight, single ? 1 : kDepth, {}, {mode, mode, mode},
              linear, normalized,         {9, 8, 7, 6}};
  Lcg lcg{7};
  for (int i = 0; i < image.width * image.height * image.depth; ++i)
    image.texels.push_back(make_float4(lcg.below(64), -lcg.below(64), lcg.below(3), 1));
  // The mode of the second axis counts for lines on an H200, which lie on the edge of an image of height 1.
  if (shape == kVolume || shape == kLine) image.modes[1] = cudaAddressModeClamp;
  return image;
}

cudaTextureObject_t make_texture(const Image &image, Shape shape, cudaArray_t *array) {
  const bool layered = shape == kLines || shape == kPlanes;
  const cudaExtent extent =
      make_cudaExtent(image.width, image.height > 1 ? image.height : 0, image.depth > 1 ? image.depth : 0);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
  CHECK(cudaMalloc3DArray(array, &format, extent, layered ? cudaArrayLayered : cudaArrayDefault));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<float4 *>(image.texels.data()), image.width * sizeof(float4),
                                    image.width, image.height);
  copy.dstArray = *array;
  copy.extent = make_cudaExtent(image.width, image.height, image.depth);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = *array;
  cudaTextureDesc description = {};
  std::copy_n(image.modes, 3, description.addressMode);
  description.filterMode = image.linear ? cudaFilterModeLinear : cudaFilterModePoint;
  description.readMode = cudaReadModeElementType;
  description.normalizedCoords = image.normalized;
  const float border[4] = {image.border.x, image.border.y, image.border.z, image.border.w};
  std::copy_n(border, 4, description.borderColor);
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  return texture;
}

// The number of samples that differ.
int wrong_samples(Shape shape, cudaTextureAddressMode mode, bool linear, bool normalized, float4 *output) {
  const Image image = make_image(shape, mode, linear, normalized);
  cudaArray_t array = nullptr;
  const cudaTextureObject_t texture = make_texture(image, shape, &array);
  sample_all<<<(kSamples + 95) / 96, 96>>>(texture, shape, normalized, output);
  const std::vector<float4> got = download(output, kSamples);
  const int dimensions = shape == kLine || shape == kLines ? 1 : shape == kVolume ? 3 : 2;
  const bool layered = shape == kLines || shape == kPlanes;
  int wrong = 0;
  for (int i = 0; i < kSamples; ++i) {
    const float coordinates[3] = {coordinate(i, 0, kWidth, normalized), coordinate(i, 1, kHeight, normalized),
                                  coordinate(i, 2, kDepth, normalized)};
    const float4 want = image.sample(coordinates, dimensions, layered ? i % 5 - 1 : 0);
    wrong += std::memcmp(&want, &got[i], sizeof want) != 0;
  }
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
  return wrong;
}

int main() {
  float4 *output = device_zeros<float4>(kSamples);
  const char *shapes[] = {"1D", "2D", "3D", "1D layered", "2D layered"};
  const char *modes[] = {"wrap", "clamp", "mirror", "border"};
  for (int shape = 0; shape < 5; ++shape)
    for (int mode = 0; mode < 4; ++mode) {
      int wrong = 0;
      for (int kind = 0; kind < 4; ++kind)
        wrong += wrong_samples(static_cast<Shape>(shape), static_cast<cudaTextureAddressMode>(mode), kind & 1, kind & 2,
                               output);
      std::printf("%s, %s: %d wrong\n", shapes[shape], modes[mode], wrong);
    }
  return 0;
}
