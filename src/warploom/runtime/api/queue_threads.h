// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who runs what is queued when nobody waits for it: drivers, which are OS threads that are called when something is
// given to the queue, when somebody leaves something there, and by a watcher that looks every few milliseconds while
// the queue is not empty. A grid that a driver runs gets members of the team (team.h) as any other.
#pragma once

#include "queue_state.h"

namespace warploom {

// All with the lock held; `run` gives it up while the item runs, and what of its lane it goes on with: if nobody waits
// for it, for a while, else until the task `until` has ended.
void run(Item item, QueueLock &lock, const Task *until = nullptr);
// Whether there is a processor for one more item; `called`: drivers that will take one.
bool has_room(unsigned called = 0);
// Calls a driver for what can run now, if there is room for one and not as many are on their way as there are lanes to
// be taken of; may give the lock up for that. False: none comes.
bool call_driver(QueueLock &lock);
// Who takes no more, or leaves something that can be taken: those who sleep look whether they need it.
void leave_the_rest();
// Sees to it that the watcher is awake.
void wake_watcher();

}  // namespace warploom
