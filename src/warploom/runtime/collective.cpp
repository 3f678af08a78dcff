// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "collective.h"

#include <algorithm>

namespace warploom {
namespace {

void shuffle(Operation operation, unsigned present, const WarpWaits &waits) {
  for_each_lane(present, [&](unsigned lane) {
    Wait &wait = *waits[lane];
    const unsigned source = shuffle_source(operation, lane, wait.operand, wait.width);
    wait.result = present >> source & 1 ? waits[source]->value : 0;
  });
}

// Lanes with a true predicate.
unsigned ballot(unsigned present, const WarpWaits &waits) {
  unsigned result = 0;
  for_each_lane(present, [&](unsigned lane) { result |= unsigned{waits[lane]->value != 0} << lane; });
  return result;
}

// Lanes whose value equals that of `lane`.
unsigned matching(unsigned present, const WarpWaits &waits, unsigned lane) {
  unsigned result = 0;
  for_each_lane(present,
                [&](unsigned other) { result |= unsigned{waits[other]->value == waits[lane]->value} << other; });
  return result;
}

void set_all(unsigned present, const WarpWaits &waits, std::uint64_t result, int predicate = 0) {
  for_each_lane(present, [&](unsigned lane) {
    waits[lane]->result = result;
    waits[lane]->predicate = predicate;
  });
}

template <typename Value, typename Function>
void reduce(unsigned present, const WarpWaits &waits, Function combine) {
  auto result = static_cast<Value>(waits[static_cast<unsigned>(std::countr_zero(present))]->value);
  for_each_lane(present & (present - 1),
                [&](unsigned lane) { result = combine(result, static_cast<Value>(waits[lane]->value)); });
  set_all(present, waits, static_cast<unsigned>(result));
}

template <typename Value>
Value smaller(Value a, Value b) {
  return std::min(a, b);
}
template <typename Value>
Value larger(Value a, Value b) {
  return std::max(a, b);
}

}  // namespace

unsigned shuffle_source(Operation operation, unsigned lane, unsigned operand, unsigned width) {
  // PTX ISA, shfl.sync: only the low five bits of the operand count, and the segment mask is (32 - width).
  const unsigned distance = operand & 31;
  const unsigned segment = (kWarpSize - width) & 31;
  const unsigned first = lane & segment;
  const unsigned last = first | (31 & ~segment);
  switch (operation) {
    case Operation::kShflIdx:
      return first | (distance & ~segment);
    case Operation::kShflUp:
      return lane >= first + distance ? lane - distance : lane;
    case Operation::kShflDown:
      return lane + distance <= last ? lane + distance : lane;
    default:  // kShflXor: earlier segments may be read, later ones not
      return (lane ^ distance) <= last ? lane ^ distance : lane;
  }
}

void evaluate_collective(Operation operation, unsigned present, const WarpWaits &waits) {
  switch (operation) {
    case Operation::kShflIdx:
    case Operation::kShflUp:
    case Operation::kShflDown:
    case Operation::kShflXor:
      return shuffle(operation, present, waits);
    case Operation::kBallot:
      return set_all(present, waits, ballot(present, waits));
    case Operation::kAny:
      return set_all(present, waits, ballot(present, waits) != 0);
    case Operation::kAll:
      return set_all(present, waits, ballot(present, waits) == present);
    case Operation::kMatchAny:
      return for_each_lane(present, [&](unsigned lane) { waits[lane]->result = matching(present, waits, lane); });
    case Operation::kMatchAll: {
      const bool all = matching(present, waits, static_cast<unsigned>(std::countr_zero(present))) == present;
      return set_all(present, waits, all ? present : 0, all);
    }
    case Operation::kReduceAdd:
      return reduce<unsigned>(present, waits, [](unsigned a, unsigned b) { return a + b; });
    case Operation::kReduceMinUnsigned:
      return reduce<unsigned>(present, waits, smaller<unsigned>);
    case Operation::kReduceMaxUnsigned:
      return reduce<unsigned>(present, waits, larger<unsigned>);
    case Operation::kReduceMinSigned:
      return reduce<int>(present, waits, smaller<int>);
    case Operation::kReduceMaxSigned:
      return reduce<int>(present, waits, larger<int>);
    case Operation::kReduceAnd:
      return reduce<unsigned>(present, waits, [](unsigned a, unsigned b) { return a & b; });
    case Operation::kReduceOr:
      return reduce<unsigned>(present, waits, [](unsigned a, unsigned b) { return a | b; });
    case Operation::kReduceXor:
      return reduce<unsigned>(present, waits, [](unsigned a, unsigned b) { return a ^ b; });
    default:  // kSyncWarp has no result
      return;
  }
}

}  // namespace warploom
