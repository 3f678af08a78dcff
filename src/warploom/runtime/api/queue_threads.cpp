// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "queue_threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <exception>
#include <new>
#include <thread>
#include <utility>

#include "../company.h"
#include "../engine.h"
#include "../message.h"
#include "../team.h"
#include "../waiting.h"
#include "error.h"
#include "strict.h"

namespace warploom {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kShortestTick{1}, kLongestTick{8};
// The watcher sleeps when nothing has been queued for so long.
constexpr milliseconds kIdle{100};
// A driver that has nothing to do looks for so long before it sleeps.
constexpr std::chrono::microseconds kLook{50};
constexpr std::chrono::seconds kLongWait{20};
// Who runs a lane goes on with it for so long while others can be taken.
constexpr std::chrono::microseconds kSlice{100};
// A driver that has run all of a lane stays there for so long: programs that launch in one stream after the other come
// back.
constexpr std::chrono::microseconds kAttendance{20};
// What has been queued for longer than this, and nobody has come for it, is taken by drivers.
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
bool is_dropped(const StreamWork &work, bool is_host_function) {
  if (queue().drops_all || (is_host_function && queue().main_has_ended)) return true;
  return device_fault() != cudaSuccess && !work.runs_after_fault;
}

template <class Operation>
void run_operation(const Operation &operation, bool is_host_function) {
  cudaError_t error = cudaSuccess;
  const strict::MemoryAccess access(!is_host_function);
  try {
    error = operation();
  } catch (const std::bad_alloc &) {
    error = cudaErrorMemoryAllocation;
  }
  if (error != cudaSuccess) set_device_error(error);
}

// Leaves half of the steps from `next` on to others.
void share_steps(Item &item, std::size_t next) {
  QueueLock lock = lock_queue();
  queue().offer(item.task, item.steps, next + (item.steps.size() - next + 1) / 2);
  call_driver(lock);
  leave_the_rest();
}

// The step that a step chooses. It begins a body as if it had never run: in a loop it has.
unsigned chosen_after(Task &task, unsigned number) {
  const Plan &plan = *task.work.plan;
  const std::vector<unsigned> &next = plan.steps[number].next;
  const unsigned chosen = is_dropped(task.work, false) ? next.back() : next[plan.choose(number)];
  const Plan::Step &first = plan.steps[chosen];
  for (unsigned step = chosen; step < first.end; ++step) {
    task.before[step].store(plan.steps[step].before, std::memory_order_relaxed);
  }
  task.left += first.count;
  return chosen;
}

// Runs the steps, and those that only waited for them; the number of steps that were run.
std::size_t run_steps(Item &item) {
  Task &task = *item.task;
  const Plan &plan = *task.work.plan;
  std::vector<unsigned> &own = item.steps;
  auto now = QueueClock::now(), shared_at = now - kShortWork;
  std::size_t next = 0, ran = 0;
  const auto let_go = [&](unsigned step) { (plan.steps[step].waits() ? item.waiting : own).push_back(step); };
  for (; next < own.size(); ++ran) {
    const unsigned number = own[next++];
    if (next == own.size()) {
      own.clear();
      next = 0;
    }
    const bool is_host_function = plan.steps[number].is_host_function;
    if (!is_dropped(task.work, is_host_function)) run_operation([&] { return plan.run(number); }, is_host_function);
    const auto start = std::exchange(now, QueueClock::now());
    plan.learn(number, now - start);
    if (plan.steps[number].chooses) {
      let_go(chosen_after(task, number));
      continue;
    }
    for (const unsigned after : plan.steps[number].next) {
      if (task.before[after].fetch_sub(1, std::memory_order_acq_rel) == 1) let_go(after);
    }
    if (own.size() - next <= 1 || now - shared_at < kShortWork) continue;
    std::chrono::nanoseconds expected{0};
    for (std::size_t i = next; i < own.size() && expected < kShortWork; ++i) expected += plan.expected(own[i]);
    if (expected < kShortWork) continue;
    shared_at = now;
    share_steps(item, next);
  }
  if (!item.waiting.empty()) {
    const QueueLock lock = lock_queue();
    queue().offer(item.task, item.waiting, 0);
    leave_the_rest();
  }
  return ran;
}

// How many steps were run; 1 where there are none.
std::size_t execute(Item &item) {
  const Inside inside;
  StreamWork &work = item.task->work;
  if (work.plan) return run_steps(item);
  const bool is_host_function = work.is_host_function;
  if (!is_dropped(work, is_host_function)) run_operation([&] { return work.action->run(); }, is_host_function);
  return 1;
}

// Looks whether the lane, to which the calling thread attends, gets more of that kind; null: it does not.
TaskPointer attend(Lane &lane, unsigned threads) {
  TaskPointer next;
  const auto is_over = [&] { return lane.has_more(threads, &next) || queue().ready_lanes != 0; };
  spin_until(is_over, kAttendance, [] { return false; });
  return next;
}

// Goes on with the lane of a task that it has run, without the queue's lock, as long as the next one can begin: in the
// lane of the task `until`, until that one has ended; where that is null, for a while if other lanes can be taken.
// False: the last task that it has run is the lane's first one.
bool go_on(Item &item, const Task *until) {
  Queue &all = queue();
  const std::shared_ptr<Lane> lane = item.task->lane;
  if (until != nullptr && until->lane != lane) return false;
  const auto start = QueueClock::now();
  while (true) {
    if (until != nullptr && (until == item.task.get() || until->has_ended)) return false;
    if (until == nullptr && all.ready_lanes != 0 && QueueClock::now() - start > kSlice) return false;
    const unsigned threads = item.task->work.threads;
    Lane::Next next = lane->advance(until == nullptr && all.ready_lanes == 0);
    if (!next.has_ended) return false;
    item.task = std::move(next.task);
    if (next.is_awaited || all.blocked_lanes != 0) {
      QueueLock lock = lock_queue();
      all.note_ends(next.is_awaited);
      call_driver(lock);
    }
    if (next.is_attended) item.task = attend(*lane, threads);
    if (!item.task) return true;
    execute(item);
  }
}

// Not beside what other threads do without the queue, either.
bool has_idle_processor(unsigned called = 0) {
  return has_room(called) && busy_threads() < processors_now() + queue().waits_running;
}

bool may_help(const Queue &all) {
  const unsigned called = all.called_drivers;
  return called < all.ready_lanes && has_idle_processor(called);
}

// Until it is called: looks for a moment, then sleeps.
void wait_for_call(QueueLock &lock) {
  Queue &all = queue();
  ++all.looking_drivers;
  lock.unlock();
  const auto start = QueueClock::now();
  while (all.called_drivers == 0 && QueueClock::now() - start < kLook) sched_yield();
  lock_soon(lock);
  --all.looking_drivers;
  ++all.sleeping_drivers;
  all.called.wait(lock, [&] { return all.called_drivers != 0; });
  --all.sleeping_drivers;
}

// Without memory it is nothing: the watcher calls again.
Item take_anything() {
  try {
    return queue().take();
  } catch (const std::bad_alloc &) {
    return {};
  }
}

[[noreturn]] void drive() {
  leave_signals_to_others();
  Queue &all = queue();
  QueueLock lock = lock_queue();
  while (true) {
    if (all.called_drivers != 0) --all.called_drivers;
    while (has_idle_processor()) {
      Item item = take_anything();
      if (!item) break;
      run(std::move(item), lock);
    }
    leave_the_rest();
    wait_for_call(lock);
  }
}

// False: without memory, or threads, for it: the watcher tries again.
bool make_driver() {
  try {
    std::thread(drive).detach();
    return true;
  } catch (const std::exception &) {
    return false;
  }
}

// A program that hangs in a task says so: a host function that does not return, a grid whose threads only wait.
void tell_of_waits(const Queue &all, QueueClock::time_point now) {
  static unsigned spells = 0;
  const bool grids_wait = idle_spells() != spells;
  spells = idle_spells();
  if (all.waits_running == 0) return;
  for (const auto &lane : all.active) {
    const TaskPointer task = lane->first();
    if (!task) continue;
    const StreamWork &work = task->work;
    if (!work.is_host_function && !(work.may_wait && grids_wait)) continue;
    if (!task->has_begun || task->is_told_of || !work.action || now - task->begun_at < kLongWait) continue;
    task->is_told_of = true;
    write_error(work.action->describe() + " has not ended after 20 s, and may wait for something that does not come: " +
                "what is behind it in its stream waits");
  }
}

[[noreturn]] void watch() {
  leave_signals_to_others();
  Queue &all = queue();
  QueueLock lock = lock_queue();
  auto tick = kShortestTick;
  std::uint64_t pushes = all.pushes;
  auto quiet_since = QueueClock::now();
  while (true) {
    lock.unlock();
    std::this_thread::sleep_for(tick);
    lock.lock();
    const auto now = QueueClock::now();
    if (!all.active.empty() || all.pushes != pushes) {
      pushes = all.pushes;
      quiet_since = now;
    } else if (now - quiet_since > kIdle) {
      all.watcher_sleeps = true;
      all.pushed.wait(lock, [&] { return all.pushes != pushes; });
      all.watcher_sleeps = false;
      tick = kShortestTick;
    }
    // A host that is late: what it queues from now on should not wait for it.
    const bool is_late = now - all.busy_since > kPatience && call_driver(lock);
    if (is_late) all.usual_absence = std::max<QueueClock::duration>(all.usual_absence, kShortestTick);
    tell_of_waits(all, now);
    tick = is_late ? kShortestTick : std::min(2 * tick, kLongestTick);
  }
}

}  // namespace

