// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cubemaps: a direction picks a face and a place in it, and a face is sampled as any image. The levels that derivatives
// of coordinates ask for.
#ifndef WARPLOOM_TEXTURE_CUBE_H
#define WARPLOOM_TEXTURE_CUBE_H

#include "texture_sampling.h"

namespace warploom {

// A direction seen from its face: the table of the CUDA programming guide's section on cubemap textures. `major` is
// along the face's axis, s and t lie in [-major, major].
struct Face {
  int index;
  float major, s, t;
};

__device__ inline Face face_of(float x, float y, float z) {
  const float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z);
  if (ax >= ay && ax >= az) return x < 0.0f ? Face{1, -x, z, -y} : Face{0, x, -z, -y};
  if (ay >= az) return y < 0.0f ? Face{3, -y, x, -z} : Face{2, y, x, z};
  return z < 0.0f ? Face{5, -z, -x, -y} : Face{4, z, x, -y};
}

// The same components of another direction, such as a derivative.
__device__ inline Face seen_from(int face, float x, float y, float z) {
  switch (face) {
    case 0:
      return {0, x, -z, -y};
    case 1:
      return {1, -x, z, -y};
    case 2:
      return {2, y, x, z};
    case 3:
      return {3, -y, x, -z};
    case 4:
      return {4, z, x, -y};
    default:
      return {5, -z, -x, -y};
  }
}

template <class T>
WARPLOOM_CALLED __device__ T sample_cube_as(const TextureObject &texture, float x, float y, float z, int layer,
                                            float lod) {
  const Face face = face_of(x, y, z);
  // Coordinates of cubemaps are normalised, whatever the texture says.
  const float scale = texture.normalized_coordinates ? 0.5f : 0.5f * static_cast<float>(texture.levels[0].width);
  const int last_cube = static_cast<int>(texture.levels[0].depth / 6) - 1;
  const int cube = layer < 0 ? 0 : (layer > last_cube ? last_cube : layer);
  return sample_as<T, 2>(texture, (face.s / face.major + 1.0f) * scale, (face.t / face.major + 1.0f) * scale, 0,
                         6 * cube + face.index, lod);
}

// The level at which the longer of two steps, in texels of level 0, is one texel long.
__device__ inline float level_of_steps(float squared_x, float squared_y) {
  return 0.5f * __builtin_log2f(squared_x > squared_y ? squared_x : squared_y);
}

__device__ inline float squared_step(const TextureObject &texture, int dimensions, const float *step) {
  const unsigned long sizes[3] = {texture.levels[0].width, texture.levels[0].height, texture.levels[0].depth};
  float sum = 0.0f;
  for (int axis = 0; axis < dimensions; ++axis) {
    const float texels = step[axis] * static_cast<float>(sizes[axis]);
    sum += texels * texels;
  }
  return sum;
}

__device__ inline float level_of(const TextureObject &texture, float dx, float dy) {
  return level_of_steps(squared_step(texture, 1, &dx), squared_step(texture, 1, &dy));
}
__device__ inline float level_of(const TextureObject &texture, const float2 &dx, const float2 &dy) {
  const float x[2] = {dx.x, dx.y}, y[2] = {dy.x, dy.y};
  return level_of_steps(squared_step(texture, 2, x), squared_step(texture, 2, y));
}
__device__ inline float level_of(const TextureObject &texture, const float4 &dx, const float4 &dy) {
  const float x[3] = {dx.x, dx.y, dx.z}, y[3] = {dy.x, dy.y, dy.z};
  return level_of_steps(squared_step(texture, 3, x), squared_step(texture, 3, y));
}

// By the quotient rule on s / major and t / major; a face is 2 long.
__device__ inline float squared_cube_step(const TextureObject &texture, const Face &at, const float4 &step) {
  const Face change = seen_from(at.index, step.x, step.y, step.z);
  const float scale = 0.5f / (at.major * at.major);
  const float moved[2] = {(change.s * at.major - at.s * change.major) * scale,
                          (change.t * at.major - at.t * change.major) * scale};
  return squared_step(texture, 2, moved);
}
__device__ inline float cube_level_of(const TextureObject &texture, float x, float y, float z, const float4 &dx,
                                      const float4 &dy) {
  const Face at = face_of(x, y, z);
  return level_of_steps(squared_cube_step(texture, at, dx), squared_cube_step(texture, at, dy));
}

}  // namespace warploom

#endif
