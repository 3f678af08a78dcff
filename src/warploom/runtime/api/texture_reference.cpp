// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture references: binding makes a texture object and writes its address into the device's copy of the global.
#include "texture_reference.h"

#include <climits>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "../engine.h"
#include "allocation.h"
#include "array.h"
#include "device.h"
#include "error.h"
#include "queue.h"
#include "texture.h"

namespace warploom {
namespace {

struct Reference {
  const char *image_id;
  std::string name;
  bool normalized_float;
  std::unique_ptr<TextureObject> object;
  std::size_t offset = 0;  // bytes from the aligned address to the one that was bound
};

struct ReferenceTable {
  std::mutex mutex;
  std::unordered_map<const void *, Reference> references;
};

ReferenceTable &reference_table() {
  static ReferenceTable *const instance = new ReferenceTable;
  return *instance;
}

// The layout of __warploom_texture_reference in texture_fetch_functions.h.
struct DeviceReference {
  textureReference settings;
  const TextureObject *object;
};

DeviceReference *device_copy(const Reference &reference) {
  const Variable *variable = reference.image_id ? find_variable(reference.image_id, reference.name.c_str()) : nullptr;
  if (!variable) variable = find_variable(reference.name.c_str());
  if (!variable || variable->size < sizeof(DeviceReference)) return nullptr;
  return static_cast<DeviceReference *>(variable->address);
}

cudaTextureDesc description_of(const textureReference &settings, bool normalized_float) {
  cudaTextureDesc description = {};
  std::memcpy(description.addressMode, settings.addressMode, sizeof description.addressMode);
  description.filterMode = settings.filterMode;
  description.readMode = normalized_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  description.sRGB = settings.sRGB;
  description.normalizedCoords = settings.normalized;
  description.maxAnisotropy = settings.maxAnisotropy;
  description.mipmapFilterMode = settings.mipmapFilterMode;
  description.mipmapLevelBias = settings.mipmapLevelBias;
  description.minMipmapLevelClamp = settings.minMipmapLevelClamp;
  description.maxMipmapLevelClamp = settings.maxMipmapLevelClamp;
  return description;
}

// Bytes from the texture-aligned address at or below `pointer` to it: what the host adds to its fetches.
std::size_t misalignment(const void *pointer) { return warploom::misalignment(pointer, kTextureAlignment); }

cudaError_t bind(const textureReference *host, const cudaResourceDesc &resource, std::size_t offset) {
  wait_for_all();  // grids that have been launched see what was bound then
  ReferenceTable &table = reference_table();
  const std::lock_guard lock(table.mutex);
  const auto found = table.references.find(host);
  if (found == table.references.end()) return cudaErrorInvalidTexture;
  Reference &reference = found->second;
  DeviceReference *device = device_copy(reference);
  if (!device) return cudaErrorInvalidTexture;
  auto object = std::make_unique<TextureObject>();
  const cudaTextureDesc description = description_of(*host, reference.normalized_float);
  if (const cudaError_t error = describe_texture(resource, description, object.get()); error != cudaSuccess)
    return error;
  reference.object = std::move(object);
  reference.offset = offset;
  device->settings = *host;
  device->object = reference.object.get();
  return cudaSuccess;
}

// Bytes that a binding without a size may reach: the rest of the allocation.
std::size_t bound_size(const void *pointer, std::size_t asked) {
  const auto allocation = find_allocation(pointer);
  if (!allocation) return asked;
  const std::size_t rest = allocation->base + allocation->size - reinterpret_cast<std::uintptr_t>(pointer);
  return asked == UINT_MAX || asked > rest ? rest : asked;
}

cudaError_t bind_linear(std::size_t *offset, const textureReference *host, const void *pointer,
                        const cudaChannelFormatDesc *format, std::size_t size) {
  if (!host || !pointer || !format) return cudaErrorInvalidValue;
  const std::size_t before = misalignment(pointer);
  if (before && !offset) return cudaErrorInvalidValue;
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = static_cast<char *>(const_cast<void *>(pointer)) - before;
  resource.res.linear.desc = *format;
  resource.res.linear.sizeInBytes = bound_size(pointer, size) + before;
  if (offset) *offset = before;
  return bind(host, resource, before);
}

}  // namespace

void add_texture_reference(const char *image_id, const void *host, const char *name, bool normalized_float) {
  ReferenceTable &table = reference_table();
  const std::lock_guard lock(table.mutex);
  table.references[host] = Reference{image_id, name, normalized_float, nullptr};
}

}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaBindTexture(size_t *offset, const textureReference *texref, const void *devPtr,
                            const cudaChannelFormatDesc *desc, size_t size) {
  return api_call([&] { return bind_linear(offset, texref, devPtr, desc, size); });
}

cudaError_t cudaBindTexture2D(size_t *offset, const textureReference *texref, const void *devPtr,
                              const cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch) {
  return api_call([&] {
    if (!texref || !devPtr || !desc) return cudaErrorInvalidValue;
    if (misalignment(devPtr) != 0)
      return not_supported("cudaBindTexture2D", "the address is no multiple of 512 bytes: cudaMallocPitch gives one");
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D = {const_cast<void *>(devPtr), *desc, width, height, pitch};
    if (offset) *offset = 0;
    return bind(texref, resource, 0);
  });
}

cudaError_t cudaBindTextureToArray(const textureReference *texref, cudaArray_const_t array,
                                   const cudaChannelFormatDesc *) {
  return api_call([&] {
    if (!texref || !array) return cudaErrorInvalidValue;
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = const_cast<cudaArray_t>(array);
    return bind(texref, resource, 0);
  });
}

cudaError_t cudaBindTextureToMipmappedArray(const textureReference *texref, cudaMipmappedArray_const_t mipmappedArray,
                                            const cudaChannelFormatDesc *) {
  return api_call([&] {
    if (!texref || !mipmappedArray) return cudaErrorInvalidValue;
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = const_cast<cudaMipmappedArray_t>(mipmappedArray);
    return bind(texref, resource, 0);
  });
}

cudaError_t cudaUnbindTexture(const textureReference *texref) {
  return api_call([&] {
    wait_for_all();
    ReferenceTable &table = reference_table();
    const std::lock_guard lock(table.mutex);
    const auto found = table.references.find(texref);
    if (found == table.references.end()) return cudaErrorInvalidTexture;
    if (DeviceReference *device = device_copy(found->second)) device->object = nullptr;
    found->second.object.reset();
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const textureReference *texref) {
  return api_call([&] {
    if (!offset) return cudaErrorInvalidValue;
    ReferenceTable &table = reference_table();
    const std::lock_guard lock(table.mutex);
    const auto found = table.references.find(texref);
    if (found == table.references.end()) return cudaErrorInvalidTexture;
    if (!found->second.object) return cudaErrorInvalidTextureBinding;
    *offset = found->second.offset;
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureReference(const textureReference **texref, const void *symbol) {
  return api_call([&] {
    if (!texref) return cudaErrorInvalidValue;
    ReferenceTable &table = reference_table();
    const std::lock_guard lock(table.mutex);
    if (!table.references.contains(symbol)) return cudaErrorInvalidTexture;
    *texref = static_cast<const textureReference *>(symbol);
    return cudaSuccess;
  });
}

}  // extern "C"