// One thread for each processor, and for each item that may be waiting: those hold no processor for good. A grid or
// copy that takes several processors leaves less room, and one that takes all is not disturbed by another.
bool has_room(unsigned called) {
  const Queue &all = queue();
  return all.threads_running + called < processors_now() + all.waits_running;
}

void run(Item item, QueueLock &lock, const Task *until) {
  Queue &all = queue();
  const bool waits = item.may_wait, is_plan = item.task->work.plan != nullptr;
  const unsigned threads = item.threads;
  const std::shared_ptr<Lane> lane = item.task->lane;
  ++all.running;
  all.threads_running += threads;
  if (waits) {
    ++all.waits_running;
    item.task->begun_at = QueueClock::now();
  }
  call_driver(lock);
  lock.unlock();
  const std::size_t steps = execute(item);
  const bool is_left = !waits && !is_plan && go_on(item, until);
  lock_soon(lock);
  --all.running;
  all.threads_running -= threads;
  if (waits) --all.waits_running;
  if (is_left) return all.leave(lane);
  if (!is_plan) return all.end(lane);
  if ((item.task->left -= steps) != 0) return;
  all.end(lane);
  std::shared_ptr<const Plan> plan = std::move(item.task->work.plan);
  lock.unlock();
  plan.reset();  // what it refers to goes without the lock
  lock_soon(lock);
}

bool call_driver(QueueLock &lock) {
  Queue &all = queue();
  if (!may_help(all)) return false;
  const unsigned called = all.called_drivers + 1;
  if (called > all.looking_drivers + all.sleeping_drivers && called > 1) return false;  // who comes first makes more
  all.called_drivers = called;
  if (called <= all.looking_drivers) return true;
  bool comes = all.sleeping_drivers != 0;
  lock.unlock();
  if (comes) {
    all.called.notify_one();
  } else {
    comes = make_driver();
  }
  lock_soon(lock);
  if (!comes) --all.called_drivers;
  return comes;
}

void leave_the_rest() {
  Queue &all = queue();
  if (all.sleepers != 0 && all.ready_lanes != 0) all.changed.notify_all();
}

void wake_watcher() {
  Queue &all = queue();
  if (all.watcher_sleeps) all.pushed.notify_one();
  if (all.has_watcher) return;
  try {
    std::thread(watch).detach();
    all.has_watcher = true;
  } catch (const std::exception &) {
    // Whoever synchronises runs all; the next push tries again.
  }
}

bool in_task() { return task_here; }

}  // namespace warploom
