// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The OS threads that help a launch. They are started when first wanted and stay: after work a member spins for a while
// if work has been coming soon, then sleeps.
//
//         caller            each wakes two, so that 63 are awake after six steps
//        /      \           .
//    member 1  member 2     the caller does part 0, members parts 1, 2, ...: at the next launch each gets the part that
//     /   \     /   \       it had
//
// Nobody waits for a member that has not begun: a job whose caller finds nothing left to do is taken back from members
// that are still waking.
#pragma once

#include <functional>

namespace warploom {

// Runs work(0) on the calling thread and, as far as members are idle, work(1) to work(times - 1) on theirs; returns
// when all that began have ended. Fewer may begin: each has to go on until nothing is left. Any thread may call this at
// any time, a member too.
void run_with_team(unsigned times, const std::function<void(unsigned)> &work);

// Runs work(0) on an idle member, if there is one among as many as there are processors, and returns at once; false:
// there is none. Always with the same `work`, which is never destroyed.
bool run_on_idle_member(const std::function<void(unsigned)> &work);

// Signals from outside are for the program's own threads; faults stay where they happen.
void leave_signals_to_others();

}  // namespace warploom
