// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Name expressions of NVRTC: the names that an H200's NVRTC 13.0 gives, each of which the module has, with and without
// -rdc. Names of internal linkage are the implementation's own: those only have to be there.
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstring>
#include <vector>

static const char *const source = R"(
namespace n {
template <class T> struct V { T a, b; };
enum class E { a, b };
template <class T, int N> __global__ void t(V<T> *p, V<T> *q) { if (p) p->a = q->b; }
__device__ int var = 3;
__constant__ float con[4];
template <class T> __device__ T tv;
namespace { __device__ int hidden; __global__ void hid() {} }
}
template <class A, class B> __global__ void k(A *a, A *b, B *c, B *d) { if (a) *a = *b; }
__global__ void k1(float *a, float *b) { if (a) *a = *b; }
extern "C" __global__ void c_linkage(float *a, float *b) { if (a) *a = *b; }
extern "C" __device__ int c_var = 4;
__device__ float v, arr[3];
__constant__ n::V<float> cv;
static __device__ int sv = 5;
static __global__ void sk() {}
struct S { __device__ int operator()(int x) const { return x; } template <class T> struct In {}; };
template <class F> __global__ void call(F f, int *o) { if (o) *o = f(1); }
template <template <class> class T> __global__ void tt() {}
template <class... T> __global__ void pack(T... t) {}
template <auto N> __global__ void val() {}
template <class T> __global__ void over(T) {}
template <class T> __global__ void over(T, T) {}
__global__ void ov(int) {}
__global__ void ov(float) {}
__device__ int dfun(int x) { return x; }
)";

struct Name {
  const char *expression, *lowered;  // null: any
};

static const Name names[] = {
    {"k1", "_Z2k1PfS_"},
    {"&k1", "_Z2k1PfS_"},
    {"  k1  ", "_Z2k1PfS_"},
    {"::k1", "_Z2k1PfS_"},
    {"k<float, int>", "_Z1kIfiEvPT_S1_PT0_S3_"},
    {"&k<int, n::V<double>>", "_Z1kIiN1n1VIdEEEvPT_S4_PT0_S6_"},
    {"k<unsigned char*, const float>", "_Z1kIPhKfEvPT_S3_PT0_S5_"},
    {"n::t<float, 3>", "_ZN1n1tIfLi3EEEvPNS_1VIT_EES4_"},
    {"&n::t<n::V<int>, (int)n::E::b>", "_ZN1n1tINS_1VIiEELi1EEEvPNS1_IT_EES5_"},
    {"&v", "v"},
    {"&arr", "arr"},
    {"&cv", "cv"},
    {"&n::var", "_ZN1n3varE"},
    {"&n::con", "_ZN1n3conE"},
    {"&n::tv<float>", "_ZN1n2tvIfEE"},
    {"&n::tv<n::V<n::V<int>>>", "_ZN1n2tvINS_1VINS1_IiEEEEEE"},
    {"c_linkage", "c_linkage"},
    {"&c_var", "c_var"},
    {"call<S>", "_Z4callI1SEvT_Pi"},
    {"tt<S::In>", "_Z2ttIN1S2InEEvv"},
    {"pack<int, float, int*>", "_Z4packIJifPiEEvDpT_"},
    {"pack<>", "_Z4packIJEEvDpT_"},
    {"(void(*)(int))ov", "_Z2ovi"},
    {"static_cast<void(*)(float)>(ov)", "_Z2ovf"},
    {"(void(*)(int,int))over<int>", "_Z4overIiEvT_S0_"},
    {"&sv", nullptr},
    {"sk", nullptr},
    {"&n::hidden", nullptr},
    {"n::hid", nullptr},
    {"val<3>", nullptr},  // clang says of a template argument that it was declared `auto`
    {"val<n::E::b>", nullptr},
};

static bool has(CUmodule module, const char *name) {
  CUfunction function;
  CUdeviceptr address;
  size_t size;
  return cuModuleGetFunction(&function, module, name) == CUDA_SUCCESS ||
         cuModuleGetGlobal(&address, &size, module, name) == CUDA_SUCCESS;
}

static void check_names(int option_count, const char *const *options) {
  nvrtcProgram program;
  nvrtcCreateProgram(&program, source, "names.cu", 0, nullptr, nullptr);
  const char *lowered = nullptr;
  nvrtcResult early = nvrtcGetLoweredName(program, "k1", &lowered);
  for (const Name &name : names) nvrtcAddNameExpression(program, name.expression);
  nvrtcResult compiled = nvrtcCompileProgram(program, option_count, options);
  std::printf("%s, %s, %s\n", nvrtcGetErrorString(early), nvrtcGetErrorString(compiled),
              nvrtcGetErrorString(nvrtcAddNameExpression(program, "k1")));
  size_t size = 0;
  nvrtcGetCUBINSize(program, &size);
  std::vector<char> code(size);
  nvrtcGetCUBIN(program, code.data());
  CUmodule module = nullptr;
  cuModuleLoadData(&module, code.data());
  int right = 0;
  for (const Name &name : names) {
    nvrtcResult result = nvrtcGetLoweredName(program, name.expression, &lowered);
    bool good =
        result == NVRTC_SUCCESS && has(module, lowered) && (!name.lowered || std::strcmp(lowered, name.lowered) == 0);
    if (!good) std::printf("%s: %s, %s\n", name.expression, nvrtcGetErrorString(result), lowered);
    right += good;
  }
  std::printf("%d names right\n", right);
  // As it was added, and as nothing else.
  std::printf("%s\n", nvrtcGetErrorString(nvrtcGetLoweredName(program, "v", &lowered)));
  nvrtcDestroyProgram(&program);
}

int main() {
  cuInit(0);
  CUcontext context;
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  const char *const options[] = {"-std=c++17", "-rdc=true"};
  check_names(1, options);
  check_names(2, options);
  for (const char *wrong : {"v", "dfun", "&arr[1]"}) {
    nvrtcProgram program;
    nvrtcCreateProgram(&program, source, "names.cu", 0, nullptr, nullptr);
    nvrtcAddNameExpression(program, wrong);
    nvrtcResult compiled = nvrtcCompileProgram(program, 1, options);
    const char *lowered = nullptr;
    std::printf("%s: %s, %s\n", wrong, nvrtcGetErrorString(compiled),
                nvrtcGetErrorString(nvrtcGetLoweredName(program, wrong, &lowered)));
    nvrtcDestroyProgram(&program);
  }
}
