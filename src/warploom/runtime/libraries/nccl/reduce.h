// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of all ranks become one: kernels/, compiled for each level of the processor.
#pragma once

#include <cstdint>

namespace warploom::nccl {

// As ncclDataType_t.
enum class Type : int {
  kInt8,
  kUint8,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kHalf,
  kFloat,
  kDouble,
  kBfloat,
  kE4m3,
  kE5m2
};
enum class Combine : int { kSum, kProduct, kMax, kMin };

// The inputs are combined in their order. Numbers of 8 and 16 bits that are no integers are combined as floats, and
// rounded once.
struct Reduction {
  Type type;
  Combine combine;
  std::uint64_t divisor = 1;              // of an average of integers
  const std::uint64_t *scales = nullptr;  // the bits of each input's factor, of the elements' type
  const void *const *inputs = nullptr;
  unsigned count = 0;
};

// `out` may be one of the inputs, but overlap none in another way.
using ReduceFunction = void(const Reduction &reduction, std::uint64_t elements, void *out);
ReduceFunction *reduce_function();

inline std::uint64_t size_of(Type type) {
  constexpr std::uint8_t kSizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return kSizes[static_cast<int>(type)];
}

}  // namespace warploom::nccl
