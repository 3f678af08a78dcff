// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Box-Muller transform makes two numbers at a time: a state keeps the second for the next call, if that asks for
// the same kind.
#pragma once

#include "../function_attributes.h"

namespace warploom {
namespace curand {

enum class kept : int { none, normal, log_normal };

struct normal_cache {
  kept float_kind;
  kept double_kind;
  float next_float;
  double next_double;

  __device__ void forget() {
    float_kind = double_kind = kept::none;
    next_float = 0;
    next_double = 0;
  }
};

}  // namespace curand
}  // namespace warploom
