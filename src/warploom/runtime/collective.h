// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warp collectives as pure functions of what the lanes bring.
#pragma once

#include <array>
#include <bit>

#include "operation.h"

namespace warploom {

inline constexpr unsigned kWarpSize = 32;

using WarpWaits = std::array<Wait *, kWarpSize>;

template <typename Function>
void for_each_lane(unsigned mask, Function function) {
  for (; mask != 0; mask &= mask - 1) function(static_cast<unsigned>(std::countr_zero(mask)));
}

// The lane that `lane` reads in a shuffle: PTX's rule for shfl.sync. The caller's own lane when out of range.
unsigned shuffle_source(Operation operation, unsigned lane, unsigned operand, unsigned width);

// Sets the results of `operation` for the lanes `present`, which wait with `waits`. A shuffle from a lane that is not
// present (undefined in CUDA) gives 0: an H200 does so for lanes that the block does not have, and sums rely on it.
void evaluate_collective(Operation operation, unsigned present, const WarpWaits &waits);

}  // namespace warploom
