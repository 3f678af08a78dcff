// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is told of comparisons: the first difference of each kernel when it is found, and all counts when the program
// ends.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "../engine.h"
#include "verdict.h"

namespace warploom {

// The exit status of a program that would have ended with 0, when an engine's result has no explanation.
inline constexpr int kDifferenceStatus = 86;

struct KernelRecord {
  std::uint64_t launches = 0;
  std::uint64_t verdicts[5] = {};  // launches by Verdict
  std::uint64_t close = 0;         // numbers that differ by rounding, in all launches
  double largest_relative = 0;
  std::map<std::string, std::uint64_t> not_compared;  // launches by reason

  std::uint64_t compared() const;
};

// Not thread-safe: whoever compares holds a lock.
class CompareRecord {
 public:
  // The launch begins; its kernel's record.
  KernelRecord &begin(const Kernel &kernel);
  void add(const Launch &launch, const Findings &findings);
  void add_not_compared(const Kernel &kernel, const std::string &reason);
  // Writes what there is to tell; true when something differs without an explanation.
  bool summarise() const;

 private:
  std::uint64_t launches_ = 0;
  std::map<std::string, KernelRecord> kernels_;  // by name
};

}  // namespace warploom
