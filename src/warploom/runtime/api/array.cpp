// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "array.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "../fork_lock.h"
#include "allocation.h"
#include "error.h"
#include "stream.h"

struct cudaMipmappedArray {
  std::vector<cudaArray_t> levels;
};

namespace warploom {
namespace {

struct ArrayTable {
  Forkable<std::mutex> mutex;
  std::unordered_set<const cudaArray *> arrays;
  std::unordered_set<const cudaMipmappedArray *> mipmapped;
};

ArrayTable &array_table() {
  static ArrayTable *const instance = new ArrayTable;
  return *instance;
}

// Six square faces, or layers of six.
bool is_cube(const cudaExtent &extent, unsigned flags) {
  const bool six = flags & cudaArrayLayered ? extent.depth != 0 && extent.depth % 6 == 0 : extent.depth == 6;
  return six && extent.width == extent.height;
}

cudaError_t create_array(cudaArray_t *handle, const cudaChannelFormatDesc *format, const cudaExtent &extent,
                         unsigned flags) {
  if (!handle || !format || extent.width == 0) return cudaErrorInvalidValue;
  if (extent.depth && !extent.height && !(flags & cudaArrayLayered)) return cudaErrorInvalidValue;
  if ((flags & cudaArrayCubemap) && !is_cube(extent, flags)) return cudaErrorInvalidValue;
  const std::size_t texel = texel_size(*format);
  if (texel == 0) return cudaErrorInvalidChannelDescriptor;
  auto array = std::make_unique<cudaArray>(cudaArray{*format, extent, flags, nullptr, texel, true});
  std::size_t size = 0;
  if (__builtin_mul_overflow(array->pitch(), array->height(), &size) ||
      __builtin_mul_overflow(size, array->depth(), &size))
    return cudaErrorMemoryAllocation;
  array->data = static_cast<std::byte *>(allocate(size, MemoryKind::kArray));
  if (!array->data) return cudaErrorMemoryAllocation;
  ArrayTable &table = array_table();
  const std::lock_guard lock(table.mutex);
  *handle = array.release();
  table.arrays.insert(*handle);
  return cudaSuccess;
}

cudaError_t destroy_array(cudaArray_t array) {
  {
    ArrayTable &table = array_table();
    const std::lock_guard lock(table.mutex);
    if (table.arrays.erase(array) == 0) return cudaErrorInvalidResourceHandle;
  }
  release(array->data, MemoryKind::kArray, MemoryKind::kArray);
  delete array;
  return cudaSuccess;
}

std::size_t halved(std::size_t size, unsigned level) { return size ? std::max<std::size_t>(size >> level, 1) : 0; }

cudaError_t create_mipmapped(cudaMipmappedArray_t *handle, const cudaChannelFormatDesc *format,
                             const cudaExtent &extent, unsigned levels, unsigned flags) {
  if (!handle || !format || levels == 0 || extent.width == 0) return cudaErrorInvalidValue;
  const bool has_layers = flags & (cudaArrayLayered | cudaArrayCubemap);
  const std::size_t longest = std::max({extent.width, extent.height, has_layers ? 1 : extent.depth});
  while (levels > 1 && longest >> (levels - 1) == 0) --levels;
  auto mipmapped = std::make_unique<cudaMipmappedArray>();
  for (unsigned level = 0; level < levels; ++level) {
    const cudaExtent size = {halved(extent.width, level), halved(extent.height, level),
                             has_layers ? extent.depth : halved(extent.depth, level)};
    cudaArray_t array = nullptr;
    if (const cudaError_t error = create_array(&array, format, size, flags); error != cudaSuccess) {
      for (cudaArray_t made : mipmapped->levels) destroy_array(made);
      return error;
    }
    array->owned = false;
    mipmapped->levels.push_back(array);
  }
  ArrayTable &table = array_table();
  const std::lock_guard lock(table.mutex);
  *handle = mipmapped.release();
  table.mipmapped.insert(*handle);
  return cudaSuccess;
}

}  // namespace

std::size_t texel_size(const cudaChannelFormatDesc &format) {
  const int bits[4] = {format.x, format.y, format.z, format.w};
  const int width = format.x;
  if (width != 8 && width != 16 && width != 32) return 0;
  if (format.f == cudaChannelFormatKindFloat ? width == 8 : format.f > cudaChannelFormatKindFloat) return 0;
  int count = 1;
  while (count < 4 && bits[count] == width) ++count;
  for (int i = count; i < 4; ++i)
    if (bits[i] != 0) return 0;
  return count == 3 ? 0 : static_cast<std::size_t>(count * width / 8);
}

bool is_array(const cudaArray *array) {
  ArrayTable &table = array_table();
  const std::lock_guard lock(table.mutex);
  return table.arrays.contains(array);
}

bool is_mipmapped(const cudaMipmappedArray *array) {
  ArrayTable &table = array_table();
  const std::lock_guard lock(table.mutex);
  return table.mipmapped.contains(array);
}

cudaArray_t mip_level(cudaMipmappedArray_const_t array, unsigned level) {
  return level < array->levels.size() ? array->levels[level] : nullptr;
}

const cudaArray *base_level(const cudaMipmappedArray *array) { return array->levels.front(); }

bool array_area(const cudaArray *array, std::size_t x_bytes, std::size_t y, std::size_t z, const Box &box, Area *area) {
  const auto within = [](std::size_t offset, std::size_t count, std::size_t limit) {
    return offset <= limit && count <= limit - offset;
  };
  if (!within(x_bytes, box.width, array->pitch()) || !within(y, box.height, array->height()) ||
      !within(z, box.depth, array->depth()))
    return false;
  const std::size_t slice = array->pitch() * array->height();
  *area = {array->data + z * slice + y * array->pitch() + x_bytes, array->pitch(), slice};
  return true;
}

}  // namespace warploom

