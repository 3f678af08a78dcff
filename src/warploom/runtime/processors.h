// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processors of the machine and the OS threads on them. processors.cpp has two forms: by oneTBB, and by threads of
// its own (WARPLOOM_OWN_THREADS), for targets that oneTBB is not installed for.
#pragma once

#include <functional>

namespace warploom {

// Runs `work` so many times, on different OS threads where there are enough, and waits. At most `processor_count`.
void run_on_processors(unsigned times, const std::function<void()> &work);

// In a copy of a process, in which no thread of a pool lives: from now on the threads are new ones.
void use_new_threads();

}  // namespace warploom
