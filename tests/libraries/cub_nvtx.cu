// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUB marks its algorithms with ranges of NVTX wherever it finds NVTX's header: CUB's C++ wrapper of it has to compile,
// and a program's own ranges, strings and names nest with CUB's.
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>

#include <cstdio>
#include <cub/device/device_reduce.cuh>

struct Domain {
  static constexpr const wchar_t *name = L"wide";
};

int main() {
#ifndef NVTX3_CPP_DEFINITIONS_V1_0
  std::printf("CUB does not use NVTX\n");
#else
  nvtx3::v1::scoped_range_in<Domain> wide{L"message", nvtx3::v1::payload{1.5}, nvtx3::v1::rgb{1, 2, 3}};
#endif
  const nvtxDomainHandle_t domain = nvtxDomainCreateW(L"domain");
  nvtxDomainNameCategoryW(domain, 1, L"category");
  nvtxNameCudaStreamW(nullptr, L"stream");
  nvtxNameCuDevice(0, "device");
  nvtxResourceAttributes_t resource = {};
  resource.version = NVTX_VERSION;
  resource.size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE;
  resource.identifierType = NVTX_RESOURCE_TYPE_GENERIC_POINTER;
  resource.identifier.pValue = &resource;
  nvtxDomainResourceDestroy(nvtxDomainResourceCreate(domain, &resource));
  int *data = nullptr;
  const int count = 1000;
  cudaMallocManaged(&data, (count + 1) * sizeof(int));
  for (int i = 0; i < count; i++) data[i] = i;
  size_t bytes = 0;
  void *room = nullptr;
  cub::DeviceReduce::Sum(nullptr, bytes, data, data + count, count);
  cudaMalloc(&room, bytes);
  cub::DeviceReduce::Sum(room, bytes, data, data + count, count);
  cudaDeviceSynchronize();
  nvtxDomainDestroy(domain);
  if (data[count] == count * (count - 1) / 2) std::printf("all right\n");
  cudaFree(room);
  cudaFree(data);
  return 0;
}
