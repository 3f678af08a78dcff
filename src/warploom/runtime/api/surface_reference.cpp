// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Surface references: binding makes a surface object and writes its address into the device's copy of the global.
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "../engine.h"
#include "array.h"
#include "error.h"
#include "queue.h"
#include "texture.h"
#include "texture_reference.h"

namespace warploom {
namespace {

struct Reference {
  const char *image_id;
  std::string name;
  std::unique_ptr<SurfaceObject> object;
};

struct ReferenceTable {
  std::mutex mutex;
  std::unordered_map<const void *, Reference> references;
};

ReferenceTable &reference_table() {
  static ReferenceTable *const instance = new ReferenceTable;
  return *instance;
}

// The layout of __warploom_surface_reference in surface_functions.h.
struct DeviceReference {
  surfaceReference settings;
  const SurfaceObject *object;
};

DeviceReference *device_copy(const Reference &reference) {
  const Variable *variable = reference.image_id ? find_variable(reference.image_id, reference.name.c_str()) : nullptr;
  if (!variable) variable = find_variable(reference.name.c_str());
  if (!variable || variable->size < sizeof(DeviceReference)) return nullptr;
  return static_cast<DeviceReference *>(variable->address);
}

cudaError_t bind(const surfaceReference *host, const cudaArray *array) {
  wait_for_all();  // grids that have been launched see what was bound then
  if (!is_array(array)) return cudaErrorInvalidResourceHandle;
  ReferenceTable &table = reference_table();
  const std::lock_guard lock(table.mutex);
  const auto found = table.references.find(host);
  DeviceReference *const device = found == table.references.end() ? nullptr : device_copy(found->second);
  if (!device) return cudaErrorInvalidSurface;
  found->second.object = std::make_unique<SurfaceObject>(SurfaceObject{level_of(*array)});
  device->settings = *host;
  device->object = found->second.object.get();
  return cudaSuccess;
}

}  // namespace

void add_surface_reference(const char *image_id, const void *host, const char *name) {
  ReferenceTable &table = reference_table();
  const std::lock_guard lock(table.mutex);
  table.references[host] = Reference{image_id, name, nullptr};
}

}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaBindSurfaceToArray(const surfaceReference *surfref, cudaArray_const_t array,
                                   const cudaChannelFormatDesc *) {
  return api_call([&] { return surfref && array ? bind(surfref, array) : cudaErrorInvalidValue; });
}

cudaError_t cudaGetSurfaceReference(const surfaceReference **surfref, const void *symbol) {
  return api_call([&] {
    if (!surfref) return cudaErrorInvalidValue;
    ReferenceTable &table = reference_table();
    const std::lock_guard lock(table.mutex);
    if (!table.references.contains(symbol)) return cudaErrorInvalidSurface;
    *surfref = static_cast<const surfaceReference *>(symbol);
    return cudaSuccess;
  });
}

}  // extern "C"
