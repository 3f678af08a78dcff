// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenMP's threads in the place of the team's members. They spin for milliseconds after each parallel region, and so do
// members after each job: where a host thread has both in turn, the two teams are on the same processors, and each
// waits until the scheduler takes the other one's spinning threads away. So its jobs go to OpenMP's threads, which are
// awake, and the members sleep.
//
//     host thread   | OpenMP's region | job's part 0 | OpenMP's region | ...
//     OpenMP's 1    | region    | spins | part 1 | spins | region      |
//     member 1      (sleeps)
#pragma once

namespace warploom {

// How many there are, the calling thread among them, for a job of `wanted` that it begins now; 0: they are fewer, or it
// has not used them of late.
unsigned openmp_threads(unsigned wanted);
// Begins work(state) on each of `threads` but the calling one, and returns. `end_openmp` is to follow on this thread.
void start_openmp(unsigned threads, void (*work)(void *state), void *state);
// Of one of those, within `work`.
unsigned openmp_number();
// Returns when all of them have ended. `is_late`: one of them had not begun when nothing was left to do. Where those
// come late by more than a moment, other programs have their processors, and jobs go to the team for a while.
void end_openmp(bool is_late);

}  // namespace warploom

// For PyTorch's device: the calling thread has just run something on OpenMP's threads, which now wait awake for more.
// For a while the kernels that it launches go to them.
extern "C" void __warploom_uses_openmp();
