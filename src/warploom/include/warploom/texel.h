// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texels: from the bytes of an image to the type that a fetch names.
#ifndef WARPLOOM_TEXEL_H
#define WARPLOOM_TEXEL_H

#include "../texture_types.h"
#include "texture_object.h"

namespace warploom {

// The component type of a texel type, how many it has, and how to put one together.
template <class T>
struct TexelTraits;

#define WARPLOOM_TEXEL_1(T)                                       \
  template <>                                                     \
  struct TexelTraits<T> {                                         \
    typedef T Component;                                          \
    static __device__ T make(const Component *c) { return c[0]; } \
  };
#define WARPLOOM_TEXEL_V(V, C, ...)                \
  template <>                                      \
  struct TexelTraits<V> {                          \
    typedef C Component;                           \
    static __device__ V make(const Component *c) { \
      V result = {__VA_ARGS__};                    \
      return result;                               \
    }                                              \
  };
#define WARPLOOM_TEXEL(NAME, C)            \
  WARPLOOM_TEXEL_1(C)                      \
  WARPLOOM_TEXEL_V(NAME##1, C, c[0])       \
  WARPLOOM_TEXEL_V(NAME##2, C, c[0], c[1]) \
  WARPLOOM_TEXEL_V(NAME##4, C, c[0], c[1], c[2], c[3])

WARPLOOM_TEXEL(char, signed char)
WARPLOOM_TEXEL_1(char)
WARPLOOM_TEXEL(uchar, unsigned char)
WARPLOOM_TEXEL(short, short)
WARPLOOM_TEXEL(ushort, unsigned short)
WARPLOOM_TEXEL(int, int)
WARPLOOM_TEXEL(uint, unsigned int)
WARPLOOM_TEXEL(long, long)
WARPLOOM_TEXEL(ulong, unsigned long)
WARPLOOM_TEXEL(float, float)

#undef WARPLOOM_TEXEL
#undef WARPLOOM_TEXEL_V
#undef WARPLOOM_TEXEL_1

template <class T>
__device__ inline T load_as(const unsigned char *address) {
  T value;
  __builtin_memcpy(&value, address, sizeof value);
  return value;
}

// An integer channel as a float in [0, 1] or [-1, 1].
__device__ inline float unit_float(const unsigned char *address, int bits, int kind) {
  if (kind == cudaChannelFormatKindUnsigned)
    return bits == 8 ? address[0] / 255.0f : load_as<unsigned short>(address) / 65535.0f;
  const float value = bits == 8 ? load_as<signed char>(address) / 127.0f : load_as<short>(address) / 32767.0f;
  return value < -1.0f ? -1.0f : value;
}

// One channel converted to the component type that the fetch asks for.
template <class C>
__device__ inline C channel(const TextureObject &texture, const unsigned char *address, int index) {
  const int bits = texture.channel_bits, kind = texture.channel_kind;
  if (kind == cudaChannelFormatKindFloat)
    return static_cast<C>(bits == 32 ? load_as<float>(address) : static_cast<float>(load_as<_Float16>(address)));
  if (texture.normalized_float) {
    if (texture.linear_of_srgb != nullptr && index < 3) {
      return static_cast<C>(texture.linear_of_srgb[address[0]] * 0x1p-14f);
    }
    return static_cast<C>(unit_float(address, bits, kind));
  }
  if (kind == cudaChannelFormatKindSigned) {
    if (bits == 8) return static_cast<C>(load_as<signed char>(address));
    return static_cast<C>(bits == 16 ? load_as<short>(address) : load_as<int>(address));
  }
  if (bits == 8) return static_cast<C>(address[0]);
  if (bits == 16) return static_cast<C>(load_as<unsigned short>(address));
  return static_cast<C>(load_as<unsigned int>(address));
}

// Whether texels of the image are values of type T as they lie there.
template <class T>
__device__ inline bool holds(const TextureObject &texture) {
  typedef typename TexelTraits<T>::Component Component;
  constexpr bool is_signed = static_cast<Component>(-1) < static_cast<Component>(0);
  constexpr int kind = static_cast<Component>(0.5f) != 0 ? cudaChannelFormatKindFloat
                       : is_signed                       ? cudaChannelFormatKindSigned
                                                         : cudaChannelFormatKindUnsigned;
  constexpr int bytes = sizeof(T), channel_bits = 8 * sizeof(Component);
  const bool converts = texture.normalized_float && kind != cudaChannelFormatKindFloat;
  return texture.channel_kind == kind && texture.channel_bits == channel_bits && texture.texel == bytes && !converts;
}

// All channels at an address; channels that the image lacks are 0, the fourth 1.
template <class C>
__device__ inline void read_texel(const TextureObject &texture, const unsigned char *address, C *out) {
  for (int i = 0; i < 4; ++i)
    out[i] =
        i < texture.channels ? channel<C>(texture, address + i * texture.channel_bits / 8, i) : static_cast<C>(i == 3);
}

}  // namespace warploom

#endif
