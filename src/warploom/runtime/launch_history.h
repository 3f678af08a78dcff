// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What parallel loops over blocks have cost, so that a launch takes the OS threads that it is worth.
#pragma once

#include <cstdint>

namespace warploom {

// Processor time of a loop: `body` of `blocks` blocks of `threads` threads each. In nanoseconds; 0: never measured.
std::uint64_t measured_cost(const void *body, std::uint64_t blocks, std::uint64_t threads);
void remember_cost(const void *body, std::uint64_t blocks, std::uint64_t threads, std::uint64_t nanoseconds);

}  // namespace warploom
