// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture references: `texture<T, dimensions, mode>` globals that the host binds to memory or an array. CUDA 12 removed
// them; classic programs use them.
#ifndef WARPLOOM_TEXTURE_FETCH_FUNCTIONS_H
#define WARPLOOM_TEXTURE_FETCH_FUNCTIONS_H

#if defined(__cplusplus) && defined(__CUDACC__)

#include "channel_descriptor.h"
#include "warploom/texture_cube.h"

// clang knows a type with this attribute: a global of it exists on both sides, and the host's is registered with the
// runtime, which writes `object` of the device's when the host binds it.
template <class T, int dimensions, cudaTextureReadMode mode>
struct __attribute__((device_builtin_texture_type)) __warploom_texture_reference : textureReference {
  const warploom::TextureObject *object;

  __host__ __warploom_texture_reference(int normalized_coordinates = 0,
                                        cudaTextureFilterMode filter = cudaFilterModePoint,
                                        cudaTextureAddressMode address = cudaAddressModeClamp)
      : textureReference(), object(nullptr) {
    normalized = normalized_coordinates;
    filterMode = filter;
    addressMode[0] = addressMode[1] = addressMode[2] = address;
    channelDesc = cudaCreateChannelDesc<T>();
  }
  __host__ __warploom_texture_reference(int normalized_coordinates, cudaTextureFilterMode filter,
                                        cudaTextureAddressMode address, cudaChannelFormatDesc format)
      : __warploom_texture_reference(normalized_coordinates, filter, address) {
    channelDesc = format;
  }
};

template <class T, int dimensions = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
using texture = __warploom_texture_reference<T, dimensions, mode>;

namespace warploom {

template <int count>
struct FloatVector;
template <>
struct FloatVector<1> {
  typedef float Type;
};
template <>
struct FloatVector<2> {
  typedef float2 Type;
};
template <>
struct FloatVector<4> {
  typedef float4 Type;
};

// What a fetch returns: the texel type, or floats for integers read as normalised floats.
template <class T, cudaTextureReadMode mode>
struct Fetched {
  typedef T Type;
};
template <class T>
struct Fetched<T, cudaReadModeNormalizedFloat> {
  typedef typename FloatVector<sizeof(T) / sizeof(typename TexelTraits<T>::Component)>::Type Type;
};

}  // namespace warploom

#define WARPLOOM_UNPACK(...) __VA_ARGS__
#define WARPLOOM_REFERENCE(NAME, DIMENSIONS, PARAMETERS, ...)                                           \
  template <class T, cudaTextureReadMode mode>                                                          \
  __device__ inline typename warploom::Fetched<T, mode>::Type NAME(                                     \
      const __warploom_texture_reference<T, DIMENSIONS, mode> &reference, WARPLOOM_UNPACK PARAMETERS) { \
    typedef typename warploom::Fetched<T, mode>::Type R;                                                \
    const warploom::TextureObject &texture = *reference.object;                                         \
    return __VA_ARGS__;                                                                                 \
  }

WARPLOOM_REFERENCE(tex1Dfetch, cudaTextureType1D, (int x), warploom::fetch_as<R>(texture, x))
WARPLOOM_REFERENCE(tex1D, cudaTextureType1D, (float x), warploom::sample_as<R, 1>(texture, x, 0, 0, 0, 0))
WARPLOOM_REFERENCE(tex2D, cudaTextureType2D, (float x, float y), warploom::sample_as<R, 2>(texture, x, y, 0, 0, 0))
WARPLOOM_REFERENCE(tex3D, cudaTextureType3D, (float x, float y, float z),
                   warploom::sample_as<R, 3>(texture, x, y, z, 0, 0))
WARPLOOM_REFERENCE(tex1DLayered, cudaTextureType1DLayered, (float x, int layer),
                   warploom::sample_as<R, 1>(texture, x, 0, 0, layer, 0))
WARPLOOM_REFERENCE(tex2DLayered, cudaTextureType2DLayered, (float x, float y, int layer),
                   warploom::sample_as<R, 2>(texture, x, y, 0, layer, 0))
