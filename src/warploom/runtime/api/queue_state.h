// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lanes of all streams, and what of them can run now.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "../relax.h"
#include "queue.h"
#include "visible_devices.h"

namespace warploom {

using QueueClock = std::chrono::steady_clock;

struct Task {
  explicit Task(StreamWork given) : work(std::move(given)) {}

  StreamWork work;
  std::shared_ptr<Lane> lane;
  std::vector<TaskPointer> after;  // of other lanes
  std::atomic<bool> has_begun = false;
  std::atomic<bool> is_awaited = false;  // a thread sleeps until it has ended
  bool is_told_of = false;               // that it has been waiting for long
  QueueClock::time_point begun_at;       // of one that may wait
  std::atomic<bool> has_ended = false;
  QueueClock::time_point end;  // of a marker

  // Of a plan that runs.
  std::unique_ptr<std::atomic<unsigned>[]> before;  // for each step: steps that it still waits for
  std::vector<unsigned> ready, ready_waits;         // steps that nobody has taken; those of them that may wait
  std::atomic<std::size_t> left = 0;                // steps that have not ended, and of which it is known that they run
  bool has_steps() const { return !ready.empty() || !ready_waits.empty(); }

  // Nothing to run: it marks a place, for events and other streams.
  bool is_marker() const { return !has_begun && !work.action && !work.plan; }
  // Those that run after all others: the program's code, and what may wait for other work.
  bool may_wait() const { return work.may_wait || work.is_host_function; }
};

// For a few instructions.
class SpinLock {
 public:
  void lock() {
    for (int i = 0; is_taken_.exchange(true, std::memory_order_acquire); ++i) i < kMoments ? relax() : yield();
  }
  void unlock() { is_taken_.store(false, std::memory_order_release); }

 private:
  static constexpr int kMoments = 64;
  static void yield();
  std::atomic<bool> is_taken_ = false;
};

// Who runs a lane's first task goes on with the next one, and who gives a lane more that has tasks only appends:
// neither needs the queue's lock. Only who holds that one begins with a lane, and leaves it. A driver that has run the
// last task attends to the lane for a while: who gives it more meanwhile only appends as well.
struct alignas(64) Lane {
  // What has not ended: tasks, and (the highest bit) an operation that runs in the call that submits it.
  static constexpr std::uint32_t kTurnIsTaken = std::uint32_t{1} << 31;
  std::atomic<std::uint32_t> load = 0;

  bool is_legacy = false, is_blocking = false;
  bool is_left = false;  // its stream has been destroyed
  int priority = 0, device = 0;
  // By its first task: nothing is to be taken of it, it can be taken, it waits for tasks of other lanes.
  enum class State { kQuiet, kReady, kBlocked } state = State::kQuiet;
  std::size_t active_place = 0, ready_place = 0;  // in the queue's lists
  std::uint64_t last_taken = 0, last_visit = 0;

  // Asks for its lines, which whoever runs it has written.
  void bring() const {
    const char *const begin = reinterpret_cast<const char *>(this);
    for (std::size_t at = 0; at < sizeof(Lane); at += alignof(Lane)) __builtin_prefetch(begin + at, 1);
  }
  // Null: there is none. What `first_task` returns stays as long as nobody runs it.
  Task *first_task();
  TaskPointer first();
  TaskPointer last();
  bool is_empty() { return first_task() == nullptr; }
  // Nobody runs, or attends to, what is not there.
  bool is_unused();
  // Whether it was unused before.
  bool append(const TaskPointer &task);
  // Only where somebody runs the lane or attends to it, and if nothing of other lanes has to be waited for.
  template <class Predicate>
  bool append_behind(const TaskPointer &task, const Predicate &others_are_idle) {
    const std::lock_guard guard(lock_);
    if (tasks_.empty() && (!is_attended_ || (load.load() & kTurnIsTaken) != 0)) return false;
    if (!others_are_idle()) return false;
    tasks_.push_back(task);
    return true;
  }
  // Takes the first task out, which has ended; whether it is awaited.
  bool pop();

  // For who has run the first task: it and markers behind it have ended, and the next one begins if it is like that,
  // and waits for nothing. If it is the last one, only where the caller will attend.
  struct Next {
    bool has_ended = false;    // the task
    bool is_awaited = false;   // one of those that have ended
    bool is_attended = false;  // by the caller: there is no next one
    TaskPointer task{};        // null: the next one is not for this thread
  };
  Next advance(bool may_attend);
  // For who attends: whether the lane has got something; `next`: that, as above.
  bool has_more(unsigned threads, TaskPointer *next);
  // True: nothing is there.
  bool stop_attending();

  void lock_for_fork() { lock_.lock(); }
  void unlock_after_fork() { lock_.unlock(); }
  void drop_all();

 private:
  TaskPointer pop_locked(bool *is_awaited);
  TaskPointer begin_first(unsigned threads);

  SpinLock lock_;
  std::deque<TaskPointer> tasks_;
  bool is_attended_ = false;
};

// A task to run, or some steps of one.
struct Item {
  TaskPointer task{};
  std::vector<unsigned> steps{};
  bool may_wait = false;
  unsigned threads = 1;             // that it keeps at work
  std::vector<unsigned> waiting{};  // steps that came to their turn while it ran, and may wait

