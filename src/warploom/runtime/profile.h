// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `warploom profile` reads: when each call of the API, launch, part of a launch on an OS thread, copy and range
// began and ended. Each thread keeps records of its own, and writes them out when there are many and at the end.
//
// WARPLOOM_PROFILE=FOLDER turns it on: a process writes FOLDER/PID.profile (profile_file.h). Off, each hook is one
// branch.
#pragma once

#include <atomic>
#include <cstdint>

#include "engine.h"
#include "ticks.h"

namespace warploom {

namespace profile {

enum class Kind : std::uint32_t { kApi = 1, kLaunch, kPart, kCopy, kFill, kRange, kMark, kArguments };

// `what`: text that stays (kApi, kRange, kMark), a Kernel (kLaunch, kPart), or null.
//   kLaunch     data: the number of its first loop, grid (x | y << 32, z | block x << 32), block y | z << 32,
//               depth | (1, if the launching thread has run all of it, and there are no records of parts) << 32,
//               ticks since the call of cudaLaunchKernel began | ticks until it ended << 32; 0: not in this record
//   kPart       data: the number of the loop, blocks
//   kCopy       data: bytes, 1 if from the host | 2 if to the host
//   kFill       data: bytes
//   kArguments  data: of the launch before it, the arguments that its kernel's counts of operations need
struct Record {
  std::uint64_t start = 0, end = 0;  // ticks
  const void *what = nullptr;
  Kind kind{};
  std::uint32_t stream = 0;
  std::uint64_t data[6] = {};
};

extern bool is_on;

// Of the calling thread; when there is no memory or file left, it is lost.
void add(const Record &record);
// `text` for as long as the process lives.
const char *kept(const char *text);

// The launch has ended, which began then. `is_alone`: as above.
void add_launch(const Launch &launch, std::uint64_t start, std::uint64_t first_loop, bool is_alone);
// The call of the API that began then ends.
void add_call(const char *function, std::uint64_t start);

// From its construction to its end.
class Span {
 public:
  Span(Kind kind, const void *what, std::uint32_t stream = 0, std::uint64_t first = 0, std::uint64_t second = 0) {
    if (__builtin_expect(is_on, false)) record_ = {ticks(), 0, what, kind, stream, {first, second}};
  }
  Span(const Span &) = delete;
  Span &operator=(const Span &) = delete;
  ~Span() {
    if (__builtin_expect(record_.start == 0, true)) return;
    record_.end = ticks();
    add(record_);
  }

 private:
  Record record_;
};

}  // namespace profile
}  // namespace warploom
