// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / __dp4a and __dp2a, every sign, the largest sums and sums that wrap
//
// Each form against a plain loop on the host: threads with neighbouring values, one factor for all threads, constants.
#include <cstdio>
#include <vector>

struct Sums {
  int ss, su, us, uu, ss_lo, ss_hi, uu_lo, uu_hi, mixed, ones, bytes;
};

__device__ Sums sums_of(int a, int b, int c) {
  const unsigned x = a, y = b, z = c;
  Sums sums;
  sums.ss = __dp4a(a, b, c);
  sums.uu = __dp4a(x, y, z);
  asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(sums.su) : "r"(a), "r"(b), "r"(c));
  asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(sums.us) : "r"(a), "r"(b), "r"(c));
  sums.ss_lo = __dp2a_lo(a, b, c), sums.ss_hi = __dp2a_hi(a, b, c);
  sums.uu_lo = __dp2a_lo(x, y, z), sums.uu_hi = __dp2a_hi(x, y, z);
  asm("dp2a.hi.u32.s32 %0, %1, %2, %3;" : "=r"(sums.mixed) : "r"(a), "r"(b), "r"(c));
  sums.ones = __dp4a(0x01010101, b, 0);
  sums.bytes = __dp4a(make_char4(a, a >> 8, a >> 16, a >> 24), make_char4(-128, -128, -128, -128), c);
  return sums;
}

__global__ void neighbours(const int *a, const int *b, const int *c, Sums *sums, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) sums[i] = sums_of(a[i], b[i], c[i]);
}

// What all threads share comes from memory once; a chain of products, whose sum wraps.
__global__ void chain(const int *a, const int *b, int *sums, int count, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int sum = 0x7fffffff;
  unsigned other = 0xffffffffu;
  for (int k = 0; k < steps; ++k) {
    sum = __dp4a(a[i], b[k], sum);
    other = __dp4a(unsigned(b[k]), unsigned(a[i]), other);
  }
  sums[i] = sum ^ int(other);
}

int part(int word, int width, int number, bool is_signed) {
  const int top = int(unsigned(word) << (32 - width * (number + 1)));
  return is_signed ? top >> (32 - width) : int(unsigned(top) >> (32 - width));
}

// `products` of the parts of a, from the lowest, with the bytes of b from byte `first`.
int expected(int a, int b, int c, int products, int first, bool signed_a, bool signed_b) {
  unsigned sum = c;
  for (int i = 0; i < products; ++i) {
    sum += unsigned(part(a, 32 / products, i, signed_a)) * unsigned(part(b, 8, first + i, signed_b));
  }
  return int(sum);
}

int main() {
  const std::vector<int> words = {0,          -1,         int(0x80808080), 0x7f7f7f7f,      int(0x80008000), 0x7fff7fff,
                                  0x01010101, 0x12345678, int(0x9abcdef0), int(0x807f807f), int(0xff01ff80), 5};
  const std::vector<int> starts = {0, -1, 0x7fffffff, int(0x80000000), 1000};
  const int count = int(words.size() * words.size() * starts.size());
  int *a, *b, *c, *chains;
  Sums *sums;
  cudaMallocManaged(&a, count * sizeof(int));
  cudaMallocManaged(&b, count * sizeof(int));
  cudaMallocManaged(&c, count * sizeof(int));
  cudaMallocManaged(&chains, count * sizeof(int));
  cudaMallocManaged(&sums, count * sizeof(Sums));
  int filled = 0;
  for (const int x : words) {
    for (const int y : words) {
      for (const int z : starts) a[filled] = x, b[filled] = y, c[filled++] = z;
    }
  }
  neighbours<<<(count + 63) / 64, 64>>>(a, b, c, sums, count);
  chain<<<(count + 63) / 64, 64>>>(a, b, chains, count, 100);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  int wrong[12] = {};
  for (int i = 0; i < count; ++i) {
    const int x = a[i], y = b[i], z = c[i];
    wrong[0] += sums[i].ss != expected(x, y, z, 4, 0, true, true);
    wrong[1] += sums[i].su != expected(x, y, z, 4, 0, true, false);
    wrong[2] += sums[i].us != expected(x, y, z, 4, 0, false, true);
    wrong[3] += sums[i].uu != expected(x, y, z, 4, 0, false, false);
    wrong[4] += sums[i].ss_lo != expected(x, y, z, 2, 0, true, true);
    wrong[5] += sums[i].ss_hi != expected(x, y, z, 2, 2, true, true);
    wrong[6] += sums[i].uu_lo != expected(x, y, z, 2, 0, false, false);
    wrong[7] += sums[i].uu_hi != expected(x, y, z, 2, 2, false, false);
    wrong[8] += sums[i].mixed != expected(x, y, z, 2, 2, false, true);
    wrong[9] += sums[i].ones != expected(0x01010101, y, 0, 4, 0, true, true);
    wrong[10] += sums[i].bytes != expected(x, int(0x80808080), z, 4, 0, true, true);
    int sum = 0x7fffffff, other = -1;
    for (int k = 0; k < 100; ++k) {
      sum = expected(x, b[k], sum, 4, 0, true, true);
      other = expected(b[k], x, other, 4, 0, false, false);
    }
    wrong[11] += chains[i] != (sum ^ other);
  }
  for (const int each : wrong) printf("%d ", each);
  printf("wrong of %d\n", count);
  return 0;
}
