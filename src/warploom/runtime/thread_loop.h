// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop over the threads of one block, as its code hands it to the runtime (backend/loom_threads.py). Where a launch
// has fewer blocks than there are processors, idle members of the team take parts of it:
//
//     runs the block    ... | part 0, iterations 0 to 3 | take back | wait for members | ...
//     member                     | part 1, iterations 4 to 7 |
//
// How many parts depends on what an iteration has taken before, anywhere in the process; of a loop that has never run
// the first one tells, unless one thread's work is known to be worth a part.
#pragma once

#include <cstdint>
#include <optional>

#include "image.h"
#include "team.h"

namespace warploom {

class Block;
class LoomGrid;

// Iterations [first, count) of a loop.
struct ThreadsCall {
  ThreadsBody body;
  void *frame;
  char *scratch;
  std::uint32_t first, count;
};

class ThreadLoop {
 public:
  // Runs all iterations, on up to `most` OS threads, the calling one among them: that which runs `block` for `grid`.
  void run(LoomGrid &grid, Block &block, const ThreadsCall &call, unsigned most);
  // By a member.
  void run_part(unsigned part) const;
  // What a fault has left: members come to the end of their parts.
  void drop() { job_.reset(); }

 private:
  void share(unsigned parts);

  ThreadsCall call_{};
  LoomGrid *grid_ = nullptr;
  Block *block_ = nullptr;
  std::optional<Job> job_;
  unsigned parts_ = 1;
};

}  // namespace warploom
