// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Memory / virtual memory of the driver API
//
// The driver API's virtual memory: ranges, memory, mappings, access, and handles for other processes.
#include <cuda.h>
#include <unistd.h>

#include "fixture.h"

namespace {

constexpr std::size_t kPage = 2UL << 20;

#define CHECK_RESULT(expression, expected) CHECK((expression) == (expected))
#define CHECK_DRIVER(expression) CHECK_RESULT(expression, CUDA_SUCCESS)

CUmemAllocationProp device_memory(CUmemAllocationHandleType type = CU_MEM_HANDLE_TYPE_NONE) {
  CUmemAllocationProp result = {};
  result.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  result.requestedHandleTypes = type;
  result.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  return result;
}

CUmemGenericAllocationHandle created(std::size_t size, CUmemAllocationHandleType type = CU_MEM_HANDLE_TYPE_NONE) {
  const CUmemAllocationProp properties = device_memory(type);
  CUmemGenericAllocationHandle handle = 0;
  CHECK_DRIVER(cuMemCreate(&handle, size, &properties, 0));
  return handle;
}

CUdeviceptr reserved(std::size_t size, std::size_t alignment = 0) {
  CUdeviceptr address = 0;
  CHECK_DRIVER(cuMemAddressReserve(&address, size, alignment, 0, 0));
  return address;
}

void allow(CUdeviceptr address, std::size_t size, CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE) {
  const CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, flags};
  CHECK_DRIVER(cuMemSetAccess(address, size, &access, 1));
}

void drop(CUdeviceptr address, std::size_t size) {
  CHECK_DRIVER(cuMemUnmap(address, size));
  CHECK_DRIVER(cuMemAddressFree(address, size));
}

// Two pieces of memory side by side are one array for kernels and copies.
void pieces() {
  const CUdeviceptr base = reserved(2 * kPage);
  for (std::size_t at : {std::size_t{0}, kPage}) {
    const auto handle = created(kPage);
    CHECK_DRIVER(cuMemMap(base + at, kPage, 0, handle, 0));
    CHECK_DRIVER(cuMemRelease(handle));  // the mapping keeps the memory
  }
  allow(base, 2 * kPage);
  CHECK_DRIVER(cuMemsetD32(base, 3, kPage / 2));
  auto *data = reinterpret_cast<int *>(base);
  CHECK_OK(launch_add(data, 4, dim3(kPage / 2 / 256), dim3(256)));
  static int host[kPage / 2];
  CHECK_DRIVER(cuMemcpyDtoH(host, base, 2 * kPage));
  int wrong = 0;
  for (int value : host) wrong += value != 7;
  CHECK(wrong == 0);
  CHECK(cuMemcpyDtoH(host, base + 4, 2 * kPage) != CUDA_SUCCESS);
  CHECK_RESULT(cuMemAddressFree(base, 2 * kPage), CUDA_ERROR_INVALID_VALUE);  // still mapped
  drop(base, 2 * kPage);
  CHECK(cuMemcpyDtoH(host, base, 4) != CUDA_SUCCESS);
}

// The same memory at two addresses.
void two_views() {
  const CUdeviceptr base = reserved(2 * kPage, 4 * kPage);
  CHECK(base % (4 * kPage) == 0);
  const auto handle = created(kPage);
  CHECK_DRIVER(cuMemMap(base, kPage, 0, handle, 0));
  CHECK_DRIVER(cuMemMap(base + kPage, kPage, 0, handle, 0));
  CHECK_RESULT(cuMemMap(base, kPage, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  allow(base, kPage);
  allow(base + kPage, kPage, CU_MEM_ACCESS_FLAGS_PROT_READ);
  CHECK_DRIVER(cuMemsetD32(base, 11, 2));
  int value = 0;
  CHECK_DRIVER(cuMemcpyDtoH(&value, base + kPage + 4, sizeof value));
  CHECK(value == 11);
  unsigned long long flags = 0;
  const CUmemLocation place = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CHECK_DRIVER(cuMemGetAccess(&flags, &place, base + kPage + 100));
  CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READ);
  CUmemGenericAllocationHandle same = 0;
  CHECK_DRIVER(cuMemRetainAllocationHandle(&same, reinterpret_cast<void *>(base + 8)));
  CHECK(same == handle);
  CHECK_DRIVER(cuMemRelease(same));
  CHECK_DRIVER(cuMemRelease(handle));
  CHECK_RESULT(cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
  drop(base, 2 * kPage);
}

void shareable() {
  const auto handle = created(kPage, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR), other = created(kPage);
  int file = -1;
  CHECK_RESULT(cuMemExportToShareableHandle(&file, other, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
               CUDA_ERROR_INVALID_VALUE);
  CHECK_DRIVER(cuMemExportToShareableHandle(&file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  CUmemGenericAllocationHandle imported = 0;
  CHECK_DRIVER(cuMemImportFromShareableHandle(&imported, reinterpret_cast<void *>(static_cast<std::intptr_t>(file)),
                                              CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  CHECK(close(file) == 0);
  const CUdeviceptr base = reserved(2 * kPage);
  CHECK_DRIVER(cuMemMap(base, kPage, 0, handle, 0));
  CHECK_DRIVER(cuMemMap(base + kPage, kPage, 0, imported, 0));
  allow(base, 2 * kPage);
  CHECK_DRIVER(cuMemsetD32(base, 23, 1));
  int value = 0;
  CHECK_DRIVER(cuMemcpyDtoH(&value, base + kPage, sizeof value));
  CHECK(value == 23);
  for (const auto each : {handle, other, imported}) CHECK_DRIVER(cuMemRelease(each));
  drop(base, 2 * kPage);
}

void wrong_arguments() {
  CUmemAllocationProp properties = device_memory();
  CUmemGenericAllocationHandle handle = 0;
  CUdeviceptr address = 0;
  std::size_t granularity = 0;
  CHECK_DRIVER(cuMemGetAllocationGranularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CHECK(granularity == kPage);
  CHECK_RESULT(cuMemCreate(&handle, 4096, &properties, 0), CUDA_ERROR_INVALID_VALUE);
  CHECK_RESULT(cuMemCreate(&handle, std::size_t{1} << 50, &properties, 0), CUDA_ERROR_OUT_OF_MEMORY);
  CHECK_RESULT(cuMemAddressReserve(&address, kPage, 3, 0, 0), CUDA_ERROR_INVALID_VALUE);
  CHECK_RESULT(cuMemMap(4 * kPage, kPage, 0, created(kPage), 0), CUDA_ERROR_INVALID_VALUE);
  properties.location.id = 99;
  CHECK_RESULT(cuMemCreate(&handle, kPage, &properties, 0), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace

int main() {
  register_image();
  CHECK_RESULT(cuMemRelease(1), CUDA_ERROR_NOT_INITIALIZED);
  CHECK_OK(cudaSetDevice(0));  // does as well as cuInit, and makes the primary context current
  CUdevice device = -1;
  CHECK_DRIVER(cuCtxGetDevice(&device));
  CHECK(device == 0);
  int supported = 0;
  CHECK_DRIVER(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
  CHECK(supported == 1);
  test("pieces side by side", pieces);
  test("two views of one memory", two_views);
  test("shareable handles", shareable);
  test("wrong arguments", wrong_arguments);
  return failures != 0;
}
