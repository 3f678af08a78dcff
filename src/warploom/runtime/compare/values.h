// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two versions of the same bytes. Memory has no types: bytes count as a floating-point number where both versions look
// like one, of a kind that the kernel computes with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../image.h"

namespace warploom {

// What is put down to rounding.
struct Closeness {
  std::uint32_t kinds = 0;  // FloatKinds that the kernel computes with; 0: nothing is
  double ulps = 0;          // units in the last place, of float and double
};

struct Difference {
  std::size_t offset;     // in the bytes compared
  std::uint8_t size;      // 1 to 8
  bool is_close = false;  // as Closeness has it
  double relative = 0;    // of a close one: the distance over the larger of the two
};

// The differences of two versions of `size` bytes, in order; floating-point numbers whole, other bytes as words of
// four.
std::vector<Difference> differences(const char *one, const char *other, std::size_t size, const Closeness &closeness);

// Whether the bytes read as a number of the kind of `kinds` that has as many, in both versions.
bool are_floats(const char *one, const char *other, std::size_t size, std::uint32_t kinds);
// How far apart two versions are as such a number; of bytes that are none: infinity.
double distance(const char *one, const char *other, std::size_t size, std::uint32_t kinds);

// "1.5 (int 1069547520, 0x3fc00000)", by the kinds that the kernel computes with.
std::string describe_value(const char *bytes, std::size_t size, std::uint32_t kinds);

}  // namespace warploom
