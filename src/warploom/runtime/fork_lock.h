// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutexes that a copy of the process can use: only the thread that forks lives on in the copy, so that what another
// one had locked would stay locked there for good.
#pragma once

#include <sys/types.h>

#include <new>

namespace warploom {

// A mutex that fork_with_locks holds while it copies. Never destroyed.
class ForkLock {
 public:
  virtual bool try_lock_for_fork() = 0;
  virtual void unlock_after_fork() = 0;
  virtual void renew() = 0;  // in the copy, whose thread is another one: unlocked
  ForkLock *next() const { return next_; }

 protected:
  ForkLock();
  ~ForkLock() = default;

 private:
  ForkLock *next_;
};

template <class Mutex>
class Forkable : public Mutex, private ForkLock {
 private:
  bool try_lock_for_fork() override { return this->try_lock(); }
  void unlock_after_fork() override { this->unlock(); }
  void renew() override { new (static_cast<Mutex *>(this)) Mutex; }
};

// fork(), while no other thread holds any of these.
pid_t fork_with_locks();

}  // namespace warploom
