// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / special functions
//
// erfinvf, erfcinvf, normcdff and normcdfinvf against the double functions, at every 1,021st float: no error is larger
// than the CUDA C++ Programming Guide says (2, 4, 5 and 5 units of the last place).
#include <cstdio>

constexpr unsigned kStep = 1021, kCount = 0xffffffffu / kStep;

__device__ unsigned worst[4];

// The distance in floats: infinities lie one step behind the largest numbers.
__device__ long long order(float x) {
  int bits = __float_as_int(x);
  return bits < 0 ? -(long long)(bits & 0x7fffffff) : bits;
}

__device__ void judge(int which, float found, double wanted) {
  if (found != found && wanted != wanted) return;
  long long difference = order(found) - order((float)wanted);
  unsigned distance = found != found || wanted != wanted ? 1000 : (unsigned)min(999ll, abs(difference));
  if (distance > worst[which]) atomicMax(&worst[which], distance);
}

__global__ void compare() {
  unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= kCount) return;
  float x = __uint_as_float(number * kStep);
  judge(0, erfinvf(x), erfinv((double)x));
  judge(1, erfcinvf(x), erfcinv((double)x));
  judge(2, normcdff(x), normcdf((double)x));
  judge(3, normcdfinvf(x), normcdfinv((double)x));
}

int main() {
  const unsigned allowed[4] = {2, 4, 5, 5};
  const char *names[4] = {"erfinvf", "erfcinvf", "normcdff", "normcdfinvf"};
  unsigned found[4];
  compare<<<(kCount + 255) / 256, 256>>>();
  cudaMemcpyFromSymbol(found, worst, sizeof found);
  for (int i = 0; i < 4; ++i) {
    if (found[i] > allowed[i]) printf("%s: an error of %u\n", names[i], found[i]);
  }
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
