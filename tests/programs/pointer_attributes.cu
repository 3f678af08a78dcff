// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Memory / pointer attributes
// cudaPointerGetAttributes tells device, pinned, managed and ordinary memory apart, also inside an allocation.
#include "check.h"

__device__ int variable[4];

void show(const char *what, const void *pointer) {
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, pointer));
  const char *type = attributes.type == cudaMemoryTypeDevice         ? "device"
                     : attributes.type == cudaMemoryTypeHost         ? "host"
                     : attributes.type == cudaMemoryTypeManaged      ? "managed"
                     : attributes.type == cudaMemoryTypeUnregistered ? "unregistered"
                                                                     : "unknown";
  std::printf("%s: %s, %s, %s\n", what, type, attributes.devicePointer == pointer ? "device address" : "none",
              attributes.hostPointer == pointer ? "host address" : "none");
}

int main() {
  char *device = nullptr, *pinned = nullptr, *managed = nullptr;
  std::vector<char> ordinary(100);
  CHECK(cudaMalloc(&device, 1000));
  CHECK(cudaMallocHost(&pinned, 1000));
  CHECK(cudaMallocManaged(&managed, 1000));
  void *symbol = nullptr;
  CHECK(cudaGetSymbolAddress(&symbol, variable));
  show("device", device);
  show("inside", device + 500);
  show("pinned", pinned + 10);
  show("managed", managed);
  show("ordinary", ordinary.data());
  show("symbol", symbol);
  CHECK(cudaFree(device));
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaFree(managed));
  return 0;
}
