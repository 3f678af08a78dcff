// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Modules / nvJitLink
//
// Bitcode of NVRTC and of a file of nvcc's, linked to one module; options, inputs and symbols that are wrong.
#include <cuda.h>
#include <nvJitLink.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

static const char *const kKernel = R"(
extern __device__ int weigh(int);
extern __device__ int offset;
static __device__ int twice(int x) { return 2 * x; }
extern "C" __global__ void apply(int *p) { p[threadIdx.x] = twice(weigh(threadIdx.x)) + offset; }
)";
static const char *const kWeigh =
    "static __device__ int twice(int x) { return x + 1; }\n"
    "__device__ int weigh(int x) { return 10 * twice(x); }\n";

static std::string bitcode(const char *source) {
  nvrtcProgram program;
  nvrtcCreateProgram(&program, source, "part.cu", 0, nullptr, nullptr);
  const char *const options[] = {"-dlto", "--relocatable-device-code=true"};
  if (nvrtcCompileProgram(program, 2, options) != NVRTC_SUCCESS) return {};
  size_t size = 0;
  nvrtcGetLTOIRSize(program, &size);
  std::string made(size, '\0');
  nvrtcGetLTOIR(program, made.data());
  nvrtcDestroyProgram(&program);
  return made;
}

static nvJitLinkHandle linker(std::vector<const char *> options = {"-lto", "-arch=sm_80", "-O3"}) {
  nvJitLinkHandle handle = nullptr;
  const nvJitLinkResult result = nvJitLinkCreate(&handle, static_cast<uint32_t>(options.size()), options.data());
  if (result != NVJITLINK_SUCCESS) std::printf("create: %d\n", result);
  return handle;
}

static int add(nvJitLinkHandle handle, nvJitLinkInputType type, const std::string &bytes, const char *name) {
  return nvJitLinkAddData(handle, type, bytes.data(), bytes.size(), name);
}

// The end of a linker: whether its log has the words, and the linker itself.
static void expect(nvJitLinkHandle handle, const char *words) {
  size_t size = 0;
  nvJitLinkGetErrorLogSize(handle, &size);
  std::vector<char> log(size + 1);
  nvJitLinkGetErrorLog(handle, log.data());
  std::printf("%s\n", *words ? std::strstr(log.data(), words) ? words : log.data() : log.data());
  nvJitLinkDestroy(&handle);
}

static std::string cubin(nvJitLinkHandle handle) {
  size_t size = 0;
  std::printf("complete: %d\n", nvJitLinkComplete(handle));
  if (nvJitLinkGetLinkedCubinSize(handle, &size) != NVJITLINK_SUCCESS) return {};
  std::string made(size, '\0');
  nvJitLinkGetLinkedCubin(handle, made.data());
  return made;
}

static void run(const std::string &code) {
  CUmodule module;
  CUfunction kernel;
  CUdeviceptr values;
  int host[4] = {};
  void *arguments[] = {&values};
  cuMemAlloc(&values, sizeof host);
  std::printf("load: %d", cuModuleLoadData(&module, code.data()));
  std::printf(", %d", cuModuleGetFunction(&kernel, module, "apply"));
  std::printf(", %d", cuLaunchKernel(kernel, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr));
  cuMemcpyDtoH(host, values, sizeof host);
  std::printf(": %d %d %d %d\n", host[0], host[1], host[2], host[3]);
  cuMemFree(values);
}

int main(int, char **arguments) {
  CUdevice device;
  CUcontext context;
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuCtxCreate(&context, 0, device);
  const std::string kernel = bitcode(kKernel), weigh = bitcode(kWeigh);

  nvJitLinkHandle whole = linker();
  std::printf("add: %d %d", add(whole, NVJITLINK_INPUT_LTOIR, kernel, "kernel"),
              add(whole, NVJITLINK_INPUT_ANY, weigh, "weigh"));
  std::printf(" %d\n", nvJitLinkAddFile(whole, NVJITLINK_INPUT_LTOIR, arguments[1]));
  const std::string code = cubin(whole);
  run(code);
  expect(whole, "");

  nvJitLinkHandle again = linker({"-arch=sm_80"});  // a module stays as it is
  std::printf("add: %d\n", add(again, NVJITLINK_INPUT_CUBIN, code, "code"));
  run(cubin(again));
  std::printf("add: %d\n", add(again, NVJITLINK_INPUT_FATBIN, code, "code"));
  std::printf("complete: %d\n", nvJitLinkComplete(again));
  expect(again, "machine code is not linked");

  nvJitLinkHandle lacking = linker();
  add(lacking, NVJITLINK_INPUT_LTOIR, kernel, "kernel");
  std::printf("size: %zu\n", cubin(lacking).size());
  expect(lacking, "unresolved device symbol");

  nvJitLinkHandle twice = linker();
  add(twice, NVJITLINK_INPUT_LTOIR, weigh, "weigh");
  add(twice, NVJITLINK_INPUT_LTOIR, weigh, "weigh");
  std::printf("size: %zu\n", cubin(twice).size());
  expect(twice, "symbol multiply defined");

  nvJitLinkHandle wrong = linker({"-arch=sm_80"});
  std::printf("add: %d %d", add(wrong, NVJITLINK_INPUT_LTOIR, weigh, "weigh"),
              add(wrong, NVJITLINK_INPUT_LTOIR, "rubbish", "rubbish"));
  std::printf(" %d %d", add(wrong, NVJITLINK_INPUT_PTX, ".version 8.0\n", "ptx"),
              add(wrong, NVJITLINK_INPUT_CUBIN, code.substr(0, 100), "short"));
  std::printf(" %d %d\n", nvJitLinkAddFile(wrong, NVJITLINK_INPUT_ANY, "/no/such/file"),
              nvJitLinkAddData(wrong, NVJITLINK_INPUT_ANY, nullptr, 4, "none"));
  std::printf("complete: %d\n", nvJitLinkComplete(wrong));
  expect(wrong, "short is no module of warpcc's");

  expect(linker({"-lto"}), "-arch=sm_NN is not there");
  expect(linker({"-arch=sm_80", "-such"}), "unknown option '-such'");
}
