// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver API's arrays, 2-D copies, textures and surfaces: the runtime API's in other words.
#include "array.h"
#include "driver_helpers.h"

namespace warploom {
namespace {

// No format for a number that is none.
cudaChannelFormatDesc channels_of(CUarray_format format, unsigned count) {
  int bits = 0;
  cudaChannelFormatKind kind = cudaChannelFormatKindNone;
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_UNSIGNED_INT32:
      bits = 4 << static_cast<int>(format);
      kind = cudaChannelFormatKindUnsigned;
      break;
    case CU_AD_FORMAT_SIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT32:
      bits = 8 << (static_cast<int>(format) - CU_AD_FORMAT_SIGNED_INT8);
      kind = cudaChannelFormatKindSigned;
      break;
    case CU_AD_FORMAT_HALF:
    case CU_AD_FORMAT_FLOAT:
      bits = static_cast<int>(format);
      kind = cudaChannelFormatKindFloat;
      break;
  }
  return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0, kind};
}

cudaArray_t array_of(CUarray handle) { return reinterpret_cast<cudaArray_t>(handle); }

cudaError_t resource_of(const CUDA_RESOURCE_DESC *given, cudaResourceDesc *made) {
  if (!given) return cudaErrorInvalidValue;
  *made = cudaResourceDesc{};
  made->resType = static_cast<cudaResourceType>(given->resType);
  switch (given->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      made->res.array.array = array_of(given->res.array.hArray);
      return cudaSuccess;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      made->res.mipmap.mipmap = reinterpret_cast<cudaMipmappedArray_t>(given->res.mipmap.hMipmappedArray);
      return cudaSuccess;
    case CU_RESOURCE_TYPE_LINEAR:
      made->res.linear.devPtr = pointer(given->res.linear.devPtr);
      made->res.linear.desc = channels_of(given->res.linear.format, given->res.linear.numChannels);
      made->res.linear.sizeInBytes = given->res.linear.sizeInBytes;
      return cudaSuccess;
    case CU_RESOURCE_TYPE_PITCH2D:
      made->res.pitch2D.devPtr = pointer(given->res.pitch2D.devPtr);
      made->res.pitch2D.desc = channels_of(given->res.pitch2D.format, given->res.pitch2D.numChannels);
      made->res.pitch2D.width = given->res.pitch2D.width;
      made->res.pitch2D.height = given->res.pitch2D.height;
      made->res.pitch2D.pitchInBytes = given->res.pitch2D.pitchInBytes;
      return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

cudaChannelFormatDesc channels_of(const cudaResourceDesc &resource) {
  if (resource.resType == cudaResourceTypeLinear) return resource.res.linear.desc;
  if (resource.resType == cudaResourceTypePitch2D) return resource.res.pitch2D.desc;
  const cudaArray *array = resource.resType == cudaResourceTypeArray  ? resource.res.array.array
                           : is_mipmapped(resource.res.mipmap.mipmap) ? base_level(resource.res.mipmap.mipmap)
                                                                      : nullptr;
  return is_array(array) ? array->format : cudaChannelFormatDesc{};
}

// The driver API reads 8- and 16-bit integers as numbers from 0 or -1 to 1 unless it is told not to.
bool reads_normalised(const cudaResourceDesc &resource, unsigned flags) {
  const cudaChannelFormatDesc channels = channels_of(resource);
  return channels.f != cudaChannelFormatKindFloat && channels.x < 32 && !(flags & CU_TRSF_READ_AS_INTEGER);
}

cudaTextureDesc texture_of(const CUDA_TEXTURE_DESC &given, const cudaResourceDesc &resource) {
  cudaTextureDesc made{};
  for (int i = 0; i < 3; ++i) made.addressMode[i] = static_cast<cudaTextureAddressMode>(given.addressMode[i]);
  for (int i = 0; i < 4; ++i) made.borderColor[i] = given.borderColor[i];
  made.filterMode = static_cast<cudaTextureFilterMode>(given.filterMode);
  made.readMode = reads_normalised(resource, given.flags) ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  made.sRGB = (given.flags & CU_TRSF_SRGB) != 0;
  made.normalizedCoords = (given.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  made.maxAnisotropy = given.maxAnisotropy;
  made.mipmapFilterMode = static_cast<cudaTextureFilterMode>(given.mipmapFilterMode);
  made.mipmapLevelBias = given.mipmapLevelBias;
  made.minMipmapLevelClamp = given.minMipmapLevelClamp;
  made.maxMipmapLevelClamp = given.maxMipmapLevelClamp;
  return made;
}

// Where a 2-D copy reads or writes.
struct End {
  CUmemorytype type;
  char *memory;
  CUarray array;
  std::size_t x, y, pitch;

  char *start() const { return memory + y * pitch + x; }
  bool is_memory() const { return type != CU_MEMORYTYPE_ARRAY; }
};

End source_of(const CUDA_MEMCPY2D &copy) {
  const void *host = copy.srcMemoryType == CU_MEMORYTYPE_HOST ? copy.srcHost : pointer(copy.srcDevice);
  return {copy.srcMemoryType, const_cast<char *>(static_cast<const char *>(host)), copy.srcArray, copy.srcXInBytes,
          copy.srcY,          copy.srcPitch ? copy.srcPitch : copy.WidthInBytes};
}

End target_of(const CUDA_MEMCPY2D &copy) {
  void *host = copy.dstMemoryType == CU_MEMORYTYPE_HOST ? copy.dstHost : pointer(copy.dstDevice);
  return {copy.dstMemoryType, static_cast<char *>(host),
          copy.dstArray,      copy.dstXInBytes,
          copy.dstY,          copy.dstPitch ? copy.dstPitch : copy.WidthInBytes};
}

cudaMemcpyKind kind_of(CUmemorytype source, CUmemorytype target) {
  if (source == CU_MEMORYTYPE_UNIFIED || target == CU_MEMORYTYPE_UNIFIED) return cudaMemcpyDefault;
  const bool from_host = source == CU_MEMORYTYPE_HOST, to_host = target == CU_MEMORYTYPE_HOST;
  return from_host ? (to_host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice)
                   : (to_host ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice);
}

cudaError_t copy_2d(const CUDA_MEMCPY2D *copy, cudaStream_t stream) {
  if (!copy) return cudaErrorInvalidValue;
  const End from = source_of(*copy), to = target_of(*copy);
  const cudaMemcpyKind kind = kind_of(from.type, to.type);
  const std::size_t width = copy->WidthInBytes, height = copy->Height;
  if (from.is_memory() && to.is_memory())
    return cudaMemcpy2DAsync(to.start(), to.pitch, from.start(), from.pitch, width, height, kind, stream);
  if (from.is_memory())
    return cudaMemcpy2DToArrayAsync(array_of(to.array), to.x, to.y, from.start(), from.pitch, width, height, kind,
                                    stream);
  if (to.is_memory())
    return cudaMemcpy2DFromArrayAsync(to.start(), to.pitch, array_of(from.array), from.x, from.y, width, height, kind,
                                      stream);
  if (const cudaError_t error = cudaStreamSynchronize(stream); error != cudaSuccess) return error;
  return cudaMemcpy2DArrayToArray(array_of(to.array), to.x, to.y, array_of(from.array), from.x, from.y, width, height,
                                  kind);
}

// No channels for what no CUarray_format stands for.
struct Channels {
  CUarray_format format;
  unsigned count;
};

Channels channels_of(const cudaChannelFormatDesc &texel) {
  const unsigned count = 1U + (texel.y > 0) + (texel.z > 0) + (texel.w > 0);
  if (texel.f == cudaChannelFormatKindFloat) return {static_cast<CUarray_format>(texel.x), count};
  const int size = texel.x == 8 ? 0 : texel.x == 16 ? 1 : 2;
  const int first = texel.f == cudaChannelFormatKindSigned ? CU_AD_FORMAT_SIGNED_INT8 : CU_AD_FORMAT_UNSIGNED_INT8;
  return {static_cast<CUarray_format>(first + size), count};
}

CUDA_RESOURCE_DESC driver_resource(const cudaResourceDesc &same) {
  CUDA_RESOURCE_DESC made{};
  made.resType = static_cast<CUresourcetype>(same.resType);
  const Channels channels = channels_of(channels_of(same));
  if (same.resType == cudaResourceTypeArray) {
    made.res.array.hArray = reinterpret_cast<CUarray>(same.res.array.array);
  } else if (same.resType == cudaResourceTypeMipmappedArray) {
    made.res.mipmap.hMipmappedArray = reinterpret_cast<CUmipmappedArray>(same.res.mipmap.mipmap);
  } else if (same.resType == cudaResourceTypeLinear) {
    made.res.linear.devPtr = reinterpret_cast<CUdeviceptr>(same.res.linear.devPtr);
    made.res.linear.format = channels.format;
    made.res.linear.numChannels = channels.count;
    made.res.linear.sizeInBytes = same.res.linear.sizeInBytes;
  } else {
    made.res.pitch2D.devPtr = reinterpret_cast<CUdeviceptr>(same.res.pitch2D.devPtr);
    made.res.pitch2D.format = channels.format;
    made.res.pitch2D.numChannels = channels.count;
    made.res.pitch2D.width = same.res.pitch2D.width;
    made.res.pitch2D.height = same.res.pitch2D.height;
    made.res.pitch2D.pitchInBytes = same.res.pitch2D.pitchInBytes;
  }
  return made;
}

CUDA_TEXTURE_DESC driver_texture(const cudaTextureDesc &same, const cudaResourceDesc &resource) {
  CUDA_TEXTURE_DESC made{};
  for (int i = 0; i < 3; ++i) made.addressMode[i] = static_cast<CUaddress_mode>(same.addressMode[i]);
  for (int i = 0; i < 4; ++i) made.borderColor[i] = same.borderColor[i];
  made.filterMode = static_cast<CUfilter_mode>(same.filterMode);
  const cudaChannelFormatDesc channels = channels_of(resource);
  const bool small = channels.f != cudaChannelFormatKindFloat && channels.x < 32;
  if (small && same.readMode == cudaReadModeElementType) made.flags |= CU_TRSF_READ_AS_INTEGER;
  if (same.normalizedCoords) made.flags |= CU_TRSF_NORMALIZED_COORDINATES;
  if (same.sRGB) made.flags |= CU_TRSF_SRGB;
  made.maxAnisotropy = same.maxAnisotropy;
  made.mipmapFilterMode = static_cast<CUfilter_mode>(same.mipmapFilterMode);
  made.mipmapLevelBias = same.mipmapLevelBias;
  made.minMipmapLevelClamp = same.minMipmapLevelClamp;
  made.maxMipmapLevelClamp = same.maxMipmapLevelClamp;
  return made;
}

cudaChannelFormatDesc channels_of(const CUDA_ARRAY3D_DESCRIPTOR &shape) {
  return channels_of(shape.Format, shape.NumChannels);
}

}  // namespace

cudaError_t describe_array(CUarray array, CUDA_ARRAY3D_DESCRIPTOR *shape) {
  const cudaArray *const found = array_of(array);
  if (!is_array(found)) return cudaErrorInvalidResourceHandle;
  if (!shape) return cudaErrorInvalidValue;
  const Channels channels = channels_of(found->format);
  *shape = {found->extent.width, found->extent.height, found->extent.depth,
            channels.format,     channels.count,       found->flags};
  return cudaSuccess;
}

cudaError_t describe_array(CUarray array, CUDA_ARRAY_DESCRIPTOR *shape) {
  CUDA_ARRAY3D_DESCRIPTOR whole;
  if (!shape) return cudaErrorInvalidValue;
  const cudaError_t error = describe_array(array, &whole);
  if (error == cudaSuccess) *shape = {whole.Width, whole.Height, whole.Format, whole.NumChannels};
  return error;
}

cudaError_t create_mipmapped(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *shape, unsigned levels) {
  if (!array || !shape) return cudaErrorInvalidValue;
  const cudaChannelFormatDesc channels = channels_of(*shape);
  return cudaMallocMipmappedArray(reinterpret_cast<cudaMipmappedArray_t *>(array), &channels,
                                  {shape->Width, shape->Height, shape->Depth}, levels, shape->Flags);
}

cudaError_t widest_texture(std::size_t *width, CUarray_format format, unsigned channels, CUdevice device) {
  const cudaChannelFormatDesc texel = channels_of(format, channels);
  if (texel.f == cudaChannelFormatKindNone) return cudaErrorInvalidValue;
  return cudaDeviceGetTexture1DLinearMaxWidth(width, &texel, device);
}

cudaError_t resource_of_texture(CUtexObject texture, CUDA_RESOURCE_DESC *resource) {
  cudaResourceDesc same;
  if (!resource) return cudaErrorInvalidValue;
  const cudaError_t error = cudaGetTextureObjectResourceDesc(&same, texture);
  if (error == cudaSuccess) *resource = driver_resource(same);
  return error;
}

cudaError_t resource_of_surface(CUsurfObject surface, CUDA_RESOURCE_DESC *resource) {
  cudaResourceDesc same;
  if (!resource) return cudaErrorInvalidValue;
  const cudaError_t error = cudaGetSurfaceObjectResourceDesc(&same, surface);
  if (error == cudaSuccess) *resource = driver_resource(same);
  return error;
}

cudaError_t description_of_texture(CUtexObject texture, CUDA_TEXTURE_DESC *description) {
  cudaResourceDesc resource;
  cudaTextureDesc same;
  if (!description) return cudaErrorInvalidValue;
  if (const cudaError_t error = cudaGetTextureObjectResourceDesc(&resource, texture); error != cudaSuccess)
    return error;
  const cudaError_t error = cudaGetTextureObjectTextureDesc(&same, texture);
  if (error == cudaSuccess) *description = driver_texture(same, resource);
  return error;
}

}  // namespace warploom

using namespace warploom;

extern "C" {

CUresult cuArray3DCreate(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray) {
  return driver_call([&] {
    if (!pHandle || !pAllocateArray) return cudaErrorInvalidValue;
    const cudaChannelFormatDesc channels = channels_of(pAllocateArray->Format, pAllocateArray->NumChannels);
    const cudaExtent extent = {pAllocateArray->Width, pAllocateArray->Height, pAllocateArray->Depth};
    return cudaMalloc3DArray(reinterpret_cast<cudaArray_t *>(pHandle), &channels, extent, pAllocateArray->Flags);
  });
}

CUresult cuArrayCreate(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray) {
  if (!pAllocateArray) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_ARRAY3D_DESCRIPTOR whole = {pAllocateArray->Width,  pAllocateArray->Height,      0,
                                         pAllocateArray->Format, pAllocateArray->NumChannels, 0};
  return cuArray3DCreate(pHandle, &whole);
}

CUresult cuArrayDestroy(CUarray hArray) {
  return anywhere_call([&] { return hArray ? cudaFreeArray(array_of(hArray)) : cudaErrorInvalidResourceHandle; });
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *pCopy, CUstream hStream) {
  return stream_driver_call(hStream, [&] { return copy_2d(pCopy, hStream); });
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *pCopy) {
  return driver_call([&] {
    const cudaError_t error = copy_2d(pCopy, nullptr);
    return error == cudaSuccess ? cudaStreamSynchronize(nullptr) : error;
  });
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *pCopy) { return cuMemcpy2D(pCopy); }

CUresult cuTexObjectCreate(CUtexObject *pTexObject, const CUDA_RESOURCE_DESC *pResDesc,
                           const CUDA_TEXTURE_DESC *pTexDesc, const CUDA_RESOURCE_VIEW_DESC *pResViewDesc) {
  return driver_call([&]() -> cudaError_t {
    cudaResourceDesc resource;
    if (!pTexObject || !pTexDesc) return cudaErrorInvalidValue;
    if (const cudaError_t error = resource_of(pResDesc, &resource); error != cudaSuccess) return error;
    const cudaTextureDesc texture = texture_of(*pTexDesc, resource);
    return cudaCreateTextureObject(pTexObject, &resource, &texture,
                                   reinterpret_cast<const cudaResourceViewDesc *>(pResViewDesc));
  });
}

CUresult cuTexObjectDestroy(CUtexObject texObject) {
  return driver_call([&] { return cudaDestroyTextureObject(texObject); });
}

CUresult cuSurfObjectCreate(CUsurfObject *pSurfObject, const CUDA_RESOURCE_DESC *pResDesc) {
  return driver_call([&] {
    cudaResourceDesc resource;
    const cudaError_t error = pSurfObject ? resource_of(pResDesc, &resource) : cudaErrorInvalidValue;
    return error == cudaSuccess ? cudaCreateSurfaceObject(pSurfObject, &resource) : error;
  });
}

CUresult cuSurfObjectDestroy(CUsurfObject surfObject) {
  return driver_call([&] { return cudaDestroySurfaceObject(surfObject); });
}

}  // extern "C"

WARPLOOM_DRIVER_VERSION(cuArrayCreate, _v2);
WARPLOOM_DRIVER_VERSION(cuArray3DCreate, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpy2D, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpy2DUnaligned, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpy2DAsync, _v2);
