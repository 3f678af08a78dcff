// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "texture.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "../fork_lock.h"
#include "allocation.h"
#include "array.h"
#include "device.h"
#include "error.h"
#include "queue.h"
#include "srgb_table.h"

namespace warploom {
namespace {

struct TextureEntry {
  std::unique_ptr<TextureObject> object;
  cudaResourceDesc resource;
  cudaTextureDesc description;
  cudaResourceViewDesc view;
};

struct SurfaceEntry {
  std::unique_ptr<SurfaceObject> object;
  cudaResourceDesc resource;
};

struct ObjectTable {
  Forkable<std::mutex> mutex;
  std::unordered_map<cudaTextureObject_t, TextureEntry> textures;
  std::unordered_map<cudaSurfaceObject_t, SurfaceEntry> surfaces;
};

ObjectTable &object_table() {
  static ObjectTable *const instance = new ObjectTable;
  return *instance;
}

void set_format(const cudaChannelFormatDesc &format, TextureObject *texture) {
  texture->texel = static_cast<int>(texel_size(format));
  texture->channel_bits = format.x;
  texture->channels = texture->texel * 8 / std::max(format.x, 1);
  texture->channel_kind = format.f;
}

cudaError_t describe_array(const cudaArray *array, TextureObject *texture) {
  if (!is_array(array)) return cudaErrorInvalidResourceHandle;
  set_format(array->format, texture);
  texture->level_count = 1;
  texture->levels[0] = level_of(*array);
  return cudaSuccess;
}

cudaError_t describe_mipmapped(cudaMipmappedArray_const_t array, TextureObject *texture) {
  if (!is_mipmapped(array)) return cudaErrorInvalidResourceHandle;
  set_format(base_level(array)->format, texture);
  cudaArray_t level = nullptr;
  int count = 0;
  while (count < kMaxTextureLevels && (level = mip_level(array, static_cast<unsigned>(count))))
    texture->levels[count++] = level_of(*level);
  texture->level_count = count;
  return cudaSuccess;
}

bool is_aligned(const void *pointer) { return misalignment(pointer, kTextureAlignment) == 0; }

// Bytes of the allocation from `pointer` on, at most `size`.
std::size_t held_from(const void *pointer, std::size_t size) {
  const auto allocation = find_allocation(pointer);
  if (!allocation || holds_all(*allocation, pointer, size)) return size;
  return allocation->base + allocation->size - reinterpret_cast<std::uintptr_t>(pointer);
}

cudaError_t describe_linear(void *pointer, const cudaChannelFormatDesc &format, TextureLevel level,
                            TextureObject *texture) {
  set_format(format, texture);
  if (texture->texel == 0) return cudaErrorInvalidChannelDescriptor;
  if (!pointer || !is_aligned(pointer)) return cudaErrorInvalidValue;
  if (level.pitch == 0) {  // linear memory: as many texels as fit, of what there is; a GPU takes a size beyond it, too
    level.width = static_cast<unsigned>(held_from(pointer, level.width)) / static_cast<unsigned>(texture->texel);
    level.pitch = level.width * static_cast<unsigned>(texture->texel);
  }
  level.data = static_cast<unsigned char *>(pointer);
  level.depth = 1;
  level.slice = level.pitch * level.height;
  if (level.pitch < level.width * static_cast<unsigned>(texture->texel)) return cudaErrorInvalidPitchValue;
  const std::size_t span =
      level.slice ? level.slice - level.pitch + level.width * static_cast<unsigned>(texture->texel) : 0;
  if (check_memory(pointer, span, Side::kDevice) != cudaSuccess) return cudaErrorInvalidValue;
  texture->level_count = 1;
  texture->levels[0] = level;
  return cudaSuccess;
}

cudaError_t describe_resource(const cudaResourceDesc &resource, TextureObject *texture) {
  switch (resource.resType) {
    case cudaResourceTypeArray:
      return describe_array(resource.res.array.array, texture);
    case cudaResourceTypeMipmappedArray:
      return describe_mipmapped(resource.res.mipmap.mipmap, texture);
    case cudaResourceTypeLinear: {
      const auto &linear = resource.res.linear;
      return describe_linear(linear.devPtr, linear.desc, {nullptr, linear.sizeInBytes, 1, 1, 0, 0}, texture);
    }
    case cudaResourceTypePitch2D: {
      const auto &pitched = resource.res.pitch2D;
      if (pitched.pitchInBytes == 0) return cudaErrorInvalidValue;
      return describe_linear(pitched.devPtr, pitched.desc,
                             {nullptr, pitched.width, pitched.height, 1, pitched.pitchInBytes, 0}, texture);
    }
  }
  return cudaErrorInvalidValue;
}

cudaError_t create_texture(cudaTextureObject_t *handle, const cudaResourceDesc *resource,
                           const cudaTextureDesc *description, const cudaResourceViewDesc *view) {
  if (!handle || !resource || !description) return cudaErrorInvalidValue;
  if (description->seamlessCubemap)
    return not_supported("cudaCreateTextureObject", "a cubemap is filtered within each face: set seamlessCubemap to 0");
  if (view && view->format != cudaResViewFormatNone)
    return not_supported("cudaCreateTextureObject",
                         "a resource view keeps the format: make the array in the format that is to be read");
  TextureEntry entry = {std::make_unique<TextureObject>(), *resource, *description, {}};
  if (view) entry.view = *view;
  if (const cudaError_t error = describe_texture(*resource, *description, entry.object.get()); error != cudaSuccess)
    return error;
  *handle = reinterpret_cast<cudaTextureObject_t>(entry.object.get());
  ObjectTable &table = object_table();
  const std::lock_guard lock(table.mutex);
  table.textures.emplace(*handle, std::move(entry));
  return cudaSuccess;
}

cudaError_t create_surface(cudaSurfaceObject_t *handle, const cudaResourceDesc *resource) {
  if (!handle || !resource || resource->resType != cudaResourceTypeArray) return cudaErrorInvalidValue;
  const cudaArray *array = resource->res.array.array;
  if (!is_array(array)) return cudaErrorInvalidResourceHandle;
  SurfaceEntry entry = {std::make_unique<SurfaceObject>(SurfaceObject{level_of(*array)}), *resource};
  *handle = reinterpret_cast<cudaSurfaceObject_t>(entry.object.get());
  ObjectTable &table = object_table();
  const std::lock_guard lock(table.mutex);
  table.surfaces.emplace(*handle, std::move(entry));
  return cudaSuccess;
}

// The body of an entry point on a live texture object.
template <class Body>
cudaError_t texture_call(cudaTextureObject_t handle, Body &&body, const Caller &caller = WARPLOOM_CALLER) {
  const auto locked = [&]() -> cudaError_t {
    ObjectTable &table = object_table();
    const std::lock_guard lock(table.mutex);
    const auto found = table.textures.find(handle);
    return found != table.textures.end() ? body(found->second) : cudaErrorInvalidValue;
  };
  return api_call(locked, caller);
}

}  // namespace

bool is_texture_object(const void *value) {
  const auto handle = reinterpret_cast<cudaTextureObject_t>(value);
  ObjectTable &table = object_table();
  const std::lock_guard lock(table.mutex);
  return table.textures.contains(handle) || table.surfaces.contains(handle);
}

bool is_in_texture_object(const void *address) {
  const auto within = [address](const auto &object) {
    return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(&object) < sizeof object;
  };
  ObjectTable &table = object_table();
  const std::lock_guard lock(table.mutex);
  return std::ranges::any_of(table.textures, [&](const auto &each) { return within(*each.second.object); }) ||
         std::ranges::any_of(table.surfaces, [&](const auto &each) { return within(*each.second.object); });
}

TextureLevel level_of(const cudaArray &array) {
  return {reinterpret_cast<unsigned char *>(array.data),
          array.width(),
          array.height(),
          array.depth(),
          array.pitch(),
          array.pitch() * array.height()};
}

cudaError_t describe_texture(const cudaResourceDesc &resource, const cudaTextureDesc &description,
                             TextureObject *texture) {
  *texture = TextureObject{};
  if (const cudaError_t error = describe_resource(resource, texture); error != cudaSuccess) return error;
  const bool floats = texture->channel_kind == cudaChannelFormatKindFloat;
  const bool normalized = description.readMode == cudaReadModeNormalizedFloat;
  if (normalized && (floats || texture->channel_bits == 32)) return cudaErrorInvalidNormSetting;
  if (description.filterMode == cudaFilterModeLinear && !floats && !normalized) return cudaErrorInvalidFilterSetting;
  std::copy_n(description.addressMode, 3, texture->address_mode);
  texture->linear_filter = description.filterMode == cudaFilterModeLinear;
  texture->linear_between_levels = description.mipmapFilterMode == cudaFilterModeLinear;
  texture->normalized_coordinates = description.normalizedCoords != 0;
  texture->normalized_float = normalized;
  texture->linear_of_srgb = description.sRGB && texture->channel_bits == 8 ? kLinearOfSrgb : nullptr;
  std::copy_n(description.borderColor, 4, texture->border);
  texture->level_bias = description.mipmapLevelBias;
  texture->min_level = description.minMipmapLevelClamp;
  texture->max_level = description.maxMipmapLevelClamp;
  return cudaSuccess;
}

}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *pTexObject, const cudaResourceDesc *pResDesc,
                                    const cudaTextureDesc *pTexDesc, const cudaResourceViewDesc *pResViewDesc) {
  return api_call([&] { return create_texture(pTexObject, pResDesc, pTexDesc, pResViewDesc); });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texObject) {
  return api_call([&] {
    wait_for_all();
    ObjectTable &table = object_table();
    const std::lock_guard lock(table.mutex);
    return texObject == 0 || table.textures.erase(texObject) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *pResDesc, cudaTextureObject_t texObject) {
  return texture_call(texObject, [&](const TextureEntry &entry) {
    if (!pResDesc) return cudaErrorInvalidValue;
    *pResDesc = entry.resource;
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *pTexDesc, cudaTextureObject_t texObject) {
  return texture_call(texObject, [&](const TextureEntry &entry) {
    if (!pTexDesc) return cudaErrorInvalidValue;
    *pTexDesc = entry.description;
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc *pResViewDesc, cudaTextureObject_t texObject) {
  return texture_call(texObject, [&](const TextureEntry &entry) {
    if (!pResViewDesc) return cudaErrorInvalidValue;
    *pResViewDesc = entry.view;
    return cudaSuccess;
  });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *pSurfObject, const cudaResourceDesc *pResDesc) {
  return api_call([&] { return create_surface(pSurfObject, pResDesc); });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject) {
  return api_call([&] {
    wait_for_all();
    ObjectTable &table = object_table();
    const std::lock_guard lock(table.mutex);
    return surfObject == 0 || table.surfaces.erase(surfObject) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *pResDesc, cudaSurfaceObject_t surfObject) {
  return api_call([&] {
    ObjectTable &table = object_table();
    const std::lock_guard lock(table.mutex);
    const auto found = table.surfaces.find(surfObject);
    if (!pResDesc || found == table.surfaces.end()) return cudaErrorInvalidValue;
    *pResDesc = found->second.resource;
    return cudaSuccess;
  });
}

}  // extern "C"
