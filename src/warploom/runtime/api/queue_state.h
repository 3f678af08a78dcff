// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lanes of all streams, and what of them can run now.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "queue.h"

namespace warploom {

using QueueClock = std::chrono::steady_clock;

struct Task {
  explicit Task(Work given) : work(std::move(given)) {}

  Work work;
  std::shared_ptr<Lane> lane;
  std::vector<TaskPointer> after;  // of other lanes
  bool has_begun = false;
  bool is_told_of = false;          // that it has been waiting for long
  QueueClock::time_point begun_at;  // of one that may wait
  std::atomic<bool> has_ended = false;
  QueueClock::time_point end;  // of a marker

  // Of a plan that runs.
  std::unique_ptr<std::atomic<unsigned>[]> before;  // for each step: steps that it still waits for
  std::vector<unsigned> ready;                      // steps that nobody has taken
  std::size_t left = 0;                             // steps that have not ended

  // Nothing to run: it marks a place, for events and other streams.
  bool is_marker() const { return !has_begun && !work.action && !work.plan; }
};

struct Lane {
  // What has not ended: tasks, and (the highest bit) an operation that runs in the call that submits it.
  static constexpr std::uint32_t kTurnIsTaken = std::uint32_t{1} << 31;
  std::atomic<std::uint32_t> load = 0;

  bool is_legacy = false, is_blocking = false;
  bool is_left = false;  // its stream has been destroyed
  int priority = 0;
  std::deque<TaskPointer> tasks;
  std::uint64_t last_taken = 0, last_visit = 0;
};

// A task to run, or some steps of one.
struct Item {
  TaskPointer task{};
  std::vector<unsigned> steps{};
  bool may_wait = false;
  std::vector<unsigned> waiting{};  // steps that came to their turn while it ran, and may wait

  explicit operator bool() const { return task != nullptr; }
};

// All but the atomic members is guarded by `mutex`.
struct Queue {
  std::mutex mutex;
  std::condition_variable changed;  // a task has ended, or steps are there to be taken
  std::condition_variable pushed;   // for the watcher, when it sleeps
  std::condition_variable called;   // for drivers, when they sleep
  std::vector<std::shared_ptr<Lane>> lanes;
  std::vector<std::shared_ptr<Lane>> active;  // with tasks
  Lane *legacy = nullptr;
  std::atomic<unsigned> blocking_lanes = 0;  // the legacy stream waits for these, and they for it
  std::atomic<unsigned> pending = 0;         // tasks
  unsigned running = 0, waits_running = 0;   // items; those of them that may wait
  unsigned sleepers = 0;                     // waiting threads
  std::uint64_t takes = 0, visits = 0, pushes = 0;
  QueueClock::time_point busy_since;     // of `pending`
  QueueClock::duration usual_absence{};  // of the host, after the first push
  unsigned looking_drivers = 0, sleeping_drivers = 0;
  bool has_watcher = false, watcher_sleeps = false;
  std::atomic<bool> driver_is_called = false;
  std::atomic<bool> main_has_ended = false;
  std::atomic<bool> drops_all = false;

  // Takes something that can run: of any lane; of lanes that one of the tasks waits for, or is in.
  Item take();
  Item take_for(const std::vector<TaskPointer> &tasks);
  bool has_something_to_take() const;

  // The last tasks that work given to the lane now must wait for, its own included.
  std::vector<TaskPointer> predecessors(const Lane &lane, bool own) const;
  // Whether an operation runs in the call that submitted it, before the lane's next work.
  bool turn_is_taken_before(const Lane &lane) const;
  void enter(const TaskPointer &task);
  void end(const TaskPointer &task);
  // Ends markers whose turn it is.
  void settle();
  void forget(const std::shared_ptr<Lane> &lane);

 private:
  bool can_take(const Lane &lane) const;
  Lane *better(Lane *one, Lane *other) const;
  Lane *needed(const std::shared_ptr<Lane> &lane, Lane *best);
  Item take_from(Lane &lane);
  static Item take_steps(const TaskPointer &task);
};

// Never destroyed: threads may run when the process ends.
Queue &queue();

}  // namespace warploom
