// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / program arguments and exit status
// The program's arguments reach main; its exit status and stderr come back when a function calls exit().
// args: 7 "two words" -x
// rc: 3
// stderr: ^leaving with 3$
#include "check.h"

__global__ void times(int *value, int factor) { *value *= factor; }

void leave(int status) {
  std::fprintf(stderr, "leaving with %d\n", status);
  std::exit(status);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) std::printf("%s\n", argv[i]);
  int *value = upload(std::vector<int>{6});
  times<<<1, 1>>>(value, std::atoi(argv[1]));
  report("product", 42, download(value, 1)[0]);
  leave(3);
  return 0;
}
