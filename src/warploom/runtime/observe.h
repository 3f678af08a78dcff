// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What CUPTI's users see (api/cupti_activity.cpp): calls of the API, kernels, copies, fills, ranges. Each hook is one
// branch as long as nobody has asked for anything.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warploom {

struct Launch;

namespace observe {

extern bool is_on;

// ns of a steady clock.
std::uint64_t now();
// Of the call of the API that is under way on this thread; 0: none.
std::uint32_t correlation();

// The calling thread's call of an API function begins and ends. `parameters`: as the function's structure in
// cupti_calls.h; null: it has none.
void enter(const char *function, const void *parameters);
void note_result(int result);  // of the call that is under way, or of one within it
void leave();

// Takes a kernel that has ended. The engine stands without the API: CUPTI sets it before `is_on`.
extern void (*add_kernel)(const Launch &launch, std::uint64_t start, std::uint64_t end);

enum class Place : std::uint8_t { kPageable = 1, kPinned, kDevice, kArray, kManaged, kVariable };
struct Transfer {
  std::uint64_t stream = 0;
  std::uint32_t correlation = 0;
  std::size_t bytes = 0;
  Place from = Place::kDevice, to = Place::kDevice;
};
void add_copy(const Transfer &copy, std::uint64_t start, std::uint64_t end);
void add_fill(const Transfer &fill, std::uint32_t value, std::uint64_t start, std::uint64_t end);

// `name` stays; null: a range ends.
enum class Mark : std::uint8_t { kInstant = 1, kStart = 2, kEnd = 4 };
void add_mark(Mark kind, std::uint32_t id, const char *name);

}  // namespace observe
}  // namespace warploom
