// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / null pointers, missing returns and endless loops
// What C++ lets a compiler drop, and nvcc's code does: stores through null fault, tests for null stay tests, a function
// that ends without `return` comes back, and loops that never end are not taken for unreachable.
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

struct Large {
  int first, rest[100];
  __device__ int tells() { return this == nullptr ? -5 : 5; }
};

struct Counted {
  int value;
  __device__ explicit Counted(int v) : value(v) {}
  __device__ ~Counted() { value = 0; }
};

__device__ int falls(int x, int *o) {
  o[1] = 11;
  if (x > 0) return x;
  o[2] = 22;
}

__device__ Counted falls_with_class(int x, int *o) {
  o[1] = 11;
  if (x > 0) return Counted(x);
  o[2] = 22;
}

__device__ __noinline__ float *falls_in_call(int x, int *o) {
  o[1] = 11;
  switch (x) {
    case 1:
      return reinterpret_cast<float *>(o);
    case 2:
      return nullptr;
  }
  o[2] = 22;
}

__device__ int bound_to(int &r) { return &r == nullptr ? -7 : 7; }
__device__ int read_if(const int &r, bool wanted) { return wanted ? r : 3; }
struct Spans {
  const int *data;
  __device__ const int &operator[](int i) const { return data[i]; }
};

__global__ void run(int which, int *o, int *null, int zero) {
  o[0] = 1;
  switch (which) {
    case 0:
      *null = 5;
      break;
    case 1:
      *reinterpret_cast<int *>(0) = 5;
      break;
    case 2: {
      int *p = nullptr;
      if (zero == 0) *p = 3;
      break;
    }
    case 3:
      o[3] = *null;
      break;
    case 4:
      if (null == nullptr) *null = 1;
      break;
    case 5:
      reinterpret_cast<Large *>(null)->rest[50] = 3;
      break;
    case 6:
      o[3] = *reinterpret_cast<volatile int *>(null);
      break;
    case 7:
      atomicAdd(null, 1);
      break;
    case 8:
      memset(null, 0, 400);
      break;
    case 9:
      *reinterpret_cast<float4 *>(null) = make_float4(1, 2, 3, 4);
      break;
    case 10:
      o[3] = reinterpret_cast<Large *>(null)->tells();
      break;
    case 11:
      o[3] = bound_to(*null);
      break;
    case 12:
      o[3] = read_if(*null, zero != 0);
      break;
    case 13: {
      const int &end = Spans{null}[zero];
      for (int i = 0; i < zero; ++i) o[4] += end;
      o[3] = &end == null;
      break;
    }
    case 14:
      o[4] = falls(zero, o) != 12345;
      break;
    case 15:
      falls(zero, o);
      break;
    case 16:
      falls_with_class(zero, o);
      break;
    case 17:
      *reinterpret_cast<float **>(o + 6) = falls_in_call(zero, o);  // nothing defines the value
      break;
    case 18:
      if (zero != 0) {
        while (true) {
        }
      }
      o[3] = 18;
      break;
    case 19:
      if (zero != 0) {
        for (unsigned x = zero; x != 1;) x = x & 1 ? 3 * x + 1 : x / 2;
        *reinterpret_cast<int *>(0) = 5;
      }
      o[3] = 19;
      break;
  }
  o[5] = 55;
}

// Threads of one block disagree; the others' results are lost, and no fault is.
__global__ void scattered(int **where) { *where[threadIdx.x] = 1; }

int run_case(int which) {
  int *o = device_zeros<int>(8);
  if (which == 20) {
    std::vector<int *> places(64, o);
    places[37] = nullptr;
    scattered<<<1, 64>>>(upload(places));
  } else {
    run<<<1, 1>>>(which, o, nullptr, 0);
  }
  const cudaError_t error = cudaDeviceSynchronize();
  // Where the compiler sees the null pointer nvcc writes a trap instead of the store.
  if (which == 1 || which == 2) {
    std::printf("%d: %s\n", which, error == cudaSuccess ? "no error" : "an error");
  } else if (error != cudaSuccess) {
    std::printf("%d: %s\n", which, cudaGetErrorName(error));
  } else {
    const auto got = download(o, 8);
    std::printf("%d: %d %d %d %d %d %d\n", which, got[0], got[1], got[2], got[3], got[4] != 0, got[5]);
  }
  std::fflush(stdout);
  return 0;
}

int main() {
  for (int which = 0; which <= 20; ++which) {
    const pid_t child = fork();  // a fault ends a process's use of the device
    if (child == 0) _exit(run_case(which));
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) std::printf("%d: status %d\n", which, status);
  }
}