WARPLOOM_REFERENCE(texCubemap, cudaTextureTypeCubemap, (float x, float y, float z),
                   warploom::sample_cube_as<R>(texture, x, y, z, 0, 0))
WARPLOOM_REFERENCE(texCubemapLayered, cudaTextureTypeCubemapLayered, (float x, float y, float z, int layer),
                   warploom::sample_cube_as<R>(texture, x, y, z, layer, 0))
WARPLOOM_REFERENCE(tex1DLod, cudaTextureType1D, (float x, float level),
                   warploom::sample_as<R, 1>(texture, x, 0, 0, 0, level))
WARPLOOM_REFERENCE(tex2DLod, cudaTextureType2D, (float x, float y, float level),
                   warploom::sample_as<R, 2>(texture, x, y, 0, 0, level))
WARPLOOM_REFERENCE(tex3DLod, cudaTextureType3D, (float x, float y, float z, float level),
                   warploom::sample_as<R, 3>(texture, x, y, z, 0, level))
WARPLOOM_REFERENCE(tex1DLayeredLod, cudaTextureType1DLayered, (float x, int layer, float level),
                   warploom::sample_as<R, 1>(texture, x, 0, 0, layer, level))
WARPLOOM_REFERENCE(tex2DLayeredLod, cudaTextureType2DLayered, (float x, float y, int layer, float level),
                   warploom::sample_as<R, 2>(texture, x, y, 0, layer, level))
WARPLOOM_REFERENCE(texCubemapLod, cudaTextureTypeCubemap, (float x, float y, float z, float level),
                   warploom::sample_cube_as<R>(texture, x, y, z, 0, level))
WARPLOOM_REFERENCE(texCubemapLayeredLod, cudaTextureTypeCubemapLayered,
                   (float x, float y, float z, int layer, float level),
                   warploom::sample_cube_as<R>(texture, x, y, z, layer, level))
WARPLOOM_REFERENCE(tex1DGrad, cudaTextureType1D, (float x, float dPdx, float dPdy),
                   warploom::sample_as<R, 1>(texture, x, 0, 0, 0, warploom::level_of(texture, dPdx, dPdy)))
WARPLOOM_REFERENCE(tex2DGrad, cudaTextureType2D, (float x, float y, float2 dPdx, float2 dPdy),
                   warploom::sample_as<R, 2>(texture, x, y, 0, 0, warploom::level_of(texture, dPdx, dPdy)))
WARPLOOM_REFERENCE(tex3DGrad, cudaTextureType3D, (float x, float y, float z, float4 dPdx, float4 dPdy),
                   warploom::sample_as<R, 3>(texture, x, y, z, 0, warploom::level_of(texture, dPdx, dPdy)))
WARPLOOM_REFERENCE(tex1DLayeredGrad, cudaTextureType1DLayered, (float x, int layer, float dPdx, float dPdy),
                   warploom::sample_as<R, 1>(texture, x, 0, 0, layer, warploom::level_of(texture, dPdx, dPdy)))
WARPLOOM_REFERENCE(tex2DLayeredGrad, cudaTextureType2DLayered, (float x, float y, int layer, float2 dPdx, float2 dPdy),
                   warploom::sample_as<R, 2>(texture, x, y, 0, layer, warploom::level_of(texture, dPdx, dPdy)))
#undef WARPLOOM_REFERENCE
#undef WARPLOOM_UNPACK

namespace warploom {

// What a gather returns: four values, whatever the texel has.
template <class C>
struct Gathered;
#define WARPLOOM_GATHERED(C, V) \
  template <>                   \
  struct Gathered<C> {          \
    typedef V Type;             \
  };
WARPLOOM_GATHERED(signed char, char4)
WARPLOOM_GATHERED(char, char4)
WARPLOOM_GATHERED(unsigned char, uchar4)
WARPLOOM_GATHERED(short, short4)
WARPLOOM_GATHERED(unsigned short, ushort4)
WARPLOOM_GATHERED(int, int4)
WARPLOOM_GATHERED(unsigned int, uint4)
WARPLOOM_GATHERED(float, float4)
#undef WARPLOOM_GATHERED

}  // namespace warploom

