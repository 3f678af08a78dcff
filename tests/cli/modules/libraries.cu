// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -lnvrtc -lcuda
// feature: Modules / cuLibraryLoadData, cudaLibraryLoadData, cuKernelGetFunction
// Libraries and modules: what they hold, by name and by number, and launches of it.
#include <nvrtc.h>

#include <algorithm>
#include <string>

#include "../../programs/driver.h"

const char *const kSource = R"(
extern "C" {
__device__ int counter = 3;
__constant__ float scale[4] = {1, 2, 3, 4};
__managed__ int shared_number = 11;
__global__ void add(int *data, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) data[i] += counter; }
__global__ void __launch_bounds__(64) multiply(float *data, char c, double d) {
  data[threadIdx.x] *= scale[threadIdx.x & 3];
}
__global__ void managed(int *data) { data[0] = shared_number++; }
}
)";

std::string compile(const char *source) {
  nvrtcProgram program;
  const char *option = "--gpu-architecture=compute_80";
  nvrtcCreateProgram(&program, source, "library.cu", 0, nullptr, nullptr);
  if (nvrtcCompileProgram(program, 1, &option) != NVRTC_SUCCESS) std::printf("compilation failed\n");
  size_t size = 0;
  nvrtcGetPTXSize(program, &size);
  std::string ptx(size, 0);
  nvrtcGetPTX(program, ptx.data());
  nvrtcDestroyProgram(&program);
  return ptx;
}

void show(const char *what, cudaError_t error) {
  std::printf("%s: %s\n", what, cudaGetErrorName(error));
  cudaGetLastError();
}

void run_add(const char *what, CUfunction function) {
  CUdeviceptr data = 0;
  int n = 40, got[40];
  DRIVE(cuMemAlloc(&data, n * 4));
  DRIVE(cuMemsetD32(data, 1, n));
  void *arguments[] = {&data, &n};
  show(what, cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
  DRIVE(cuMemcpyDtoH(got, data, n * 4));
  std::printf("  %d %d\n", got[0], got[39]);
  DRIVE(cuMemFree(data));
}

void set_counter(CUdeviceptr counter, int value) { DRIVE(cuMemcpyHtoD(counter, &value, 4)); }

void names(std::vector<const char *> found) {
  std::sort(found.begin(), found.end(), [](auto a, auto b) { return std::strcmp(a, b) < 0; });
  for (const char *name : found) std::printf("  %s\n", name);
}

void library(const std::string &ptx) {
  CUlibrary library = nullptr, second = nullptr;
  show("load", cuLibraryLoadData(&library, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  show("again", cuLibraryLoadData(&second, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  unsigned count = 77;
  show("kernels", cuLibraryGetKernelCount(&count, library));
  std::printf("  %u\n", count);
  std::vector<CUkernel> kernels(5);
  show("list", cuLibraryEnumerateKernels(kernels.data(), 5, library));
  std::vector<const char *> found;
  for (CUkernel kernel : kernels) {
    const char *name = nullptr;
    if (kernel && cuKernelGetName(&name, kernel) == CUDA_SUCCESS) found.push_back(name);
  }
  names(found);
  CUkernel kernel = nullptr, multiply = nullptr, none = nullptr;
  show("kernel", cuLibraryGetKernel(&kernel, library, "add"));
  show("other kernel", cuLibraryGetKernel(&multiply, library, "multiply"));
  show("no kernel", cuLibraryGetKernel(&none, library, "nothing"));
  show("no name", cuLibraryGetKernel(&none, library, nullptr));
  CUlibrary owner = nullptr;
  show("owner", cuKernelGetLibrary(&owner, kernel));
  report("same", 1, owner == library);
  CUfunction function = nullptr;
  show("function", cuKernelGetFunction(&function, kernel));
  run_add("launch a function", function);
  run_add("launch a kernel", reinterpret_cast<CUfunction>(kernel));
  CUdeviceptr counter = 0, other = 0, address = 0;
  size_t size = 77;
  show("variable", cuLibraryGetGlobal(&counter, &size, library, "counter"));
  std::printf("  %zu\n", size);
  show("constant", cuLibraryGetGlobal(&address, &size, library, "scale"));
  std::printf("  %zu\n", size);
  show("no variable", cuLibraryGetGlobal(&address, &size, library, "nothing"));
  show("variable of the other", cuLibraryGetGlobal(&other, &size, second, "counter"));
  report("two variables", 1, counter != other);
  set_counter(counter, 100);
  run_add("changed", function);
  CUfunction of_second = nullptr;
  DRIVE(cuLibraryGetKernel(&none, second, "add"));
  DRIVE(cuKernelGetFunction(&of_second, none));
  run_add("of the other", of_second);
  CUdeviceptr managed = 0;
  show("managed", cuLibraryGetManaged(&managed, &size, library, "shared_number"));
  std::printf("  %zu\n", size);
  show("managed that is not", cuLibraryGetManaged(&address, &size, library, "counter"));
  int value = -77;
  show("attribute", cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, multiply, 0));
  std::printf("  %d\n", value);
  show("set", cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536, multiply, 0));
  show("get", cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, multiply, 0));
  std::printf("  %d\n", value);
  show("set too much", cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20, multiply, 0));
  show("on device 99", cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0, multiply, 99));
  show("cache", cuKernelSetCacheConfig(multiply, CU_FUNC_CACHE_PREFER_L1, 0));
  for (size_t i = 0; i < 4; ++i) {
    size_t offset = 77, bytes = 77;
    show("parameter", cuKernelGetParamInfo(multiply, i, &offset, &bytes));
    std::printf("  %zu %zu\n", offset, bytes);
  }
  CUmodule module = nullptr;
  show("module", cuLibraryGetModule(&module, library));
  show("its function", cuModuleGetFunction(&of_second, module, "add"));
  run_add("of the module", of_second);
  show("unload", cuLibraryUnload(second));
  show("unload nothing", cuLibraryUnload(nullptr));
  show("no data", cuLibraryLoadData(&second, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0));
  show("no file", cuLibraryLoadFromFile(&second, "/nothing.cubin", nullptr, nullptr, 0, nullptr, nullptr, 0));
  show("unload the first", cuLibraryUnload(library));
}

