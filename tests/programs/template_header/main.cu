// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Separate compilation / templates in headers
// One template kernel in a header, instantiated alike in two files of a whole-program build.
// sources: other.cu
// build: objects
#include "../check.h"
#include "kernels.h"

void fill_elsewhere(int *data, int n, int first);
void square_elsewhere(int *data, int n);

int main() {
  const int n = 70;
  std::vector<int> want(2 * n);
  for (int i = 0; i < n; ++i) {
    want[i] = 10 + i;
    want[n + i] = (500 + i + 1) * (500 + i + 1);
  }
  int *data = device_zeros<int>(2 * n);
  launch_fill(data, n, 10);
  fill_elsewhere(data + n, n, 500);
  square_elsewhere(data + n, n);
  compare("both files", want, download(data, 2 * n));
  return 0;
}
