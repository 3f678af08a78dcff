// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Separate compilation / host files beside CUDA files
// A two-file build with a C++ host file, definitions and host-only flags.
// flags: -DSCALE=3 -DNAME=\"defined\" -U UNUSED -Xcompiler -Wall -O2 -DUNUSED_TOO -UUNUSED_TOO
// sources: host.cpp
#include "../check.h"
#include "host.h"

#if defined(UNUSED) || defined(UNUSED_TOO)
#error undefined again
#endif

__global__ void scale(int *data) { data[threadIdx.x] = host_device_scale(data[threadIdx.x]); }

int main() {
  std::vector<int> data = make_numbers(30), want = data;
  int *device = upload(data);
  scale<<<1, 30>>>(device);
  for (int &value : want) value = value * SCALE + 1;
  compare(NAME, want, download(device, 30));
#ifdef __CUDACC__
  std::printf("compiled as CUDA\n");
#endif
  std::printf("%s\n", host_says());
  return 0;
}
