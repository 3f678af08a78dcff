// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fetches through texture objects.
#ifndef WARPLOOM_TEXTURE_INDIRECT_FUNCTIONS_H
#define WARPLOOM_TEXTURE_INDIRECT_FUNCTIONS_H

#if defined(__cplusplus) && defined(__CUDACC__)

#include "warploom/texture_cube.h"

// A fetch in its two forms: by value, and into *result.
#define WARPLOOM_UNPACK(...) __VA_ARGS__
#define WARPLOOM_TEXTURE(NAME, PARAMETERS, ARGUMENTS, ...)                                            \
  template <class T>                                                                                  \
  __device__ inline T NAME(cudaTextureObject_t texObject, WARPLOOM_UNPACK PARAMETERS) {               \
    const warploom::TextureObject &texture = warploom::texture_of(texObject);                         \
    return __VA_ARGS__;                                                                               \
  }                                                                                                   \
  template <class T>                                                                                  \
  __device__ inline void NAME(T *result, cudaTextureObject_t texObject, WARPLOOM_UNPACK PARAMETERS) { \
    *result = NAME<T>(texObject, WARPLOOM_UNPACK ARGUMENTS);                                          \
  }

WARPLOOM_TEXTURE(tex1Dfetch, (int x), (x), warploom::fetch_as<T>(texture, x))
WARPLOOM_TEXTURE(tex1D, (float x), (x), warploom::sample_as<T, 1>(texture, x, 0, 0, 0, 0))
WARPLOOM_TEXTURE(tex2D, (float x, float y), (x, y), warploom::sample_as<T, 2>(texture, x, y, 0, 0, 0))
WARPLOOM_TEXTURE(tex3D, (float x, float y, float z), (x, y, z), warploom::sample_as<T, 3>(texture, x, y, z, 0, 0))
WARPLOOM_TEXTURE(tex1DLayered, (float x, int layer), (x, layer), warploom::sample_as<T, 1>(texture, x, 0, 0, layer, 0))
WARPLOOM_TEXTURE(tex2DLayered, (float x, float y, int layer), (x, y, layer),
                 warploom::sample_as<T, 2>(texture, x, y, 0, layer, 0))
WARPLOOM_TEXTURE(tex1DLod, (float x, float level), (x, level), warploom::sample_as<T, 1>(texture, x, 0, 0, 0, level))
WARPLOOM_TEXTURE(tex2DLod, (float x, float y, float level), (x, y, level),
                 warploom::sample_as<T, 2>(texture, x, y, 0, 0, level))
WARPLOOM_TEXTURE(tex3DLod, (float x, float y, float z, float level), (x, y, z, level),
                 warploom::sample_as<T, 3>(texture, x, y, z, 0, level))
WARPLOOM_TEXTURE(tex1DLayeredLod, (float x, int layer, float level), (x, layer, level),
                 warploom::sample_as<T, 1>(texture, x, 0, 0, layer, level))
WARPLOOM_TEXTURE(tex2DLayeredLod, (float x, float y, int layer, float level), (x, y, layer, level),
                 warploom::sample_as<T, 2>(texture, x, y, 0, layer, level))
WARPLOOM_TEXTURE(tex1DGrad, (float x, float dPdx, float dPdy), (x, dPdx, dPdy),
                 warploom::sample_as<T, 1>(texture, x, 0, 0, 0, warploom::level_of(texture, dPdx, dPdy)))
WARPLOOM_TEXTURE(tex2DGrad, (float x, float y, float2 dPdx, float2 dPdy), (x, y, dPdx, dPdy),
                 warploom::sample_as<T, 2>(texture, x, y, 0, 0, warploom::level_of(texture, dPdx, dPdy)))
WARPLOOM_TEXTURE(tex3DGrad, (float x, float y, float z, float4 dPdx, float4 dPdy), (x, y, z, dPdx, dPdy),
                 warploom::sample_as<T, 3>(texture, x, y, z, 0, warploom::level_of(texture, dPdx, dPdy)))
WARPLOOM_TEXTURE(tex1DLayeredGrad, (float x, int layer, float dPdx, float dPdy), (x, layer, dPdx, dPdy),
                 warploom::sample_as<T, 1>(texture, x, 0, 0, layer, warploom::level_of(texture, dPdx, dPdy)))
WARPLOOM_TEXTURE(tex2DLayeredGrad, (float x, float y, int layer, float2 dPdx, float2 dPdy), (x, y, layer, dPdx, dPdy),
                 warploom::sample_as<T, 2>(texture, x, y, 0, layer, warploom::level_of(texture, dPdx, dPdy)))
WARPLOOM_TEXTURE(texCubemap, (float x, float y, float z), (x, y, z),
                 warploom::sample_cube_as<T>(texture, x, y, z, 0, 0))
WARPLOOM_TEXTURE(texCubemapLayered, (float x, float y, float z, int layer), (x, y, z, layer),
                 warploom::sample_cube_as<T>(texture, x, y, z, layer, 0))
WARPLOOM_TEXTURE(texCubemapLod, (float x, float y, float z, float level), (x, y, z, level),
                 warploom::sample_cube_as<T>(texture, x, y, z, 0, level))
WARPLOOM_TEXTURE(texCubemapLayeredLod, (float x, float y, float z, int layer, float level), (x, y, z, layer, level),
                 warploom::sample_cube_as<T>(texture, x, y, z, layer, level))
WARPLOOM_TEXTURE(texCubemapGrad, (float x, float y, float z, float4 dPdx, float4 dPdy), (x, y, z, dPdx, dPdy),
                 warploom::sample_cube_as<T>(texture, x, y, z, 0,
                                             warploom::cube_level_of(texture, x, y, z, dPdx, dPdy)))
WARPLOOM_TEXTURE(texCubemapLayeredGrad, (float x, float y, float z, int layer, float4 dPdx, float4 dPdy),
                 (x, y, z, layer, dPdx, dPdy),
                 warploom::sample_cube_as<T>(texture, x, y, z, layer,
                                             warploom::cube_level_of(texture, x, y, z, dPdx, dPdy)))
#undef WARPLOOM_TEXTURE
#undef WARPLOOM_UNPACK

template <class T>
__device__ inline T tex2Dgather(cudaTextureObject_t texObject, float x, float y, int comp = 0) {
  return warploom::gather_as<T>(warploom::texture_of(texObject), x, y, comp);
}
template <class T>
__device__ inline void tex2Dgather(T *result, cudaTextureObject_t texObject, float x, float y, int comp = 0) {
  *result = tex2Dgather<T>(texObject, x, y, comp);
}

#endif

#endif
