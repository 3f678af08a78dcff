// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who runs what is queued when nobody waits for it: drivers, which are OS threads that are called when something is
// given to the queue, when somebody leaves something there, and by a watcher that looks every few milliseconds while
// the queue is not empty. A grid that a driver runs gets members of the team (team.h) as any other.
#pragma once

#include <mutex>

#include "queue_state.h"

namespace warploom {

// All with the lock held; `run` gives it up while the item runs.
void run(Item item, std::unique_lock<std::mutex> &lock);
// Calls a driver for what can run now, if there is room for one and none is on its way; may give the lock up for that.
// False: it has not.
bool call_driver(std::unique_lock<std::mutex> &lock);
// Sees to it that the watcher is awake.
void wake_watcher();

}  // namespace warploom
