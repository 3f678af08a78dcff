// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What WARPLOOM_COMPARE asks for: `1` or `close`, `exact`, and limits, separated by commas.
#pragma once

#include <cstdint>
#include <limits>

namespace warploom {

struct CompareOptions {
  bool is_on = false;
  bool exact = false;   // no difference is put down to rounding
  double ulps = 64;     // float and double: units in the last place that rounding may make; half: a sixteenth of them
  double seconds = 60;  // that a kernel may take in one trial
  std::uint64_t launches = std::numeric_limits<std::uint64_t>::max();  // of each kernel, the first ones
};

// Read once; what is not understood is named on stderr and left out.
const CompareOptions &compare_options();

}  // namespace warploom
