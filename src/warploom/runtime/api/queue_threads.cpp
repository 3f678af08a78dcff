// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "queue_threads.h"

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

#include "../engine.h"
#include "../team.h"
#include "error.h"

namespace warploom {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kShortestTick{1}, kLongestTick{8};
// The watcher sleeps when nothing has been queued for so long.
constexpr milliseconds kIdle{100};
// What has been queued for longer than this, and nobody has come for it, is taken by members.
constexpr std::chrono::microseconds kPatience{500};

thread_local bool task_here = false;

class Inside {
 public:
  Inside() { task_here = true; }
  Inside(const Inside &) = delete;
  Inside &operator=(const Inside &) = delete;
  ~Inside() { task_here = false; }
};

// Nothing runs after a fault of the device, nor the program's code when its objects are gone.
bool is_dropped(const Work &work, bool is_host_function) {
  if (queue().drops_all || (is_host_function && queue().main_has_ended)) return true;
  return device_fault() != cudaSuccess && !work.runs_after_fault;
}

template <class Operation>
void run_operation(const Operation &operation) {
  cudaError_t error = cudaSuccess;
  try {
    error = operation();
  } catch (const std::bad_alloc &) {
    error = cudaErrorMemoryAllocation;
  }
  if (error != cudaSuccess) set_device_error(error);
}

// Leaves half of the steps to others. `own`: [next, ...) are left.
void share_steps(Task &task, std::vector<unsigned> &own, std::size_t next) {
  Queue &all = queue();
  std::unique_lock lock(all.mutex);
  const std::size_t kept = next + (own.size() - next + 1) / 2;
  task.ready.insert(task.ready.end(), own.begin() + static_cast<std::ptrdiff_t>(kept), own.end());
  own.resize(kept);
  if (all.sleepers != 0) all.changed.notify_all();
  call_driver(lock);
}

// Runs the steps, and those that only waited for them; the number of steps that were run.
std::size_t run_steps(const Item &item) {
  Task &task = *item.task;
  const Plan &plan = *task.work.plan;
  const auto start = QueueClock::now();
  std::vector<unsigned> own = item.steps, waiting;
  std::size_t next = 0;
  auto shared_at = start;
  for (; next < own.size(); ++next) {
    const Plan::Step &step = plan.steps[own[next]];
    if (!is_dropped(task.work, step.is_host_function)) run_operation([&] { return plan.run(own[next]); });
    for (const unsigned after : step.next) {
      if (task.before[after].fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
      const bool waits = plan.steps[after].may_wait || plan.steps[after].is_host_function;
      (waits ? waiting : own).push_back(after);
    }
    if (own.size() - next <= 2) continue;
    const auto now = QueueClock::now();
    if (now - shared_at < kShortWork) continue;
    shared_at = now;
    share_steps(task, own, next + 1);
  }
  const auto elapsed = std::chrono::nanoseconds(QueueClock::now() - start).count();
  plan.step_time = elapsed / static_cast<std::int64_t>(next);
  if (!waiting.empty()) {
    const std::lock_guard lock(queue().mutex);
    task.ready.insert(task.ready.end(), waiting.begin(), waiting.end());
  }
  return next;
}

// How many steps were run; 1 where there are none.
std::size_t execute(const Item &item) {
  const Inside inside;
  Work &work = item.task->work;
  if (work.plan) return run_steps(item);
  if (!is_dropped(work, work.is_host_function)) run_operation([&] { return work.action->run(); });
  work.action.reset();  // what it refers to goes without the lock
  return 1;
}

void drive(unsigned) {
  Queue &all = queue();
  std::unique_lock lock(all.mutex);
  all.driver_is_called = false;
  while (Item item = all.take()) run(std::move(item), lock);
}

// With one more where all that run may be waiting: they hold no processor for good.
bool may_help(const Queue &all) {
  return !all.driver_is_called && all.running < std::max(1U, processor_count()) + all.waits_running &&
         all.has_something_to_take();
}

bool start_driver() {
  static const std::function<void(unsigned)> work = drive;
  if (run_on_idle_member(work)) return true;
  queue().driver_is_called = false;
  return false;
}

// For when members wait, all of them: for what is queued, perhaps.
void start_thread() {
  try {
    std::thread([] {
      leave_signals_to_others();
      drive(0);
    }).detach();
  } catch (const std::system_error &) {
    queue().driver_is_called = false;  // the watcher tries again
  }
}

// Whether the host is late: then what it queues should not wait for it.
void look_after(std::unique_lock<std::mutex> &lock) {
  Queue &all = queue();
  all.usual_absence = std::max<QueueClock::duration>(all.usual_absence, kShortestTick);
  const bool all_wait = all.waits_running != 0;
  all.driver_is_called = true;
  lock.unlock();
  if (!start_driver() && all_wait) {
    all.driver_is_called = true;
    start_thread();
  }
  lock.lock();
}

[[noreturn]] void watch() {
  leave_signals_to_others();
  Queue &all = queue();
  std::unique_lock lock(all.mutex);
  auto tick = kShortestTick;
  std::uint64_t pushes = all.pushes;
  auto quiet_since = QueueClock::now();
  while (true) {
    lock.unlock();
    std::this_thread::sleep_for(tick);
    lock.lock();
    const auto now = QueueClock::now();
    if (all.pending != 0 || all.pushes != pushes) {
      pushes = all.pushes;
      quiet_since = now;
    } else if (now - quiet_since > kIdle) {
      all.watcher_sleeps = true;
      all.pushed.wait(lock, [&] { return all.pushes != pushes; });
      all.watcher_sleeps = false;
      tick = kShortestTick;
    }
    const bool is_late = now - all.busy_since > kPatience && may_help(all);
    tick = is_late ? kShortestTick : std::min(2 * tick, kLongestTick);
    if (is_late) look_after(lock);
  }
}

}  // namespace

void run(Item item, std::unique_lock<std::mutex> &lock) {
  Queue &all = queue();
  ++all.running;
  if (item.may_wait) ++all.waits_running;
  call_driver(lock);
  lock.unlock();
  const std::size_t steps = execute(item);
  lock.lock();
  --all.running;
  if (item.may_wait) --all.waits_running;
  Task &task = *item.task;
  if (task.work.plan) {
    task.left -= steps;
    if (task.left != 0) return;
  }
  all.end(item.task);
  all.settle();
  if (!task.work.plan) return;
  std::shared_ptr<const Plan> plan = std::move(task.work.plan);
  lock.unlock();
  plan.reset();  // what it refers to goes without the lock
  lock.lock();
}

bool call_driver(std::unique_lock<std::mutex> &lock) {
  Queue &all = queue();
  if (!may_help(all)) return false;
  all.driver_is_called = true;
  lock.unlock();
  const bool is_called = start_driver();
  lock.lock();
  return is_called;
}

void wake_watcher() {
  Queue &all = queue();
  if (all.watcher_sleeps) all.pushed.notify_one();
  if (all.has_watcher) return;
  try {
    std::thread(watch).detach();
    all.has_watcher = true;
  } catch (const std::system_error &) {
    // Whoever synchronises runs all; the next push tries again.
  }
}

bool in_task() { return task_here; }

}  // namespace warploom
