// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Atomics / atomics with scopes
// Every atomic operation on 32- and 64-bit integers, float and double, in global and shared memory, with scopes.
#include "check.h"

template <typename T>
__device__ void all_ops(T *cells, T value) {
  atomicAdd(&cells[0], value);
  atomicMin(&cells[1], value);
  atomicMax(&cells[2], value);
  atomicAnd(&cells[3], value | 0x40);
  atomicOr(&cells[4], value);
  atomicXor(&cells[5], value * 3);
}

template <typename T>
__global__ void run(T *cells) {
  __shared__ T local[6];
  if (threadIdx.x < 6) local[threadIdx.x] = cells[6 + threadIdx.x];
  __syncthreads();
  T value = static_cast<T>((blockIdx.x * blockDim.x + threadIdx.x) * 37 % 101);
  all_ops(cells, value);
  all_ops(local, value);
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x < 6) cells[12 + threadIdx.x] = local[threadIdx.x];
}

__global__ void others(unsigned *u, int *i, unsigned long long *wide, float *f, double *d) {
  atomicInc(&u[0], 6u);
  atomicDec(&u[1], 6u);
  atomicSub(&i[0], 3);
  atomicSub(&u[2], 2u);
  atomicExch(&i[1], 99);
  atomicExch(&f[1], 2.5f);
  atomicExch(&wide[0], 1ull << 50);
  atomicCAS(&wide[1], 0ull, 1ull << 40);
  for (int seen = i[2], expected; true; seen = expected) {
    expected = atomicCAS(&i[2], seen, seen + 2);
    if (expected == seen) break;
  }
  atomicAdd(&f[0], 0.25f);
  atomicAdd(&d[0], 0.125);
  atomicAdd_block(&i[3 + 3 * blockIdx.x], 1);
  atomicAdd_system(&i[4], 1);
  atomicMax_system(&i[5], static_cast<int>(threadIdx.x));
  unsigned short *halves = reinterpret_cast<unsigned short *>(&u[3]);
  for (unsigned short seen = halves[0], expected; true; seen = expected) {
    expected = atomicCAS(&halves[0], seen, static_cast<unsigned short>(seen + 1));
    if (expected == seen) break;
  }
}

template <typename T>
void apply(T *cells, T value) {
  cells[0] += value;
  cells[1] = std::min(cells[1], value);
  cells[2] = std::max(cells[2], value);
  cells[3] &= value | 0x40;
  cells[4] |= value;
  cells[5] ^= value * 3;
}

template <typename T>
void test(const char *name) {
  const int blocks = 3, threads = 50;
  std::vector<T> cells(18, 0), want;
  for (int k = 0; k < 12; k += 6) {
    cells[k + 1] = 50;
    cells[k + 3] = static_cast<T>(~T{0});
  }
  want = cells;
  std::copy(cells.begin() + 6, cells.begin() + 12, want.begin() + 12);
  for (int i = 0; i < blocks * threads; ++i) {
    T value = static_cast<T>(i * 37 % 101);
    apply(&want[0], value);
    if (i < threads) apply(&want[12], value);
  }
  T *device = upload(cells);
  run<T><<<blocks, threads>>>(device);
  compare(name, want, download(device, 18));
}

int main() {
  test<int>("int");
  test<unsigned>("unsigned");
  test<unsigned long long>("unsigned long long");
  unsigned *u = device_zeros<unsigned>(4);
  int *i = device_zeros<int>(7);
  unsigned long long *wide = device_zeros<unsigned long long>(2);
  float *f = device_zeros<float>(2);
  double *d = device_zeros<double>(1);
  others<<<2, 48>>>(u, i, wide, f, d);
  compare("unsigned ops", std::vector<unsigned>{96 % 7, (7 - 96 % 7) % 7, 0u - 192u, 96}, download(u, 4));
  compare("int ops", std::vector<int>{-288, 99, 192, 48, 96, 47, 48}, download(i, 7));
  compare("wide", std::vector<unsigned long long>{1ull << 50, 1ull << 40}, download(wide, 2));
  compare("float", std::vector<float>{24.0f, 2.5f}, download(f, 2));
  compare("double", std::vector<double>{12.0}, download(d, 1));
  return 0;
}
