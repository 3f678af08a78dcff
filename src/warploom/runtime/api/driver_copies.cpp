// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of boxes: the driver API's description, and the runtime API's.
#include "array.h"
#include "driver_helpers.h"

namespace warploom {
namespace {

static_assert(sizeof(CUDA_MEMCPY3D) == sizeof(CUDA_MEMCPY3D_PEER));

// One end in the driver API's words.
struct End {
  CUmemorytype type;
  const void *host;
  CUdeviceptr device;
  CUarray array;
  std::size_t x_bytes, y, z, level, pitch, height;
};

End source_of(const CUDA_MEMCPY3D &copy) {
  return {copy.srcMemoryType, copy.srcHost, copy.srcDevice, copy.srcArray, copy.srcXInBytes,
          copy.srcY,          copy.srcZ,    copy.srcLOD,    copy.srcPitch, copy.srcHeight};
}

End target_of(const CUDA_MEMCPY3D &copy) {
  return {copy.dstMemoryType, copy.dstHost, copy.dstDevice, copy.dstArray, copy.dstXInBytes,
          copy.dstY,          copy.dstZ,    copy.dstLOD,    copy.dstPitch, copy.dstHeight};
}

struct RuntimeEnd {
  cudaArray_t array = nullptr;
  cudaPos position = {};
  cudaPitchedPtr memory = {};
};

cudaError_t translate(const End &end, const CUDA_MEMCPY3D &copy, RuntimeEnd *same) {
  if (end.level != 0) return cudaErrorInvalidValue;
  if (end.type == CU_MEMORYTYPE_ARRAY) {
    same->array = reinterpret_cast<cudaArray_t>(end.array);
    if (!is_array(same->array)) return cudaErrorInvalidResourceHandle;
    if (end.x_bytes % same->array->texel || copy.WidthInBytes % same->array->texel) return cudaErrorInvalidValue;
    same->position = {end.x_bytes / same->array->texel, end.y, end.z};
    return cudaSuccess;
  }
  if (end.type < CU_MEMORYTYPE_HOST || end.type > CU_MEMORYTYPE_UNIFIED) return cudaErrorInvalidValue;
  void *const memory = end.type == CU_MEMORYTYPE_HOST ? const_cast<void *>(end.host) : pointer(end.device);
  if (!memory) return cudaErrorInvalidValue;
  const std::size_t pitch = end.pitch ? end.pitch : end.x_bytes + copy.WidthInBytes;
  const std::size_t height = end.height ? end.height : end.y + copy.Height;
  if (end.x_bytes + copy.WidthInBytes > pitch || end.y + copy.Height > height) return cudaErrorInvalidValue;
  same->position = {end.x_bytes, end.y, end.z};
  same->memory = {memory, pitch, pitch, height};
  return cudaSuccess;
}

cudaMemcpyKind kind_of(CUmemorytype source, CUmemorytype target) {
  if (source == CU_MEMORYTYPE_UNIFIED || target == CU_MEMORYTYPE_UNIFIED) return cudaMemcpyDefault;
  const bool from_host = source == CU_MEMORYTYPE_HOST, to_host = target == CU_MEMORYTYPE_HOST;
  return from_host ? (to_host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice)
                   : (to_host ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice);
}

CUmemorytype type_of(const RuntimeEnd &end, cudaMemcpyKind kind, cudaMemcpyKind one, cudaMemcpyKind other) {
  if (end.array) return CU_MEMORYTYPE_ARRAY;
  if (kind == cudaMemcpyDefault) return CU_MEMORYTYPE_UNIFIED;
  return kind == one || kind == other ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

End driver_end(const RuntimeEnd &end, CUmemorytype type) {
  const std::size_t texel = end.array ? end.array->texel : 1;
  End made = {type,
              nullptr,
              0,
              reinterpret_cast<CUarray>(end.array),
              end.position.x * texel,
              end.position.y,
              end.position.z,
              0,
              end.memory.pitch,
              end.memory.ysize};
  if (type == CU_MEMORYTYPE_HOST)
    made.host = end.memory.ptr;
  else if (!end.array)
    made.device = reinterpret_cast<CUdeviceptr>(end.memory.ptr);
  return made;
}

CUDA_MEMCPY3D driver_copy(const cudaMemcpy3DParms &same) {
  const RuntimeEnd source = {same.srcArray, same.srcPos, same.srcPtr},
                   target = {same.dstArray, same.dstPos, same.dstPtr};
  const End from = driver_end(source, type_of(source, same.kind, cudaMemcpyHostToDevice, cudaMemcpyHostToHost));
  const End to = driver_end(target, type_of(target, same.kind, cudaMemcpyDeviceToHost, cudaMemcpyHostToHost));
  const cudaArray_t counted = same.dstArray ? same.dstArray : same.srcArray;
  const std::size_t texel = counted ? counted->texel : 1;
  return {from.x_bytes,
          from.y,
          from.z,
          0,
          from.type,
          from.host,
          from.device,
          from.array,
          nullptr,
          from.pitch,
          from.height,
          to.x_bytes,
          to.y,
          to.z,
          0,
          to.type,
          const_cast<void *>(to.host),
          to.device,
          to.array,
          nullptr,
          to.pitch,
          to.height,
          same.extent.width * texel,
          same.extent.height,
          same.extent.depth};
}

}  // namespace

cudaError_t runtime_copy(const CUDA_MEMCPY3D *copy, cudaMemcpy3DParms *same) {
  if (!copy) return cudaErrorInvalidValue;
  RuntimeEnd from, to;
  if (const cudaError_t error = translate(source_of(*copy), *copy, &from); error != cudaSuccess) return error;
  if (const cudaError_t error = translate(target_of(*copy), *copy, &to); error != cudaSuccess) return error;
  const cudaArray_t counted = to.array ? to.array : from.array;
  const std::size_t width = copy->WidthInBytes / (counted ? counted->texel : 1);
  *same = {from.array,
           from.position,
           from.memory,
           to.array,
           to.position,
           to.memory,
           {width, copy->Height, copy->Depth},
           kind_of(copy->srcMemoryType, copy->dstMemoryType)};
  return cudaSuccess;
}

cudaError_t copy_3d(const CUDA_MEMCPY3D *copy) {
  return with_copy(copy, [](const cudaMemcpy3DParms &same) { return cudaMemcpy3D(&same); });
}

cudaError_t copy_3d(const CUDA_MEMCPY3D *copy, CUstream stream) {
  return with_copy(copy, [&](const cudaMemcpy3DParms &same) { return cudaMemcpy3DAsync(&same, stream); });
}

cudaError_t copy_rows(CUarray target, std::size_t target_offset, CUarray source, std::size_t source_offset,
                      std::size_t size) {
  return cudaMemcpyArrayToArray(reinterpret_cast<cudaArray_t>(target), target_offset, 0,
                                reinterpret_cast<cudaArray_t>(source), source_offset, 0, size,
                                cudaMemcpyDeviceToDevice);
}

cudaError_t copy_of_node(CUgraphNode node, CUDA_MEMCPY3D *copy) {
  cudaMemcpy3DParms same;
  if (!copy) return cudaErrorInvalidValue;
  const cudaError_t error = cudaGraphMemcpyNodeGetParams(node, &same);
  if (error == cudaSuccess) *copy = driver_copy(same);
  return error;
}

}  // namespace warploom
