// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <vector>

int plain_sum(const std::vector<int> &values) {
  int sum = 0;
  for (int value : values) sum += value;
  return sum;
}
