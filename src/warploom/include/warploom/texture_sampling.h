// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sampling: coordinates to texels, as the CUDA programming guide defines it in its appendix on texture fetching.
#ifndef WARPLOOM_TEXTURE_SAMPLING_H
#define WARPLOOM_TEXTURE_SAMPLING_H

#include "texel.h"

// A function that stays a call: frontend/cleanup.py.
#define WARPLOOM_CALLED __attribute__((noinline, annotate("warploom.called")))

namespace warploom {

__device__ inline const TextureObject &texture_of(cudaTextureObject_t handle) {
  return *reinterpret_cast<const TextureObject *>(handle);
}

// The texel index for `index` in an image of `size` texels; -1: outside, the border colour.
__device__ inline long addressed(const TextureObject &texture, int axis, long index, unsigned long size) {
  const long count = static_cast<long>(size);
  if (index >= 0 && index < count) return index;
  int mode = texture.address_mode[axis];
  if (!texture.normalized_coordinates && mode != cudaAddressModeBorder) mode = cudaAddressModeClamp;
  if (mode == cudaAddressModeBorder) return -1;
  if (mode == cudaAddressModeClamp) return index < 0 ? 0 : count - 1;
  const long period = mode == cudaAddressModeMirror ? 2 * count : count;
  const long folded = ((index % period) + period) % period;
  return folded < count ? folded : period - 1 - folded;
}

// Whether coordinates along an axis are clamped to the image.
__device__ inline bool clamps(const TextureObject &texture, int axis) {
  const int mode = texture.address_mode[axis];
  return mode == cudaAddressModeClamp || (!texture.normalized_coordinates && mode != cudaAddressModeBorder);
}

// Where along an axis a coordinate falls: the texel, and for linear filtering the weight of its right neighbour.
struct Position {
  long index;
  float weight;
};

// Weights have 8 fractional bits on the device.
__device__ inline float in_256ths(float weight) { return __builtin_floorf(weight * 256.0f + 0.5f) / 256.0f; }

__device__ inline Position position_of(const TextureObject &texture, float coordinate, unsigned long size) {
  if (texture.normalized_coordinates) coordinate *= static_cast<float>(size);
  // So that the index fits its type; no number at all lies on the left.
  constexpr float kFarthest = 0x1p62f;
  coordinate = coordinate > -kFarthest ? (coordinate < kFarthest ? coordinate : kFarthest) : -kFarthest;
  if (!texture.linear_filter) return {static_cast<long>(__builtin_floorf(coordinate)), 0.0f};
  const float shifted = coordinate - 0.5f, base = __builtin_floorf(shifted);
  return {static_cast<long>(base), in_256ths(shifted - base)};
}

template <class C>
__device__ inline void fetch(const TextureObject &texture, const TextureLevel &level, long x, long y, long z, C *out) {
  if (x < 0 || y < 0 || z < 0) {
    for (int i = 0; i < 4; ++i) out[i] = static_cast<C>(texture.border[i]);
    return;
  }
  const unsigned long offset = static_cast<unsigned long>(z) * level.slice +
                               static_cast<unsigned long>(y) * level.pitch +
                               static_cast<unsigned long>(x) * static_cast<unsigned long>(texture.texel);
  read_texel<C>(texture, level.data + offset, out);
}

// The weights of the texels around a place, `share` in all: they are shared out by z, then x, then y, and in each step
// one of two is rounded and the other is what remains. Corner i lies on the right for bit 0, below for bit 1, behind
// for bit 2.
__device__ inline void weights_of(float share, float x, float y, float z, float *weights) {
  for (int behind = 0; behind < 2; ++behind) {
    const float last = in_256ths(share * z), all = behind ? last : share - last, right = in_256ths(all * x),
                left = all - right;
    const float right_below = in_256ths(right * y), left_above = in_256ths(left * (1.0f - y));
    weights[4 * behind] = left_above;
    weights[4 * behind + 1] = right - right_below;
    weights[4 * behind + 2] = left - left_above;
    weights[4 * behind + 3] = right_below;
  }
}

// A sample at up to three coordinates, or when it is filtered a `share` of one. `dimensions` of the coordinates are
// filtered; a layer, if any, is the slice.
template <class C>
__device__ inline void sample_level(const TextureObject &texture, const TextureLevel &level, int dimensions,
                                    const float *coordinates, long layer, C *out, float share = 1.0f) {
  const unsigned long sizes[3] = {level.width, level.height, level.depth};
  long indices[3][2] = {{0, 0}, {0, 0}, {layer, layer}};
  float fractions[3] = {};
  for (int axis = 0; axis < dimensions; ++axis) {
    const Position position = position_of(texture, coordinates[axis], sizes[axis]);
    for (int right = 0; right < 2; ++right)
      indices[axis][right] = addressed(texture, axis, position.index + right, sizes[axis]);
    const bool is_clamped = clamps(texture, axis) && indices[axis][0] == indices[axis][1];
    if (!is_clamped) fractions[axis] = position.weight;
  }
  if (!texture.linear_filter) return fetch<C>(texture, level, indices[0][0], indices[1][0], indices[2][0], out);
  float weights[8];
  weights_of(share, fractions[0], fractions[1], fractions[2], weights);
  // What bytes and shorts mean as fractions is blended in 65535ths, exactly, and rounded to them.
  const bool in_65535ths = texture.normalized_float && texture.channel_kind == cudaChannelFormatKindUnsigned &&
                           texture.linear_of_srgb == nullptr;
  float sum[4] = {};
  for (int corner = 0; corner < 1 << dimensions; ++corner) {
    float texel[4];
    fetch<float>(texture, level, indices[0][corner & 1], indices[1][corner >> 1 & 1], indices[2][corner >> 2 & 1],
                 texel);
    for (int i = 0; i < 4; ++i) {
      if (in_65535ths) texel[i] = __builtin_floorf(texel[i] * 65535.0f + 0.5f);
      sum[i] += weights[corner] * texel[i];
    }
  }
  for (int i = 0; i < 4; ++i) {
    if (in_65535ths) sum[i] = __builtin_floorf(sum[i] + 0.5f) / 65535.0f;
    out[i] = static_cast<C>(sum[i]);
  }
}

// A layer below the first one counts as one behind the last one, as on GPUs.
__device__ inline unsigned layer_of(const TextureLevel &level, int layer) {
  const unsigned last = static_cast<unsigned>(level.depth) - 1, wanted = static_cast<unsigned>(layer);
  return wanted < last ? wanted : last;
}

// Each way to sample a level is written once here: it is much code.
template <class C>
__device__ inline void sample(const TextureObject &texture, int dimensions, const float *coordinates, int layer,
                              float lod, C *out) {
  const long slice = layer_of(texture.levels[0], layer);
  lod += texture.level_bias;
  const float last = static_cast<float>(texture.level_count - 1);
  if (lod < texture.min_level) lod = texture.min_level;
  if (lod > texture.max_level) lod = texture.max_level;
  lod = lod > 0.0f ? (lod > last ? last : lod) : 0.0f;
  if (texture.level_count == 1 || !texture.linear_between_levels) {
    const int nearest = texture.level_count == 1 ? 0 : static_cast<int>(lod + 0.5f);
    return sample_level<C>(texture, texture.levels[nearest], dimensions, coordinates, slice, out);
  }
  const int lower = static_cast<int>(lod), upper = lower + 1 < texture.level_count ? lower + 1 : lower;
  // Weights of levels have 8 bits, too, the rest cut off, and are shared out to the texels of each.
  const float weight = __builtin_floorf((lod - static_cast<float>(lower)) * 256.0f) / 256.0f;
  float found[2][4];
#pragma clang loop unroll(disable)
  for (int k = 0; k < 2; ++k) {
    const float share = k == 0 ? 1.0f - weight : weight;
    sample_level<float>(texture, texture.levels[k == 0 ? lower : upper], dimensions, coordinates, slice, found[k],
                        share);
    // The nearest texels come whole.
    for (int i = 0; !texture.linear_filter && i < 4; ++i) found[k][i] *= share;
  }
  for (int i = 0; i < 4; ++i) out[i] = static_cast<C>(found[0][i] + found[1][i]);
}

// Every way of sampling, as one function for each type: there is too much of it to copy into every kernel.
template <class T, int Dimensions>
WARPLOOM_CALLED __device__ T sample_any(const TextureObject &texture, float x, float y, float z, int layer, float lod) {
  typedef typename TexelTraits<T>::Component Component;
  const float coordinates[3] = {x, y, z};
  Component components[4];
  sample<Component>(texture, Dimensions, coordinates, layer, lod, components);
  return TexelTraits<T>::make(components);
}

// The nearest texel along an axis that clamps. No image has 2^30 texels along one; no number at all is the first texel.
__device__ inline unsigned nearest_clamped(const TextureObject &texture, float coordinate, unsigned long size) {
  if (texture.normalized_coordinates) coordinate *= static_cast<float>(size);
  coordinate = coordinate > 0.0f ? (coordinate < 0x1p30f ? coordinate : 0x1p30f) : 0.0f;
  const int index = static_cast<int>(coordinate), last = static_cast<int>(size) - 1;
  return static_cast<unsigned>(index < last ? index : last);
}

// The nearest texel of an image that clamps and holds what is asked for is a plain load, which vectors of threads want:
// the question is the same for all threads.
template <class T, int Dimensions>
__device__ inline T sample_as(const TextureObject &texture, float x, float y, float z, int layer, float lod) {
  const bool all_clamp =
      clamps(texture, 0) && (Dimensions < 2 || clamps(texture, 1)) && (Dimensions < 3 || clamps(texture, 2));
  if (!holds<T>(texture) || texture.linear_filter || texture.level_count != 1 || !all_clamp) {
    return sample_any<T, Dimensions>(texture, x, y, z, layer, lod);
  }
  const TextureLevel &level = texture.levels[0];
  unsigned long slice = layer_of(level, layer);
  if (Dimensions == 3) slice = nearest_clamped(texture, z, level.depth);
  unsigned long offset = slice * level.slice + nearest_clamped(texture, x, level.width) * sizeof(T);
  if (Dimensions >= 2) offset += nearest_clamped(texture, y, level.height) * level.pitch;
  return load_as<T>(level.data + offset);
}

template <class T>
WARPLOOM_CALLED __device__ T fetch_any(const TextureObject &texture, int x) {
  typedef typename TexelTraits<T>::Component Component;
  const TextureLevel &level = texture.levels[0];
  Component components[4] = {};
  if (x >= 0 && static_cast<unsigned long>(x) < level.width) fetch<Component>(texture, level, x, 0, 0, components);
  return TexelTraits<T>::make(components);
}

// tex1Dfetch: a texel by its number; 0 outside. The first way is the second one for texels that are what is asked for:
// the question is the same for all threads, and a plain load is what vectors of threads want.
template <class T>
__device__ inline T fetch_as(const TextureObject &texture, int x) {
  const TextureLevel &level = texture.levels[0];
  const bool inside = x >= 0 && static_cast<unsigned long>(x) < level.width;
  if (holds<T>(texture)) {
    T texel = {};
    if (inside) texel = load_as<T>(level.data + static_cast<unsigned long>(x) * sizeof(T));
    return texel;
  }
  return fetch_any<T>(texture, x);
}

// tex2Dgather: one channel of the four texels that linear filtering would blend, counter-clockwise from lower left.
template <class T>
WARPLOOM_CALLED __device__ T gather_as(const TextureObject &texture, float x, float y, int channel_index) {
  typedef typename TexelTraits<T>::Component Component;
  const TextureLevel &level = texture.levels[0];
  const float u = texture.normalized_coordinates ? x * static_cast<float>(level.width) : x;
  const float v = texture.normalized_coordinates ? y * static_cast<float>(level.height) : y;
  const long i = static_cast<long>(__builtin_floorf(u - 0.5f)), j = static_cast<long>(__builtin_floorf(v - 0.5f));
  const long dx[4] = {0, 1, 1, 0}, dy[4] = {1, 1, 0, 0};
  Component gathered[4];
  for (int k = 0; k < 4; ++k) {
    Component texel[4];
    fetch<Component>(texture, level, addressed(texture, 0, i + dx[k], level.width),
                     addressed(texture, 1, j + dy[k], level.height), 0, texel);
    gathered[k] = texel[channel_index];
  }
  return TexelTraits<T>::make(gathered);
}

}  // namespace warploom

#endif
