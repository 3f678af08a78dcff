// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Modules / cuGetProcAddress, by CUDA version
//
// Functions of the driver API by name, from the library that programs open, with the parameters that a version had.
#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>

static decltype(&cuGetProcAddress) get;

template <class Function>
static Function find(const char *name, int version) {
  void *found = nullptr;
  CUdriverProcAddressQueryResult status;
  const CUresult result = get(name, &found, version, CU_GET_PROC_ADDRESS_DEFAULT, &status);
  std::printf("%s %d: %d %d\n", name, version, static_cast<int>(result), static_cast<int>(status));
  return reinterpret_cast<Function>(found);
}

int main(int, char **arguments) {
  void *const library = dlopen(arguments[1], RTLD_NOW);
  get = reinterpret_cast<decltype(get)>(library ? dlsym(library, "cuGetProcAddress_v2") : nullptr);
  if (!get) return 1;
  CUcontext context, found = nullptr;
  CUgreenCtx green = reinterpret_cast<CUgreenCtx>(1);
  CUdeviceptr memory;
  int place = 0;
  cuInit(0);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  cuMemAllocManaged(&memory, 4096, CU_MEM_ATTACH_GLOBAL);
  const auto where = [&] {
    cuMemRangeGetAttribute(&place, sizeof place, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, memory, 4096);
    std::printf("  %d\n", place);
  };
  using ByDevice = CUresult (*)(CUdeviceptr, size_t, CUdevice, CUstream);
  std::printf("  %d\n",
              static_cast<int>(find<ByDevice>("cuMemPrefetchAsync", 12010)(memory, 4096, CU_DEVICE_CPU, nullptr)));
  where();
  const CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  const auto newer = find<decltype(&cuMemPrefetchAsync)>("cuMemPrefetchAsync", 12020);
  std::printf("  %d\n", static_cast<int>(newer(memory, 4096, here, 0, nullptr)));
  where();
  find<decltype(&cuStreamGetCtx)>("cuStreamGetCtx", 12000)(nullptr, &found);
  std::printf("  %d\n", found == context);
  find<decltype(&cuStreamGetCtx_v2)>("cuStreamGetCtx", 12050)(nullptr, &found, &green);
  std::printf("  %d %d\n", found == context, green == nullptr);
  find<void *>("cuGraphAddKernelNode", 11000);
  find<void *>("cuGraphAddKernelNode", 12000);
  find<void *>("cuNoSuchFunction", 13000);
}
