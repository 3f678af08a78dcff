// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Modules / cuModuleLoad of -fatbin, -cubin and -ptx
//
// Loads each module of its command line, the even ones as a string in memory, and runs its kernel.
#include <cuda.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

static bool good(CUresult result, const char *what) {
  const char *name = "";
  if (result != CUDA_SUCCESS && cuGetErrorName(result, &name) == CUDA_SUCCESS) std::printf("%s: %s\n", what, name);
  return result == CUDA_SUCCESS;
}

static CUresult load(CUmodule *module, const char *path, bool as_string) {
  if (!as_string) return cuModuleLoad(module, path);
  std::ifstream stream(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  char log[8] = "unset";
  CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER};
  void *values[] = {reinterpret_cast<void *>(sizeof log), log};
  const CUresult result = cuModuleLoadDataEx(module, text.c_str(), 2, options, values);
  if (log[0] || values[0]) std::printf("the log is not empty\n");
  return result;
}

int main(int argc, char **argv) {
  CUdevice device;
  CUcontext context;
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuCtxCreate(&context, nullptr, 0, device);
  for (int i = 1; i < argc; ++i) {
    CUmodule module;
    CUfunction kernel;
    if (!good(load(&module, argv[i], i % 2 == 0), "cuModuleLoad")) return 1;
    if (!good(cuModuleGetFunction(&kernel, module, "reverse"), "cuModuleGetFunction")) return 1;
    CUdeviceptr added, scale, seen, in, out;
    size_t size;
    cuModuleGetGlobal(&added, nullptr, module, "added");
    cuModuleGetGlobal(&scale, &size, module, "scale");
    cuModuleGetGlobal(&seen, nullptr, module, "seen");
    const int value = 100 * i, factors[2] = {2, 1};
    cuMemcpyHtoD(added, &value, sizeof value);
    cuMemcpyHtoD(scale, factors, size);
    std::vector<int> values(100), results(100);
    std::iota(values.begin(), values.end(), 0);
    cuMemAlloc(&in, 400);
    cuMemAlloc(&out, 400);
    cuMemcpyHtoD(in, values.data(), 400);
    int count = 100;
    void *arguments[] = {&in, &out, &count};
    if (!good(cuLaunchKernel(kernel, 2, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr), "cuLaunchKernel")) return 1;
    cuMemcpyDtoH(results.data(), out, 400);
    int launches = 0;
    cuMemcpyDtoH(&launches, seen, sizeof launches);
    std::printf("%d %d seen %d\n", results[0], results[64], launches);
    good(cuModuleUnload(module), "cuModuleUnload");
  }
}
