// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NPP's memory and version.
#include <npp.h>

#include <cstddef>
#include <cstdint>

namespace {

// Rows begin where a device likes it.
void *allocate_image(int width, int height, std::size_t pixel, int *step) {
  void *memory = nullptr;
  std::size_t pitch = 0;
  if (width <= 0 || height <= 0 || step == nullptr) return nullptr;
  const auto bytes = static_cast<std::size_t>(width) * pixel;
  if (cudaMallocPitch(&memory, &pitch, bytes, static_cast<std::size_t>(height)) != cudaSuccess) return nullptr;
  *step = static_cast<int>(pitch);
  return memory;
}

void *allocate_signal(std::size_t count, std::size_t element) {
  void *memory = nullptr;
  if (count == 0 || count > SIZE_MAX / element) return nullptr;
  return cudaMalloc(&memory, count * element) == cudaSuccess ? memory : nullptr;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

const NppLibraryVersion *nppGetLibVersion() {
  static constexpr NppLibraryVersion kVersion = {NPP_VER_MAJOR, NPP_VER_MINOR, NPP_VER_BUILD};
  return &kVersion;
}

#define WARPLOOM_IMAGE(TYPE, CHANNELS)                                                                  \
  Npp##TYPE *nppiMalloc_##TYPE##_C##CHANNELS(int width, int height, int *step) {                        \
    return static_cast<Npp##TYPE *>(allocate_image(width, height, CHANNELS * sizeof(Npp##TYPE), step)); \
  }
WARPLOOM_IMAGE(8u, 1)
WARPLOOM_IMAGE(8u, 2)
WARPLOOM_IMAGE(8u, 3)
WARPLOOM_IMAGE(8u, 4)
WARPLOOM_IMAGE(16u, 1)
WARPLOOM_IMAGE(16u, 2)
WARPLOOM_IMAGE(16u, 3)
WARPLOOM_IMAGE(16u, 4)
WARPLOOM_IMAGE(16s, 1)
WARPLOOM_IMAGE(16s, 2)
WARPLOOM_IMAGE(16s, 4)
WARPLOOM_IMAGE(32s, 1)
WARPLOOM_IMAGE(32s, 3)
WARPLOOM_IMAGE(32s, 4)
WARPLOOM_IMAGE(32f, 1)
WARPLOOM_IMAGE(32f, 2)
WARPLOOM_IMAGE(32f, 3)
WARPLOOM_IMAGE(32f, 4)

#define WARPLOOM_SIGNAL(TYPE)                                                   \
  Npp##TYPE *nppsMalloc_##TYPE(size_t count) {                                  \
    return static_cast<Npp##TYPE *>(allocate_signal(count, sizeof(Npp##TYPE))); \
  }
WARPLOOM_SIGNAL(8u)
WARPLOOM_SIGNAL(8s)
WARPLOOM_SIGNAL(16u)
WARPLOOM_SIGNAL(16s)
WARPLOOM_SIGNAL(16sc)
WARPLOOM_SIGNAL(32u)
WARPLOOM_SIGNAL(32s)
WARPLOOM_SIGNAL(32sc)
WARPLOOM_SIGNAL(32f)
WARPLOOM_SIGNAL(32fc)
WARPLOOM_SIGNAL(64s)
WARPLOOM_SIGNAL(64sc)
WARPLOOM_SIGNAL(64f)
WARPLOOM_SIGNAL(64fc)

void nppiFree(void *data) { static_cast<void>(cudaFree(data)); }
void nppsFree(void *data) { static_cast<void>(cudaFree(data)); }

}  // extern "C"
#pragma GCC visibility pop
