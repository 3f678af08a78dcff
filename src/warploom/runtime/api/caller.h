// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which function of the API the program has called, and from where: two words, that are turned into names when a
// message wants them.
#pragma once

#include "../engine.h"
#include "../observe.h"
#include "../profile.h"

namespace warploom {

struct Caller {
  const char *function = nullptr;
  const void *address = nullptr;     // that the call returns to
  const void *parameters = nullptr;  // for CUPTI, of the functions that have them in cupti_calls.h
};

// Of the function in whose default argument this stands: an entry point of the API.
#define WARPLOOM_CALLER \
  warploom::Caller { __builtin_FUNCTION(), __builtin_return_address(0) }

// The same in the function's body, with its parameters.
#define WARPLOOM_CALLER_WITH(parameters) \
  warploom::Caller { __builtin_FUNCTION(), __builtin_return_address(0), &parameters }

// The call of the calling thread that is under way; the outermost one where one function of the API uses another.
extern constinit thread_local Caller current_caller __attribute__((tls_model("initial-exec")));

class CallScope {
 public:
  // Device code may leave a call without returning from it.
  explicit CallScope(const Caller &caller) : is_outermost_(current_caller.function == nullptr && !in_device_code()) {
    if (!is_outermost_) return;
    current_caller = caller;
    if (__builtin_expect(profile::is_on, false)) start_ = ticks();
    if (__builtin_expect(observe::is_on, false)) begin_observed(caller);
  }
  // What the call returns.
  template <class Result>
  static Result result(Result value) {
    if (__builtin_expect(observe::is_on, false)) observe::note_result(static_cast<int>(value));
    return value;
  }
  CallScope(const CallScope &) = delete;
  CallScope &operator=(const CallScope &) = delete;
  ~CallScope() {
    if (!is_outermost_) return;
    if (__builtin_expect(start_ != 0, false)) profile::add_call(current_caller.function, start_);
    if (__builtin_expect(is_observed_, false)) observe::leave();
    current_caller = {};
  }

 private:
  void begin_observed(const Caller &caller) {
    is_observed_ = true;
    observe::enter(caller.function, caller.parameters);
  }

  bool is_outermost_, is_observed_ = false;
  std::uint64_t start_ = 0;
};

}  // namespace warploom
