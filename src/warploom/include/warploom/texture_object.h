// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a texture or surface handle points to. The runtime fills it in, device code reads it.
#ifndef WARPLOOM_TEXTURE_OBJECT_H
#define WARPLOOM_TEXTURE_OBJECT_H

namespace warploom {

// One level of an image: texels, rows, slices (or layers); distances in bytes.
struct TextureLevel {
  unsigned char *data;
  unsigned long width, height, depth;
  unsigned long pitch, slice;
};

inline constexpr int kMaxTextureLevels = 18;

// The numbers of modes and kinds are CUDA's: cudaTextureAddressMode, cudaTextureFilterMode, cudaChannelFormatKind.
struct TextureObject {
  TextureLevel levels[kMaxTextureLevels];
  int level_count;
  int texel;         // bytes
  int channels;      // 1, 2 or 4
  int channel_bits;  // 8, 16 or 32
  int channel_kind;
  int address_mode[3];
  int linear_filter;
  int linear_between_levels;
  int normalized_coordinates;
  int normalized_float;                  // integers are read as floats in [0, 1] or [-1, 1]
  const unsigned short *linear_of_srgb;  // of channels in sRGB: what their values mean, in 2^-14; else null
  float border[4];
  float level_bias, min_level, max_level;
};

struct SurfaceObject {
  TextureLevel level;
};

}  // namespace warploom

#endif
