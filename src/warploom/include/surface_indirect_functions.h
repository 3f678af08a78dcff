// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes through surface objects. The x coordinate counts bytes, the others rows, slices and layers.
#ifndef WARPLOOM_SURFACE_INDIRECT_FUNCTIONS_H
#define WARPLOOM_SURFACE_INDIRECT_FUNCTIONS_H

#if defined(__cplusplus) && defined(__CUDACC__)

#include "surface_types.h"
#include "warploom/device_abi.h"
#include "warploom/texture_object.h"

namespace warploom {

__device__ inline bool clamp_index(long *index, long count, cudaSurfaceBoundaryMode mode) {
  if (*index >= 0 && *index < count) return true;
  if (mode == cudaBoundaryModeTrap) __warploom_trap();
  if (mode == cudaBoundaryModeZero) return false;
  *index = *index < 0 ? 0 : count - 1;
  return true;
}

// The address of an element of `size` bytes; null outside in zero mode.
__device__ inline unsigned char *surface_address(const SurfaceObject &surface, long x, long y, long z,
                                                 unsigned long size, cudaSurfaceBoundaryMode mode) {
  const TextureLevel &level = surface.level;
  const long element = static_cast<long>(size);
  if (x % element != 0) __warploom_trap();  // the device faults on a misaligned column too
  long column = x / element;
  if (!clamp_index(&column, static_cast<long>(level.pitch) / element, mode)) return nullptr;
  if (!clamp_index(&y, static_cast<long>(level.height), mode)) return nullptr;
  if (!clamp_index(&z, static_cast<long>(level.depth), mode)) return nullptr;
  return level.data + static_cast<unsigned long>(z) * level.slice + static_cast<unsigned long>(y) * level.pitch +
         static_cast<unsigned long>(column * element);
}

template <class T>
__device__ inline T surface_read(const SurfaceObject &surface, long x, long y, long z, cudaSurfaceBoundaryMode mode) {
  T value = {};
  if (const unsigned char *address = surface_address(surface, x, y, z, sizeof(T), mode))
    __builtin_memcpy(&value, address, sizeof value);
  return value;
}

template <class T>
__device__ inline void surface_write(const T &value, const SurfaceObject &surface, long x, long y, long z,
                                     cudaSurfaceBoundaryMode mode) {
  if (unsigned char *address = surface_address(surface, x, y, z, sizeof(T), mode))
    __builtin_memcpy(address, &value, sizeof value);
}

__device__ inline const SurfaceObject &surface_of(cudaSurfaceObject_t handle) {
  return *reinterpret_cast<const SurfaceObject *>(handle);
}

}  // namespace warploom

#define WARPLOOM_UNPACK(...) __VA_ARGS__
#define WARPLOOM_SURFACE(READ, WRITE, DIMENSIONS, PARAMETERS, PLACE)                                            \
  template <class T>                                                                                            \
  __device__ inline T READ(cudaSurfaceObject_t surfObject, WARPLOOM_UNPACK PARAMETERS,                          \
                           cudaSurfaceBoundaryMode boundaryMode = cudaBoundaryModeTrap) {                       \
    return warploom::surface_read<T>(warploom::surface_of(surfObject), WARPLOOM_UNPACK PLACE, boundaryMode);    \
  }                                                                                                             \
  template <class T>                                                                                            \
  __device__ inline void READ(T *result, cudaSurfaceObject_t surfObject, WARPLOOM_UNPACK PARAMETERS,            \
                              cudaSurfaceBoundaryMode boundaryMode = cudaBoundaryModeTrap) {                    \
    *result = warploom::surface_read<T>(warploom::surface_of(surfObject), WARPLOOM_UNPACK PLACE, boundaryMode); \
  }                                                                                                             \
  template <class T>                                                                                            \
  __device__ inline void WRITE(T value, cudaSurfaceObject_t surfObject, WARPLOOM_UNPACK PARAMETERS,             \
                               cudaSurfaceBoundaryMode boundaryMode = cudaBoundaryModeTrap) {                   \
    warploom::surface_write<T>(value, warploom::surface_of(surfObject), WARPLOOM_UNPACK PLACE, boundaryMode);   \
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

#endif

#endif
