// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / activemask
// activemask names all lanes of a converged warp, and in an arm of a branch itself but no lane of the other arm.
#include "check.h"

__global__ void look(unsigned *masks, unsigned *wrong) {
  int lane = threadIdx.x % 32;
  masks[threadIdx.x] = __activemask();
  __syncwarp();
  unsigned arm = lane % 4 == 1 ? 0x22222222u : 0xddddddddu, seen;
  if (lane % 4 == 1)
    seen = __activemask();
  else
    seen = ~__activemask();
  if (lane % 4 != 1) seen = ~seen;
  if ((seen & (1u << lane)) == 0 || (seen & ~arm) != 0) atomicAdd(wrong, 1u);
  if (lane < 10 && (__activemask() & ~0x3ffu) != 0) atomicAdd(wrong, 1u);
  if (lane >= 5) return;
  if ((__activemask() & ~0x1fu) != 0) atomicAdd(wrong, 1u);
}

int main() {
  unsigned *masks = device_zeros<unsigned>(64), *wrong = device_zeros<unsigned>(1);
  look<<<1, 64>>>(masks, wrong);
  compare("converged", std::vector<unsigned>(64, 0xffffffffu), download(masks, 64));
  report("wrong masks", 0, download(wrong, 1)[0]);
  return 0;
}