void module(const std::string &ptx) {
  CUmodule module = nullptr, owner = nullptr;
  DRIVE(cuModuleLoadData(&module, ptx.c_str()));
  unsigned count = 77;
  show("functions", cuModuleGetFunctionCount(&count, module));
  std::printf("  %u\n", count);
  std::vector<CUfunction> functions(count);
  show("list", cuModuleEnumerateFunctions(functions.data(), count, module));
  std::vector<const char *> found;
  for (CUfunction function : functions) {
    const char *name = nullptr;
    DRIVE(cuFuncGetName(&name, function));
    found.push_back(name);
  }
  names(found);
  CUfunction add = nullptr;
  DRIVE(cuModuleGetFunction(&add, module, "add"));
  show("its module", cuFuncGetModule(&owner, add));
  report("same", 1, owner == module);
  report("the same handle", 1, std::count(functions.begin(), functions.end(), add));
  show("load it", cuFuncLoad(add));
  CUfunctionLoadingState state;
  show("state", cuFuncIsLoaded(&state, add));
  std::printf("  %d\n", static_cast<int>(state));
  int block = 77, grid = 77;
  show("best size", cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, add, nullptr, 0, 0, 0));
  std::printf("  %d\n", block);
  show("best size, unknown flag", cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, add, nullptr, 0, 0, 99));
  CUlaunchConfig config = {};
  config.gridDimX = 8, config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 64, config.blockDimY = config.blockDimZ = 1;
  CUlaunchAttribute cluster = {};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim.x = 2, cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
  config.attrs = &cluster, config.numAttrs = 1;
  int clusters = -1;
  show("clusters", cuOccupancyMaxActiveClusters(&clusters, add, &config));
  report("some", 1, clusters > 0);
  show("largest cluster", cuOccupancyMaxPotentialClusterSize(&clusters, add, &config));
  std::printf("  %d\n", clusters);
  show("unload", cuModuleUnload(module));
}

void runtime(const std::string &ptx) {
  cudaLibrary_t library = nullptr;
  show("runtime: load", cudaLibraryLoadData(&library, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  unsigned count = 77;
  show("kernels", cudaLibraryGetKernelCount(&count, library));
  std::printf("  %u\n", count);
  std::vector<cudaKernel_t> kernels(count);
  show("list", cudaLibraryEnumerateKernels(kernels.data(), count, library));
  cudaKernel_t kernel = nullptr;
  show("kernel", cudaLibraryGetKernel(&kernel, library, "add"));
  report("listed", 1, std::count(kernels.begin(), kernels.end(), kernel));
  show("no kernel", cudaLibraryGetKernel(&kernels[0], library, "nothing"));
  void *counter = nullptr, *managed = nullptr;
  size_t size = 77;
  show("variable", cudaLibraryGetGlobal(&counter, &size, library, "counter"));
  std::printf("  %zu\n", size);
  show("no variable", cudaLibraryGetGlobal(&managed, &size, library, "nothing"));
  show("managed", cudaLibraryGetManaged(&managed, &size, library, "shared_number"));
  std::printf("  %zu\n", size);
  int *data = device_zeros<int>(40), n = 40, value = 20;
  CHECK(cudaMemcpy(counter, &value, 4, cudaMemcpyHostToDevice));
  void *arguments[] = {&data, &n};
  show("launch", cudaLaunchKernel(reinterpret_cast<const void *>(kernel), dim3(2), dim3(32), arguments, 0, nullptr));
  report("sum", 20, download(data, 40)[39]);
  show("attribute", cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000, 0));
  cudaFuncAttributes attributes;
  show("attributes", cudaFuncGetAttributes(&attributes, reinterpret_cast<const void *>(kernel)));
  std::printf("  %d\n", attributes.maxDynamicSharedSizeBytes);
  show("unload", cudaLibraryUnload(library));
  show("no data", cudaLibraryLoadData(&library, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0));
  show("no file", cudaLibraryLoadFromFile(&library, "/nothing.cubin", nullptr, nullptr, 0, nullptr, nullptr, 0));
}

int main() {
  current_context();
  const std::string ptx = compile(kSource);
  library(ptx);
  module(ptx);
  runtime(ptx);
  return 0;
}
