// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operations.h"

struct First : Base {
  __device__ int kind() const override { return 1; }
};
struct Second : Base {
  __device__ int kind() const override { return 2; }
};

__device__ Base::~Base() {}
__device__ const Base *make(int which) {
  if (which == 0) return new First;
  return new Second;
}
