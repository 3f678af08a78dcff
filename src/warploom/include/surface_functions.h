// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Surface references: `surface<void, dimensions>` globals that the host binds to an array. CUDA 12 removed them;
// classic programs use them.
#ifndef WARPLOOM_SURFACE_FUNCTIONS_H
#define WARPLOOM_SURFACE_FUNCTIONS_H

#if defined(__cplusplus) && defined(__CUDACC__)

#include "surface_indirect_functions.h"

// As with texture references, clang registers the host's variable and the runtime writes the device's `object`.
template <class T, int dimensions = cudaSurfaceType1D>
struct __attribute__((device_builtin_surface_type)) __warploom_surface_reference : surfaceReference {
  const warploom::SurfaceObject *object;

  __host__ __warploom_surface_reference() : surfaceReference(), object(nullptr) {}
};

template <class T, int dimensions = cudaSurfaceType1D>
using surface = __warploom_surface_reference<T, dimensions>;

#define WARPLOOM_UNPACK(...) __VA_ARGS__
#define WARPLOOM_SURFACE(READ, WRITE, DIMENSIONS, PARAMETERS, PLACE)                                                  \
  template <class T, class Declared>                                                                                  \
  __device__ inline T READ(const __warploom_surface_reference<Declared, DIMENSIONS> &reference,                       \
                           WARPLOOM_UNPACK PARAMETERS, cudaSurfaceBoundaryMode boundaryMode = cudaBoundaryModeTrap) { \
    return warploom::surface_read<T>(*reference.object, WARPLOOM_UNPACK PLACE, boundaryMode);                         \
  }                                                                                                                   \
  template <class T, class Declared>                                                                                  \
  __device__ inline void READ(T *result, const __warploom_surface_reference<Declared, DIMENSIONS> &reference,         \
                              WARPLOOM_UNPACK PARAMETERS,                                                             \
                              cudaSurfaceBoundaryMode boundaryMode = cudaBoundaryModeTrap) {                          \
    *result = warploom::surface_read<T>(*reference.object, WARPLOOM_UNPACK PLACE, boundaryMode);                      \
  }                                                                                                                   \
  template <class T, class Declared>                                                                                  \
  __device__ inline void WRITE(T value, const __warploom_surface_reference<Declared, DIMENSIONS> &reference,          \
                               WARPLOOM_UNPACK PARAMETERS,                                                            \
                               cudaSurfaceBoundaryMode boundaryMode = cudaBoundaryModeTrap) {                         \
    warploom::surface_write<T>(value, *reference.object, WARPLOOM_UNPACK PLACE, boundaryMode);                        \
  }

WARPLOOM_SURFACE(surf1Dread, surf1Dwrite, cudaSurfaceType1D, (int x), (x, 0, 0))
WARPLOOM_SURFACE(surf2Dread, surf2Dwrite, cudaSurfaceType2D, (int x, int y), (x, y, 0))
WARPLOOM_SURFACE(surf3Dread, surf3Dwrite, cudaSurfaceType3D, (int x, int y, int z), (x, y, z))
WARPLOOM_SURFACE(surf1DLayeredread, surf1DLayeredwrite, cudaSurfaceType1DLayered, (int x, int layer), (x, 0, layer))
WARPLOOM_SURFACE(surf2DLayeredread, surf2DLayeredwrite, cudaSurfaceType2DLayered, (int x, int y, int layer),
                 (x, y, layer))
WARPLOOM_SURFACE(surfCubemapread, surfCubemapwrite, cudaSurfaceTypeCubemap, (int x, int y, int face), (x, y, face))
WARPLOOM_SURFACE(surfCubemapLayeredread, surfCubemapLayeredwrite, cudaSurfaceTypeCubemapLayered,
                 (int x, int y, int layerFace), (x, y, layerFace))
#undef WARPLOOM_SURFACE
#undef WARPLOOM_UNPACK

template <class T, int dimensions>
inline cudaError_t cudaBindSurfaceToArray(const __warploom_surface_reference<T, dimensions> &reference,
                                          cudaArray_const_t array, const cudaChannelFormatDesc &format) {
  return ::cudaBindSurfaceToArray(&reference, array, &format);
}

template <class T, int dimensions>
inline cudaError_t cudaBindSurfaceToArray(const __warploom_surface_reference<T, dimensions> &reference,
                                          cudaArray_const_t array) {
  return ::cudaBindSurfaceToArray(&reference, array, nullptr);
}

#endif

#endif
