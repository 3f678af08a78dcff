// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses that are misaligned, or look so: one kernel a run, whose name is the argument.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

struct Pair {
  int a, b;
};
struct alignas(8) Aligned {
  int a, b;
};

__global__ void load4(char *p, int *out) { *out = *(int *)(p + 1); }
__global__ void load2(char *p, int *out) { *out = *(short *)(p + 1); }
__global__ void load8(char *p, int *out) { *(long long *)out = *(long long *)(p + 4); }
__global__ void store4(char *p, int *out) { *(int *)(p + 2) = 7; }
__global__ void atomic4(char *p, int *out) { *out = atomicAdd((int *)(p + 2), 1); }
__global__ void float4_by_4(char *p, int *out) {
  float4 v = *(float4 *)(p + 4);
  *out = (int)(v.x + v.y + v.z + v.w);
}
__global__ void aligned_by_4(char *p, int *out) {
  Aligned v = *(Aligned *)(p + 4);
  *out = v.a + v.b;
}
__global__ void thread_33(char *p, int *out) { out[threadIdx.x] = *(int *)(p + (threadIdx.x == 33 ? 2 : 4)); }
__global__ void member_by_4(char *p, int *out) { *out = (int)((float4 *)(p + 4))->x; }
__global__ void pair_by_4(char *p, int *out) {
  Pair v = *(Pair *)(p + 4);
  *out = v.a + v.b;
}
__global__ void bytes(char *p, int *out) { memcpy(out, p + 1, 4); }

int main(int, char **arguments) {
  struct {
    const char *name;
    void (*kernel)(char *, int *);
  } const kernels[] = {{"load4", load4},
                       {"load2", load2},
                       {"load8", load8},
                       {"store4", store4},
                       {"atomic4", atomic4},
                       {"float4_by_4", float4_by_4},
                       {"aligned_by_4", aligned_by_4},
                       {"thread_33", thread_33},
                       {"member_by_4", member_by_4},
                       {"pair_by_4", pair_by_4},
                       {"bytes", bytes}};
  char *memory;
  int *out;
  cudaMalloc(&memory, 256);
  cudaMalloc(&out, 256);
  cudaMemset(memory, 0, 256);
  for (const auto &each : kernels)
    if (!std::strcmp(each.name, arguments[1])) each.kernel<<<1, 64>>>(memory, out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