using namespace warploom;

extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return {x, y, z, w, f};
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *desc, cudaArray_const_t array) {
  return api_call([&] {
    if (!desc) return cudaErrorInvalidValue;
    if (!is_array(array)) return cudaErrorInvalidResourceHandle;
    *desc = array->format;
    return cudaSuccess;
  });
}

cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *desc, size_t width, size_t height,
                            unsigned int flags) {
  return api_call([&] { return create_array(array, desc, {width, height, 0}, flags); });
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *desc, cudaExtent extent,
                              unsigned int flags) {
  return api_call([&] { return create_array(array, desc, extent, flags); });
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  return api_call([&] {
    if (!array) return cudaSuccess;
    if (is_array(array) && !array->owned) return cudaErrorInvalidValue;
    wait_for_all();
    return destroy_array(array);
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *desc, cudaExtent *extent, unsigned int *flags, cudaArray_t array) {
  return api_call([&] {
    if (!is_array(array)) return cudaErrorInvalidResourceHandle;
    if (desc) *desc = array->format;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmappedArray, const cudaChannelFormatDesc *desc,
                                     cudaExtent extent, unsigned int numLevels, unsigned int flags) {
  return api_call([&] { return create_mipmapped(mipmappedArray, desc, extent, numLevels, flags); });
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray) {
  return api_call([&] {
    if (!mipmappedArray) return cudaSuccess;
    wait_for_all();
    {
      ArrayTable &table = array_table();
      const std::lock_guard lock(table.mutex);
      if (table.mipmapped.erase(mipmappedArray) == 0) return cudaErrorInvalidResourceHandle;
    }
    for (cudaArray_t level : mipmappedArray->levels) destroy_array(level);
    delete mipmappedArray;
    return cudaSuccess;
  });
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *levelArray, cudaMipmappedArray_const_t mipmappedArray,
                                       unsigned int level) {
  return api_call([&] {
    if (!levelArray) return cudaErrorInvalidValue;
    if (!is_mipmapped(mipmappedArray)) return cudaErrorInvalidResourceHandle;
    if (level >= mipmappedArray->levels.size()) return cudaErrorInvalidValue;
    *levelArray = mipmappedArray->levels[level];
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *maxWidth, const cudaChannelFormatDesc *desc, int) {
  return api_call([&] {
    if (!maxWidth || !desc) return cudaErrorInvalidValue;
    const std::size_t texel = texel_size(*desc);
    if (texel == 0) return cudaErrorInvalidChannelDescriptor;
    *maxWidth = std::size_t{1} << 28;
    return cudaSuccess;
  });
}

}  // extern "C"
