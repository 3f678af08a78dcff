// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / string search
// Naive string search over bytes, one start per thread; the places are collected by atomics and sorted afterwards.
#include <algorithm>
#include <string>

#include "check.h"

__constant__ char pattern[32];

__global__ void search(const char *text, int length, int pattern_length, int *places, int *count) {
  int start = blockIdx.x * blockDim.x + threadIdx.x;
  if (start + pattern_length > length) return;
  for (int i = 0; i < pattern_length; ++i)
    if (text[start + i] != pattern[i]) return;
  places[atomicAdd(count, 1)] = start;
}

int main() {
  std::string text;
  Lcg lcg{31};
  for (int i = 0; i < 3000; ++i) text += static_cast<char>('a' + lcg.below(3));
  char *device_text = upload(std::vector<char>(text.begin(), text.end()));
  for (std::string word : {"abc", "cabba", "a", "zebra", "bbbbbb"}) {
    std::vector<int> want;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
      want.push_back(static_cast<int>(at));
    int *places = device_zeros<int>(text.size()), *count = device_zeros<int>(1);
    CHECK(cudaMemcpyToSymbol(pattern, word.data(), word.size()));
    search<<<(text.size() + 255) / 256, 256>>>(device_text, static_cast<int>(text.size()),
                                               static_cast<int>(word.size()), places, count);
    report(word.c_str(), static_cast<long long>(want.size()), download(count, 1)[0]);
    std::vector<int> got = download(places, want.size());
    std::sort(got.begin(), got.end());
    compare("places", want, got);
    CHECK(cudaFree(places));
    CHECK(cudaFree(count));
  }
  return 0;
}
