// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls from one translation unit into another (-rdc=true): which kernels the optimising engine can run, as the device
// functions that they lead to turn out to be plain.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "image.h"

namespace warploom {

class DeviceFunctions {
 public:
  // Learns the functions of an image, and which of its kernels depend on others'.
  void add(const Image &image);
  // Gives every kernel whose needs are met its grid_entry. What the others lack may come with a later image.
  void settle();

 private:
  struct Answer {
    bool is_plain;
    bool looks;
  };
  Answer ask(const Needs &needs);
  Answer ask(const void *function);

  std::unordered_multimap<const void *, const Function *> functions_;  // each file that defines it has its own row
  std::unordered_set<const void *> asked_;                             // on the way to the one that is asked about
  std::vector<const Kernel *> undecided_;
};

}  // namespace warploom