template <class T, cudaTextureReadMode mode>
__device__ inline typename warploom::Gathered<
    typename warploom::TexelTraits<typename warploom::Fetched<T, mode>::Type>::Component>::Type
tex2Dgather(const __warploom_texture_reference<T, cudaTextureType2D, mode> &reference, float x, float y, int comp = 0) {
  typedef typename warploom::TexelTraits<typename warploom::Fetched<T, mode>::Type>::Component Component;
  return warploom::gather_as<typename warploom::Gathered<Component>::Type>(*reference.object, x, y, comp);
}

template <class T, int dimensions, cudaTextureReadMode mode>
inline cudaError_t cudaBindTexture(size_t *offset, const __warploom_texture_reference<T, dimensions, mode> &reference,
                                   const void *pointer, const cudaChannelFormatDesc &format, size_t size = UINT_MAX) {
  return ::cudaBindTexture(offset, &reference, pointer, &format, size);
}

template <class T, int dimensions, cudaTextureReadMode mode>
inline cudaError_t cudaBindTexture(size_t *offset, const __warploom_texture_reference<T, dimensions, mode> &reference,
                                   const void *pointer, size_t size = UINT_MAX) {
  return ::cudaBindTexture(offset, &reference, pointer, &reference.channelDesc, size);
}

template <class T, int dimensions, cudaTextureReadMode mode>
inline cudaError_t cudaBindTexture2D(size_t *offset, const __warploom_texture_reference<T, dimensions, mode> &reference,
                                     const void *pointer, const cudaChannelFormatDesc &format, size_t width,
                                     size_t height, size_t pitch) {
  return ::cudaBindTexture2D(offset, &reference, pointer, &format, width, height, pitch);
}

template <class T, int dimensions, cudaTextureReadMode mode>
inline cudaError_t cudaBindTexture2D(size_t *offset, const __warploom_texture_reference<T, dimensions, mode> &reference,
                                     const void *pointer, size_t width, size_t height, size_t pitch) {
  return ::cudaBindTexture2D(offset, &reference, pointer, &reference.channelDesc, width, height, pitch);
}

template <class T, int dimensions, cudaTextureReadMode mode>
inline cudaError_t cudaBindTextureToArray(const __warploom_texture_reference<T, dimensions, mode> &reference,
                                          cudaArray_const_t array, const cudaChannelFormatDesc &format) {
  return ::cudaBindTextureToArray(&reference, array, &format);
}

template <class T, int dimensions, cudaTextureReadMode mode>
inline cudaError_t cudaBindTextureToArray(const __warploom_texture_reference<T, dimensions, mode> &reference,
                                          cudaArray_const_t array) {
  return ::cudaBindTextureToArray(&reference, array, nullptr);
}

template <class T, int dimensions, cudaTextureReadMode mode>
inline cudaError_t cudaBindTextureToMipmappedArray(const __warploom_texture_reference<T, dimensions, mode> &reference,
                                                   cudaMipmappedArray_const_t array,
                                                   const cudaChannelFormatDesc &format) {
  return ::cudaBindTextureToMipmappedArray(&reference, array, &format);
}

template <class T, int dimensions, cudaTextureReadMode mode>
inline cudaError_t cudaBindTextureToMipmappedArray(const __warploom_texture_reference<T, dimensions, mode> &reference,
                                                   cudaMipmappedArray_const_t array) {
  return ::cudaBindTextureToMipmappedArray(&reference, array, nullptr);
}

template <class T, int dimensions, cudaTextureReadMode mode>
inline cudaError_t cudaUnbindTexture(const __warploom_texture_reference<T, dimensions, mode> &reference) {
  return ::cudaUnbindTexture(&reference);
}

template <class T, int dimensions, cudaTextureReadMode mode>
inline cudaError_t cudaGetTextureAlignmentOffset(size_t *offset,
                                                 const __warploom_texture_reference<T, dimensions, mode> &reference) {
  return ::cudaGetTextureAlignmentOffset(offset, &reference);
}

#endif

#endif
