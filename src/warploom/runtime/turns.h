// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over threads whose iterations may wait for each other, in code of the optimising engine
// (backend/loom_turns.py).
//
//     fiber 1   loop of 4:  [ 0 ][ 1 waits ...........................  1 ends ]
//     fiber 2                    [ 2 ][ 3 waits ....  3 ends ]
//
// A fiber runs one iteration after the other until one waits. Then another fiber goes on: a new one with what has not
// begun, of any loop that is open, else the one that has waited longest. All fibers of a block are on one OS thread.
//
// Every iteration that can go on does so in the end: it has been begun, as no fiber waits while there is one to begin,
// and fibers that wait take turns. The caller sees to it that other blocks and other OS threads have theirs.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "fiber.h"
#include "image.h"

namespace warploom {

struct Thread;

class Turns {
 public:
  Turns();
  Turns(const Turns &) = delete;
  Turns &operator=(const Turns &) = delete;
  ~Turns();

  // Before the blocks of a launch: fibers take stacks of so many bytes at least.
  void prepare(StackPool &stacks, std::size_t bytes);

  // For the running thread. Runs body(frame, n) for each n below `count`.
  void run(TurnBody body, void *frame, unsigned count);
  // It waits: another goes on, if there is one, and in the end the caller. True when somebody else has had a turn.
  bool pass();
  // After the blocks of a launch, which may have failed: gives all stacks back.
  void drop();

 private:
  struct Fiber;
  struct Loop {
    TurnBody body;
    void *frame;
    unsigned count;
    unsigned begun = 0, ended = 0;
  };

  [[noreturn]] static void fiber_main(void *argument);
  void work(Loop &loop);
  Thread *begin_fiber(Loop &loop);

  StackPool *stacks_ = nullptr;
  std::size_t bytes_ = 0;
  std::vector<Loop *> open_;      // those with iterations that have not begun; the innermost last
  std::deque<Thread *> waiting_;  // the one that has waited longest first
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber *> idle_;  // of these, those that have ended
};

}  // namespace warploom