  explicit operator bool() const { return task != nullptr; }
};

// All but the atomic members is guarded by `mutex`, which is held for a fraction of a microsecond at a time, and comes
// before lanes' own locks. What is done under it looks at no lanes but its own and those that can be taken: lines of
// others are in the caches of those who run them.
//
// A thread that ends a task without `mutex` looks behind that whether somebody waits for it; who waits says so first,
// and then looks once more whether the task has ended.
struct Queue {
  std::mutex mutex;
  std::condition_variable changed;  // an awaited task has ended, or all have, or work is left to those who sleep
  std::condition_variable pushed;   // for the watcher, when it sleeps
  std::condition_variable called;   // for drivers, when they sleep
  std::vector<std::shared_ptr<Lane>> lanes;
  std::vector<std::shared_ptr<Lane>> active;  // with tasks
  std::vector<Lane *> blocked;
  std::array<std::atomic<Lane *>, kMaxDevices> legacy{};  // of each device
  std::atomic<std::size_t> lane_count = 0;                // as `lanes` has
  std::atomic<unsigned> blocking_lanes = 0;  // their device's legacy stream waits for these, and they for it
  unsigned running = 0, waits_running = 0;   // items; those of them that may wait
  unsigned threads_running = 0;              // that the items keep at work
  unsigned sleepers = 0;                     // waiting threads
  std::uint64_t takes = 0, visits = 0, pushes = 0;
  QueueClock::time_point busy_since;     // of `active`
  QueueClock::duration usual_absence{};  // of the host, after the first push
  unsigned looking_drivers = 0, sleeping_drivers = 0;
  bool has_watcher = false, watcher_sleeps = false;
  alignas(64) std::atomic<unsigned> called_drivers = 0;  // that have not come yet; drivers look at it
  alignas(64) std::atomic<unsigned> blocked_lanes = 0;   // as `blocked` has, for those without the lock
  std::atomic<unsigned> ready_lanes = 0;                 // of which something can be taken
  std::atomic<bool> main_has_ended = false;
  std::atomic<bool> drops_all = false;

  // Of all lanes there is just the device's legacy one, with nothing to do: seen without the lock.
  bool only_legacy_is_idle(int device) const {
    const Lane *const only = lane_count.load() == 1 ? legacy[static_cast<std::size_t>(device)].load() : nullptr;
    return only != nullptr && only->load.load() == 0;
  }
  Lane *legacy_of(const Lane &lane) const { return legacy[static_cast<std::size_t>(lane.device)]; }
  // Takes something that can run: of any lane; of lanes that one of the tasks waits for, or is in, only what keeps one
  // thread at work unless `with_many`.
  Item take();
  Item take_for(const std::vector<TaskPointer> &tasks, bool with_many);
  // The last tasks that work given to the lane now must wait for, its own included.
  std::vector<TaskPointer> predecessors(Lane &lane, bool own) const;
  // Whether an operation runs in the call that submitted it, before the lane's next work.
  bool turn_is_taken_before(const Lane &lane) const;
  // A lane is there: neither `enter` nor `end` will want memory for it.
  void add(const std::shared_ptr<Lane> &lane);
  void enter(const TaskPointer &task);
  // The first task of the lane has ended, and nobody goes on with the lane.
  void end(const std::shared_ptr<Lane> &lane);
  // The same where the lane has gone on without it; tasks have ended without the lock, awaited ones perhaps.
  void leave(const std::shared_ptr<Lane> &lane);
  void note_ends(bool is_awaited);
  // Steps of the first task of its lane are there to be taken, the last ones of `steps` from `first` on. Wants no
  // memory.
  void offer(const TaskPointer &task, std::vector<unsigned> &steps, std::size_t first);
  void set_priority(Lane &lane, int priority);
  void forget(const std::shared_ptr<Lane> &lane);
  // In a copy of the process: no task is there.
  void drop_all();

 private:
  // What is compared to choose among lanes stands together.
  struct Ready {
    std::uint64_t order;  // the least is next
    Lane *lane;
  };
  static std::uint64_t order_of(Lane &lane);
  const Ready *needed(Lane &lane, const Ready *best, bool with_many);
  Item take_from(Lane &lane);
  static void begin_plan(Task &task);
  Item take_steps(const TaskPointer &task);
  // Sees what can be done with the lane's first task, and ends markers whose turn it is: true if there were any.
  bool file(Lane &lane);
  void set_state(Lane &lane, Lane::State state);
  void release_blocked();
  void pop(const std::shared_ptr<Lane> &lane);
  void take_out(const std::shared_ptr<Lane> &lane);

  std::vector<Ready> ready_;
};

// Held where it is likely to be free soon: looks for a moment before it sleeps.
using QueueLock = std::unique_lock<std::mutex>;
void lock_soon(QueueLock &lock);
QueueLock lock_queue();

// Never destroyed: threads may run when the process ends.
Queue &queue();

}  // namespace warploom
