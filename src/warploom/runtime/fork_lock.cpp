// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fork_lock.h"

#include <sched.h>
#include <unistd.h>

#include <atomic>

namespace warploom {
namespace {

constinit std::atomic<ForkLock *> locks = nullptr;

void unlock(ForkLock *from, const ForkLock *end) {
  for (ForkLock *lock = from; lock != end; lock = lock->next()) lock->unlock_after_fork();
}

// Takes all of them or none: they are held for short times and in any order.
bool try_all(ForkLock *first) {
  for (ForkLock *lock = first; lock != nullptr; lock = lock->next()) {
    if (lock->try_lock_for_fork()) continue;
    unlock(first, lock);
    return false;
  }
  return true;
}

}  // namespace

ForkLock::ForkLock() : next_(locks) {
  while (!locks.compare_exchange_weak(next_, this)) {
  }
}

pid_t fork_with_locks() {
  ForkLock *const first = locks;
  while (!try_all(first)) sched_yield();
  const pid_t child = fork();
  if (child == 0) {
    for (ForkLock *lock = first; lock != nullptr; lock = lock->next()) lock->renew();
  } else {
    unlock(first, nullptr);
  }
  return child;
}

}  // namespace warploom
