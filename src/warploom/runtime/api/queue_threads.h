// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who runs what is queued when nobody waits for it: idle members of the team, called when something is given to the
// queue, when somebody leaves something there, and by a watcher that looks every few milliseconds while the queue is
// not empty.
#pragma once

#include <mutex>

#include "queue_state.h"

namespace warploom {

// All with the lock held; `run` gives it up while the item runs.
void run(Item item, std::unique_lock<std::mutex> &lock);
// Calls a member for what can run now, if one may help and none is on its way. Gives the lock up for that; false: it
// has not.
bool call_driver(std::unique_lock<std::mutex> &lock);
// Sees to it that the watcher is awake.
void wake_watcher();

}  // namespace warploom
