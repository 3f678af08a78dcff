// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether two engines left the same in memory, and what explains it when they did not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "memory.h"
#include "options.h"
#include "trial.h"
#include "values.h"

namespace warploom {

enum class Verdict {
  kAlike,
  kClose,     // but for the last digits of floating-point numbers
  kRounding,  // the reference engine differs from itself there when it rounds up or down
  kOrder,     // the reference engine differs from itself there when threads run in another order
  kDiffers,   // nothing explains it
};

struct Findings {
  Verdict verdict = Verdict::kAlike;
  std::uint64_t close = 0;      // numbers that differ by rounding
  double largest_relative = 0;  // of those
  std::uint64_t differing = 0;  // other elements
  std::uint64_t unexplained = 0;
  std::size_t regions = 0;  // with such elements
  std::string first;        // where the first one is, and both values
  bool is_certain = true;   // false: a trial that might explain the difference took too long
  bool is_complete = true;  // false: a trial's copy of memory was lost
};

// Compares two trials of a snapshot that have ended well. Starts others where they differ.
Findings compare_memory(Snapshot &snapshot, const ReachableMemory &memory, Trial &loom, Trial &reference,
                        std::uint32_t float_kinds, const CompareOptions &options);

}  // namespace warploom
