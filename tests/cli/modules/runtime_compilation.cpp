// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Modules / NVRTC
//
// NVRTC: a header from memory, options, name expressions, the log of a mistake, an unknown option.
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstring>
#include <vector>

static const char *const kSource = R"(
#include "mine.h"
template <class T, int N> __global__ void fill(T *p) { p[threadIdx.x] = N + EXTRA + MINE; }
namespace n { __device__ int v; }
extern "C" __global__ void plain(int *p) { p[0] = 9; }
)";
static const char *const kHeader = "#define MINE 1000\n", *const kHeaderName = "mine.h";

static CUmodule compile() {
  nvrtcProgram program;
  nvrtcCreateProgram(&program, kSource, "prog.cu", 1, &kHeader, &kHeaderName);
  const char *const names[] = {"fill<long long, 7>", "&n::v", "plain"};
  for (const char *name : names) nvrtcAddNameExpression(program, name);
  const char *const options[] = {"--gpu-architecture=compute_80", "-DEXTRA=10"};
  if (nvrtcCompileProgram(program, 2, options) != NVRTC_SUCCESS) return nullptr;
  const char *lowered[3] = {};
  for (int i = 0; i < 3; ++i) nvrtcGetLoweredName(program, names[i], &lowered[i]);
  std::printf("%s %s %s\n", lowered[0], lowered[1], lowered[2]);
  size_t size = 1;
  if (nvrtcGetLTOIRSize(program, &size) != NVRTC_SUCCESS || size != 0) return nullptr;
  nvrtcGetPTXSize(program, &size);
  std::vector<char> ptx(size);
  nvrtcGetPTX(program, ptx.data());
  CUmodule module = nullptr;
  cuModuleLoadData(&module, ptx.data());
  nvrtcDestroyProgram(&program);
  return module;
}

static void report_mistakes() {
  nvrtcProgram bad;
  nvrtcCreateProgram(&bad, "__global__ void k() { assert(1); nothing; }", nullptr, 0, nullptr, nullptr);
  std::printf("%s\n", nvrtcGetErrorString(nvrtcCompileProgram(bad, 0, nullptr)));
  size_t size = 0;
  nvrtcGetProgramLogSize(bad, &size);
  std::vector<char> log(size);
  nvrtcGetProgramLog(bad, log.data());
  const char *const mistake = "default_program:1:34: error: use of undeclared identifier 'nothing'";
  std::printf("%s\n", std::strstr(log.data(), mistake) ? mistake : log.data());
  const char *const unknown = "--no-such-option";
  std::printf("%s\n", nvrtcGetErrorString(nvrtcCompileProgram(bad, 1, &unknown)));
}

int main() {
  CUdevice device;
  CUcontext context;
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuCtxCreate(&context, 0, device);
  CUmodule module = compile();
  CUfunction kernel = nullptr;
  cuModuleGetFunction(&kernel, module, "_Z4fillIxLi7EEvPT_");
  CUdeviceptr memory;
  cuMemAlloc(&memory, 32);
  void *arguments[] = {&memory};
  cuLaunchKernel(kernel, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr);
  long long out[4] = {};
  cuMemcpyDtoH(out, memory, sizeof out);
  std::printf("%lld\n", out[3]);
  report_mistakes();
}
