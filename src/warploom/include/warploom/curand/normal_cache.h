// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Box-Muller transform makes two normal numbers at a time: a state keeps the second for the next call.
#pragma once

#include "../function_attributes.h"

namespace warploom {
namespace curand {

struct normal_cache {
  int has_float;
  int has_double;
  float next_float;
  double next_double;

  __device__ void forget() {
    has_float = has_double = 0;
    next_float = 0;
    next_double = 0;
  }
};

}  // namespace curand
}  // namespace warploom
