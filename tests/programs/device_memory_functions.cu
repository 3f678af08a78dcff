// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / memcpy and memset in kernels
// memcpy and memset in kernels, byte loops like strlen and strcmp, struct assignment.
#include "check.h"

struct Record {
  char name[12];
  int values[5];
};

__device__ int length_of(const char *text) {
  int length = 0;
  while (text[length] != '\0') ++length;
  return length;
}

__device__ int order(const char *a, const char *b) {
  while (*a && *a == *b) {
    ++a;
    ++b;
  }
  return (*a > *b) - (*a < *b);
}

__global__ void handle(const Record *input, Record *output, int *numbers) {
  int i = threadIdx.x;
  Record local;
  memset(&local, 0, sizeof(local));
  memcpy(local.name, "rec-", 4);
  memcpy(local.name + 4, input[i].name, length_of(input[i].name) + 1);
  memcpy(local.values + 1, input[i].values, 3 * sizeof(int));
  memset(local.values + 4, 0xff, sizeof(int));
  output[i] = local;
  numbers[2 * i] = length_of(local.name);
  numbers[2 * i + 1] = order(input[i].name, "beta") * 10 + order(input[i].name, "alphabet");
}

int main() {
  const char *names[] = {"alpha", "beta", "gamma", "", "betamax"};
  std::vector<Record> input(5), want(5);
  std::vector<int> numbers;
  auto sign = [](int x) { return (x > 0) - (x < 0); };
  for (int i = 0; i < 5; ++i) {
    std::memset(&input[i], 0, sizeof(Record));
    std::memset(&want[i], 0, sizeof(Record));
    std::strcpy(input[i].name, names[i]);
    std::memcpy(want[i].name, "rec-", 4);
    std::strcpy(want[i].name + 4, names[i]);
    for (int k = 0; k < 5; ++k) input[i].values[k] = i * 10 + k;
    for (int k = 0; k < 3; ++k) want[i].values[k + 1] = i * 10 + k;
    want[i].values[4] = -1;
    numbers.push_back(static_cast<int>(std::strlen(want[i].name)));
    numbers.push_back(sign(std::strcmp(names[i], "beta")) * 10 + sign(std::strcmp(names[i], "alphabet")));
  }
  Record *output = device_zeros<Record>(5);
  int *device_numbers = device_zeros<int>(10);
  handle<<<1, 5>>>(upload(input), output, device_numbers);
  compare("records", want, download(output, 5));
  compare("numbers", numbers, download(device_numbers, 10));
  return 0;
}
