// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes of one user that launch kernels at the same time, knowing nothing of each other: each takes an even part of
// the processors that they share. They meet in a file of shared memory, where each has a slot:
//
//     /dev/shm/warploom-1-UID       slot 0: at work a moment ago, processors 0 to 3 | slot 1: ... | slot 2: free
//
// Who has a slot holds a lock on the byte of its number, which the system gives up for a process that ends in whatever
// way. When a process was last at work it writes at most once a millisecond, and looks at the others' slots then: a
// process alone writes to no line that another one reads, and asks the clock once for each job.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "processors.h"

namespace warploom {

class Company {
 public:
  // For so long a process counts that has last been at work, in ms.
  static constexpr std::uint64_t kAtWork = 20;

  // Takes a slot in the file `path`; false when there is none to have: the process counts as alone then. Once more in a
  // child of fork().
  bool join(const std::string &path, const Processors &processors);
  // Of `total` processors, those for this process while others that use some of them are at work; at least 1. `now`, in
  // ms: this process is at work.
  unsigned share(std::uint64_t now, unsigned total);

 private:
  static constexpr unsigned kSlots = 128, kMaskWords = 16;

  struct alignas(256) Slot {
    std::atomic<std::uint64_t> at_work;  // ms; all clear: never
    std::array<std::atomic<std::uint64_t>, kMaskWords> processors;
  };
  struct Table {
    std::atomic<unsigned> used;  // slots from here on never had an owner
    std::array<Slot, kSlots> slots;
  };

  int open_table(const std::string &path);
  bool is_beside(const Slot &other, std::uint64_t now) const;

  Table *table_ = nullptr;
  int file_ = -1;
  unsigned own_ = 0;
};

// Processors for what this process does now: processor_count(), or its part of them while other processes are at work.
// Not less than WARPLOOM_NUM_THREADS where that is given. For whoever begins work on several threads.
unsigned processors_now();

// In a child of fork(), which is another process.
void company_of_child();

}  // namespace warploom
