// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Faults of device code: a signal raised while a fiber runs ends that launch, not the process.
#pragma once

#include <cstdint>
#include <string>

#include "engine.h"

namespace warploom {

enum class Access : std::uint8_t { kUnknown, kRead, kWrite };
// Why an access is one that the processor would have made, and a GPU would not (WARPLOOM_STRICT).
enum class Refusal : std::uint8_t { kNone, kMisaligned, kHostMemory };

struct Fault {
  int signal = 0;
  const void *address = nullptr;
  bool address_known = false;
  bool stack_overflow = false;
  Access access = Access::kUnknown;
  Refusal refusal = Refusal::kNone;
  unsigned bytes = 0;            // that the address should be a multiple of: kMisaligned
  const void *code = nullptr;    // the instruction
  const void *caller = nullptr;  // where its function returns to, if that is one that calls none and keeps nothing
};

Outcome fault_outcome(const Fault &fault);

// Once a process; further calls do nothing. Faults outside device code go to the handlers there were before.
void install_fault_handlers();

// Asked about an address that host code has no access to, before those other handlers: says so, if it knows why.
using ReportHostAccess = void (*)(const void *address, Access access, const void *code);
void set_host_access_report(ReportHostAccess report);

// Calls body(state), work of a library. False, with what happened in `fault`, if it touched memory that is not there;
// its frames are gone then without their destructors.
bool run_or_land(void (*body)(void *state), void *state, Fault *fault);
// What is said of it: `function` of the library was called.
std::string describe_fault(const char *function, const Fault &fault);
// Whether the calling thread is in such work.
bool can_land();
// Ends the calling thread's work as if it had faulted so.
[[noreturn]] void land(const Fault &fault);

// Gives the calling OS thread an alternate signal stack, unless it has one: a fiber whose stack has overflowed cannot
// run a handler.
void use_signal_stack();

}  // namespace warploom
