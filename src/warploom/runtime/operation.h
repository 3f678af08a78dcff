// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread can wait for.
#pragma once

#include <cstdint>

namespace warploom {

enum class Operation : std::uint8_t {
  // Block
  kBarrier,
  kBarrierCount,
  kBarrierAnd,
  kBarrierOr,
  kNamedBarrier,
  kGridSync,
  kClusterSync,
  // Warp
  kActiveMask,
  kSyncWarp,
  kShflIdx,
  kShflUp,
  kShflDown,
  kShflXor,
  kBallot,
  kAny,
  kAll,
  kMatchAny,
  kMatchAll,
  kReduceAdd,
  kReduceMinUnsigned,
  kReduceMaxUnsigned,
  kReduceMinSigned,
  kReduceMaxSigned,
  kReduceAnd,
  kReduceOr,
  kReduceXor,
};

inline bool is_block_barrier(Operation operation) { return operation <= Operation::kBarrierOr; }
inline bool is_collective(Operation operation) { return operation >= Operation::kSyncWarp; }

// As CUDA C++ spells it.
const char *operation_name(Operation operation);

// A wait: what the thread asked for, where, and what it got.
struct Wait {
  Operation operation = Operation::kBarrier;
  unsigned mask = 0;        // collectives: the lanes that take part
  std::uint64_t value = 0;  // the thread's contribution
  unsigned operand = 0;     // shuffles: source lane, delta or lane mask; named barriers: id
  unsigned width = 0;       // shuffles: segment width; named barriers: number of threads
  const char *file = nullptr;
  int line = 0;
  const void *site = nullptr;  // kActiveMask: the return address, which tells inlined copies of one line apart
  std::uint64_t result = 0;
  int predicate = 0;  // kMatchAll: its second result
};

}  // namespace warploom
