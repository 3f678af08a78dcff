// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / loops that count bits
// Bits counted by clearing the lowest one, by shifts, and one by one, of words of each size, with some that stop early.
#include "check.h"

const int kPer = 9;

template <typename Word>
__device__ int clearing(Word x) {
  char count;
  for (count = 0; x; count++) x &= x - 1;
  return count;
}

template <typename Word>
__device__ int shifting(Word x) {
  int count = 0;
  while (x != 0) {
    count += x & 1;
    x >>= 1;
  }
  return count;
}

template <int bits, typename Word>
__device__ int of_lowest(Word x, Word *rest) {
  unsigned short count = 0;
  for (signed char bit = 0; bit < bits; bit++) {
    count = count + (x & 1);
    x = x >> 1;
  }
  *rest = x;
  return count;
}

template <typename Word>
__device__ int one_by_one(Word x) {
  int count = 0;
  for (unsigned bit = 0; bit < 8 * sizeof(Word); ++bit) count += static_cast<int>(x >> bit & 1);
  return count;
}

// The host's answer knows no loop.
template <typename Word>
int bits_of(Word x) {
  return __builtin_popcountll(static_cast<unsigned long long>(x));
}

template <typename Word>
__global__ void count(const Word *words, Word *rests, int *counts, int many) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= many) return;
  Word x = words[i];
  int *out = counts + i * kPer;
  *out++ = clearing(x);
  *out++ = shifting(x);
  *out++ = of_lowest<5>(x, &rests[i]);
  *out++ = of_lowest<64>(x, &x);
  *out++ = static_cast<int>(x);
  x = words[i];
  *out++ = one_by_one(x);
  int others = 0;  // each bit counts as many as there are threads before
  while (x) {
    x &= x - 1;
    others += 7;
  }
  *out++ = others;
  Word y = words[(i + 1) % many];
  x = words[i];
  int steps = 0;
  for (; x && y; ++steps) {
    x &= x - 1;
    y >>= 1;
  }
  *out++ = steps;
  *out++ = static_cast<int>(x ^ y);
}

template <typename Word>
void test(const char *name, const std::vector<unsigned> &seeds) {
  std::vector<Word> words;
  for (std::size_t i = 0; i + 1 < seeds.size(); ++i) {
    words.push_back(static_cast<Word>(static_cast<unsigned long long>(seeds[i]) << 32 | seeds[i + 1]));
  }
  words[0] = 0;
  words[1] = static_cast<Word>(-1);
  int many = static_cast<int>(words.size()), wrong = 0;
  Word *device = upload(words), *rests = device_zeros<Word>(words.size());
  int *counts = device_zeros<int>(words.size() * kPer);
  count<<<(many + 63) / 64, 64>>>(device, rests, counts, many);
  finish();
  std::vector<int> found = download(counts, words.size() * kPer);
  std::vector<Word> left = download(rests, words.size());
  for (int i = 0; i < many; ++i) {
    Word x = words[i], y = words[(i + 1) % many];
    const int all = bits_of(x);
    int steps = 0;
    while (x != 0 && y != 0) {
      x = static_cast<Word>(x & (x - 1));
      y = static_cast<Word>(y >> 1);
      ++steps;
    }
    const int want[kPer] = {all,     all,   bits_of<Word>(words[i] & 31), all, 0, all,
                            7 * all, steps, static_cast<int>(x ^ y)};
    for (int k = 0; k < kPer; ++k) wrong += found[i * kPer + k] != want[k];
    wrong += left[i] != static_cast<Word>(words[i] >> 5);
  }
  report(name, many, many - wrong);
}

std::vector<unsigned> some_words() {
  Lcg lcg{17};
  std::vector<unsigned> words(1001);
  for (unsigned &word : words) word = lcg.next() << 16 ^ lcg.next();
  return words;
}

int main() {
  const std::vector<unsigned> seeds = some_words();
  test<unsigned char>("right, 8 bits", seeds);
  test<unsigned short>("right, 16 bits", seeds);
  test<unsigned>("right, 32 bits", seeds);
  test<unsigned long long>("right, 64 bits", seeds);
}
