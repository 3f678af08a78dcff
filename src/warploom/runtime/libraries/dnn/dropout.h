// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which numbers a dropout keeps.
#pragma once

#include "descriptors.h"

namespace warploom::dnn {

// What lies in the memory of a dropout descriptor: read and moved on by each call when it runs.
struct DropoutState {
  std::uint64_t seed, calls;
};

// One bit for each of `count` numbers: whether it is kept.
void make_mask(float rate, DropoutState *state, std::uint8_t *mask, Size count);
inline std::size_t mask_size(Size count) { return static_cast<std::size_t>((count + 7) / 8); }
inline bool is_kept(const std::uint8_t *mask, Size number) { return (mask[number / 8] >> (number % 8) & 1U) != 0; }
// What the numbers that are kept are multiplied by.
inline double dropout_scale(float rate) { return rate < 1 ? 1 / (1 - static_cast<double>(rate)) : 0; }

// A descriptor that has states.
const cudnnDropoutStruct &set_dropout(cudnnDropoutDescriptor_t descriptor);

}  // namespace warploom::dnn
