// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that go wrong, each in a way of its own; the first argument says which. Lines are found by their comments.
#include <cassert>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

__global__ void read(const float *from, float *to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i % 64] = 2.0f * from[i];  // line: read
}

__global__ void call(void (*function)()) { function(); }

__global__ void write(float *to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = i;  // line: write
}

__global__ void count(int *counters, const int *which) {
  atomicAdd(&counters[which[threadIdx.x]], 1);  // line: atomic
}

__global__ void copy(char *to, const char *from, size_t size) {
  if (threadIdx.x == 3) {
    memcpy(to, from, size);  // line: memcpy
    *to = 1;
  }
}

__global__ void trap(int n) {
  if (threadIdx.x == n) __trap();  // line: trap
}

__global__ void claim(int n) { assert(threadIdx.x < n); }  // line: assert

__device__ int numbers[100];

__global__ void variable(size_t i) { numbers[i] = 1; }  // line: variable

__global__ void spin(volatile int *flag) {
  if (blockIdx.x >= 5)
    while (*flag == 0) {
    }
}

alignas(16) static const char text[] = "text of the program";

static void report() { printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize())); }

static float *floats(size_t n) {
  float *memory = nullptr;
  cudaMalloc(&memory, n * sizeof(float));  // line: cudaMalloc
  return memory;
}

static void interrupt(const char *how) {
  int *flag = nullptr;
  cudaMallocHost(&flag, sizeof *flag);
  *flag = 0;
  if (!strcmp(how, "handler")) signal(SIGINT, [](int) { _exit(7); });
  spin<<<64, 256>>>(flag);
  cudaDeviceSynchronize();
}

int main(int words, char **arguments) {
  const char *what = arguments[1];
  const size_t n = 1 << 20;
  if (!strcmp(what, "read")) {
    float *const to = floats(64);
    read<<<2 * n / 256, 256>>>(floats(n), to, 2 * n);  // line: launch of read
  } else if (!strcmp(what, "small blocks")) {
    write<<<2, 32>>>(floats(n) + n - 37, 64);
  } else if (!strcmp(what, "write")) {
    write<<<1, 64>>>(floats(n) + n - 32, 64);
  } else if (!strcmp(what, "any size")) {  // a size that the text does not show
    write<<<1, 8 * words>>>(floats(n) + n - 8, 16);
  } else if (!strcmp(what, "null")) {
    write<<<1, 64>>>(nullptr, 64);
  } else if (!strcmp(what, "member of null")) {
    write<<<1, 64>>>((float *)0x1000, 64);
  } else if (!strcmp(what, "freed")) {
    float *const memory = floats(n);
    cudaFree(memory);  // line: cudaFree
    write<<<1, 64>>>(memory + 32, 64);
  } else if (!strcmp(what, "atomic")) {
    int host[32] = {0}, *which;
    host[17] = n;
    cudaMallocManaged(&which, sizeof host);
    memcpy(which, host, sizeof host);
    count<<<1, 32>>>((int *)floats(n), which);
  } else if (!strcmp(what, "memcpy")) {
    char *const from = (char *)floats(n);
    copy<<<1, 32>>>((char *)floats(n), from, 8 * n);
  } else if (!strcmp(what, "trap")) {
    trap<<<1, 64>>>(33);
  } else if (!strcmp(what, "assert")) {
    claim<<<1, 64>>>(33);
  } else if (!strcmp(what, "variable")) {
    variable<<<1, 1>>>(size_t{1} << 17);
  } else if (!strcmp(what, "read only")) {
    write<<<1, 1>>>((float *)text, 1);
  } else if (!strcmp(what, "called")) {
    static char data[64];
    call<<<1, 1>>>((void (*)())data);
  } else if (!strcmp(what, "small")) {  // off by one: found with guards only
    write<<<1, 128>>>(floats(100), 101);
  } else if (!strcmp(what, "small freed")) {
    float *const memory = floats(100);
    cudaFree(memory);
    write<<<1, 128>>>(memory, 1);
  } else if (!strcmp(what, "host")) {
    write<<<1, 64>>>((float *)malloc(256), 64);  // line: launch with a host pointer
  } else if (!strcmp(what, "blocked")) {
    cudaLaunchHostFunc(
        nullptr,
        [](void *) {
          while (true) pause();
        },
        nullptr);
    cudaDeviceSynchronize();
  } else {
    interrupt(what);
  }
  report();
}
