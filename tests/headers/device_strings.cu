// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / string.h in device code
//
// <string.h> in device code: more of it than CUDA offers.
#include <cstdio>
#include <cstring>

__global__ void strings() {
  char text[32], copy[32];
  strcpy(text, "warp");
  strcat(text, "loom");
  memset(copy, 0, sizeof copy);
  memcpy(copy, text, strlen(text));
  printf("%s %d %d %d\n", copy, (int)strlen(copy), memcmp(text, copy, 4), std::strcmp(copy, "warp") > 0);
  memmove(text + 2, text, 4);
  text[6] = 0;
  printf("%s %s %d\n", text, strstr(copy, "loo"), strncmp(copy, "warm", 3));
}

int main() {
  strings<<<1, 1>>>();
  return cudaDeviceSynchronize();
}
