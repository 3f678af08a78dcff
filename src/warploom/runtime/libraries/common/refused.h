// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that a library does not have yet, and what no library can do here.
#pragma once

#include <atomic>
#include <string>

#include "../../library_calls.h"

namespace warploom::libraries {

// Says once for each place in the code that `function` is not supported, with the reason; returns `status`.
#define WARPLOOM_REFUSE(FUNCTION, REASON, STATUS)                                          \
  ([&] {                                                                                   \
    static std::atomic_flag told = ATOMIC_FLAG_INIT;                                       \
    if (!told.test_and_set()) warploom::libraries::say_refused(FUNCTION, REASON, #STATUS); \
    return STATUS;                                                                         \
  }())

inline void say_refused(const char *function, const char *reason, const char *status) {
  const std::string text = std::string(function) + " is not supported: " + reason + "; it returns " + status;
  __warploom_library_message(text.c_str());
}

}  // namespace warploom::libraries
