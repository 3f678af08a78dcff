// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "queue.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "../device_output.h"
#include "../engine.h"
#include "../recycled.h"
#include "../ticks.h"
#include "queue_state.h"
#include "queue_threads.h"
#include "strict.h"
#include "stream.h"

namespace warploom {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// A host that comes later than this after its first push has other things to do: drivers take the work over at once.
constexpr microseconds kLongAbsence{50};
constexpr milliseconds kLongestAbsence{1};
// Who waits for a task that somebody else runs looks for so long before it sleeps.
constexpr microseconds kSpin{20};

std::atomic<bool> outside_writes = false;

constinit thread_local std::chrono::nanoseconds end_of_wait __attribute__((tls_model("initial-exec"))){0};

// What a grid or a task asks for is part of it: nothing is queued, as seen from there.
bool is_part_of_task() { return in_task() || in_device_code(); }

bool turn_is_free(const Lane &lane) { return (lane.load.load() & Lane::kTurnIsTaken) == 0; }

// Of lanes that the legacy stream waits for.
bool blocking_lanes_are_idle(Queue &all, int device) {
  if (all.blocking_lanes == 0) return true;
  const std::unique_lock lock(all.mutex, std::try_to_lock);
  if (!lock) return false;
  return std::ranges::all_of(all.lanes, [device](const auto &lane) {
    return lane->is_legacy || !lane->is_blocking || lane->device != device || lane->load.load() == 0;
  });
}

// Whether nothing of other lanes is before what the lane gets now.
bool others_are_idle(const Lane &lane) {
  Queue &all = queue();
  if (lane.is_legacy) return blocking_lanes_are_idle(all, lane.device);
  const Lane *const legacy = all.legacy_of(lane);
  return !lane.is_blocking || legacy == nullptr || legacy->load.load() == 0;
}

// The copy of the process has none of the threads that were at work.
void lock_for_fork() {
  queue().mutex.lock();
  for (const auto &lane : queue().lanes) lane->lock_for_fork();
}
void unlock_after_fork() {
  for (const auto &lane : queue().lanes) lane->unlock_after_fork();
  queue().mutex.unlock();
}

void start_anew() {
  Queue &all = queue();
  all.drop_all();
  all.running = all.waits_running = all.threads_running = all.sleepers = 0;
  all.has_watcher = all.watcher_sleeps = false;
  all.looking_drivers = all.sleeping_drivers = all.called_drivers = 0;
  new (&all.called) std::condition_variable;
  new (&all.changed) std::condition_variable;
  new (&all.pushed) std::condition_variable;
  new (&all.mutex) std::mutex;
}

// Runs what is queued until nothing is left, or all that runs only waits.
void finish_all(QueueLock &lock) {
  Queue &all = queue();
  unsigned spells = idle_spells();
  auto seen = std::pair(all.takes, all.active.size());
  while (!all.active.empty()) {
    if (!call_driver(lock) && all.running == 0 && all.called_drivers == 0) {
      if (Item item = all.take()) run(std::move(item), lock);
      continue;
    }
    ++all.sleepers;
    const bool is_woken = all.changed.wait_for(lock, milliseconds(100)) == std::cv_status::no_timeout;
    --all.sleepers;
    const bool only_waits = all.running == all.waits_running && idle_spells() != spells;
    const auto now = std::pair(all.takes, all.active.size());
    if (!is_woken && only_waits && now == seen) return;
    spells = idle_spells();
    seen = now;
  }
}

void finish_at_exit() {
  queue().main_has_ended = true;
  finish_or_drop();
}

void note_absence(Queue &all) {
  const auto absence = std::min<QueueClock::duration>(QueueClock::now() - all.busy_since, kLongestAbsence);
  all.usual_absence = (3 * all.usual_absence + absence) / 4;
}

// Others run what the task waits for: looks for a while whether it has ended.
void look(const Task &task, QueueLock &lock) {
  lock.unlock();
  const auto start = QueueClock::now();
  while (!task.has_ended.load(std::memory_order_acquire) && QueueClock::now() - start < kSpin) sched_yield();
  lock_soon(lock);
}

// Until the task has ended, or something is left to those who sleep.
void sleep_until_end(Task &task, QueueLock &lock) {
  Queue &all = queue();
  task.is_awaited = true;
  if (task.has_ended) return;
  ++all.sleepers;
  all.changed.wait(lock);
  --all.sleepers;
}

// Runs what the tasks wait for, until they have ended.
void finish(std::vector<TaskPointer> tasks, QueueLock &lock) {
  Queue &all = queue();
  if (!tasks.empty()) note_absence(all);
  for (bool has_looked = false;;) {
    std::erase_if(tasks, [](const TaskPointer &task) { return task->has_ended.load(); });
    if (tasks.empty()) break;
    // What would get one processor where it wants many is begun when the others have ended.
    if (Item item = all.take_for(tasks, has_room())) {
      run(std::move(item), lock, tasks.front().get());
      has_looked = false;
    } else if (!std::exchange(has_looked, true)) {
      call_driver(lock);
      look(*tasks.front(), lock);
    } else {
      sleep_until_end(*tasks.front(), lock);
      has_looked = false;
    }
  }
  leave_the_rest();
  end_of_wait = Stopwatch().start();
}

template <class Predicate>
void wait_for_lanes(const Predicate &counts) {
  if (is_part_of_task()) return;
  Queue &all = queue();
  QueueLock lock = lock_queue();
  std::vector<TaskPointer> tasks;
  for (const auto &lane : all.active) {
    TaskPointer task = counts(*lane) ? lane->last() : nullptr;
    if (task) tasks.push_back(std::move(task));
  }
  finish(std::move(tasks), lock);
  while (!std::ranges::all_of(all.lanes, [&](const auto &lane) { return !counts(*lane) || turn_is_free(*lane); })) {
    lock.unlock();
    sched_yield();
    lock.lock();
  }
  lock.unlock();
  if (strict::is_on) strict::note_wait_for_all();
  write_device_output();
}

}  // namespace

Queue &queue() {
  static Queue *const instance = [] {
    auto *const made = new Queue;
    pthread_atfork(lock_for_fork, unlock_after_fork, start_anew);
    return made;
  }();
  return *instance;
}

void expect_writes_from_outside() { outside_writes = true; }
bool writes_from_outside_are_possible() { return outside_writes.load(std::memory_order_relaxed); }

std::shared_ptr<Lane> make_lane(bool is_legacy, bool is_blocking, int priority, int device) {
  auto lane = std::make_shared<Lane>();
  lane->is_legacy = is_legacy;
  lane->is_blocking = is_blocking;
  lane->priority = priority;
  lane->device = device;
  Queue &all = queue();
  const std::lock_guard lock(all.mutex);
  all.add(lane);
  if (is_legacy) all.legacy[static_cast<std::size_t>(device)] = lane.get();
  if (is_blocking && !is_legacy) ++all.blocking_lanes;
  return lane;
}

void leave_lane(const std::shared_ptr<Lane> &lane) {
  if (!lane) return;
  Queue &all = queue();
  const std::lock_guard lock(all.mutex);
  lane->is_left = true;
  if (lane->is_unused()) all.forget(lane);
}

void set_priority(Lane &lane, int priority) {
  const std::lock_guard lock(queue().mutex);
  queue().set_priority(lane, priority);
}

void finish_or_drop() {
  if (is_part_of_task()) return;
  Queue &all = queue();
  QueueLock lock = lock_queue();
  finish_all(lock);
  if (!all.active.empty()) {
    all.drops_all = true;
    stop_waiting_grids(true);
    while (!all.active.empty()) finish_all(lock);
    stop_waiting_grids(device_fault() != cudaSuccess);
    all.drops_all = false;
  }
  lock.unlock();
  write_device_output();
}

TaskPointer push(const CUstream_st *stream, StreamWork work) {
  static const bool is_finished_at_exit = std::atexit(finish_at_exit) == 0;
  static_cast<void>(is_finished_at_exit);
  stream->lane->bring();
  const auto task = std::allocate_shared<Task>(RecycledAllocator<Task>(), std::move(work));
  task->lane = stream->lane;
  Lane &lane = *task->lane;
  std::vector<TaskPointer> after = std::exchange(task->work.after, {});
  std::erase_if(after, [](const TaskPointer &each) { return has_ended(each); });
  lane.load.fetch_add(1);  // from now on no new turn is given
  Queue &all = queue();
  QueueLock lock(all.mutex, std::defer_lock);
  try {
    const auto others = [&] { return others_are_idle(lane); };
    if (after.empty() && !lane.is_legacy && lane.append_behind(task, others)) return task;
    lock_soon(lock);
    while (all.turn_is_taken_before(lane)) {
      lock.unlock();
      sched_yield();
      lock.lock();
    }
    task->after = all.predecessors(lane, false);
    task->after.insert(task->after.end(), after.begin(), after.end());
    all.enter(task);
  } catch (const std::bad_alloc &) {
    lane.load.fetch_sub(1);
    throw;
  }
  wake_watcher();
  // Of several lanes the host will not run all by itself.
  if (all.usual_absence > kLongAbsence || all.ready_lanes > 1) call_driver(lock);
  return task;
}

Turn::Turn(const CUstream_st *stream) : lane_(stream->lane.get()), is_held_(false) {
  std::uint32_t none = 0;
  if (!lane_->load.compare_exchange_strong(none, Lane::kTurnIsTaken)) return;
  is_held_ = others_are_idle(*lane_);
  if (!is_held_) lane_->load.fetch_and(~Lane::kTurnIsTaken);
  if (is_held_ && strict::is_on) strict::open_memory();
}

Turn::~Turn() {
  if (is_held_ && strict::is_on) strict::close_memory();
  if (is_held_) lane_->load.fetch_and(~Lane::kTurnIsTaken, std::memory_order_release);
}

std::chrono::nanoseconds latest_wait() { return end_of_wait; }

bool has_ended(const TaskPointer &task) { return !task || task->has_ended.load(std::memory_order_acquire); }

std::chrono::steady_clock::time_point end_of(const TaskPointer &task) { return task->end; }

bool must_wait(const CUstream_st *stream) {
  if (is_part_of_task()) return false;
  return stream->lane->load.load() != 0 || !others_are_idle(*stream->lane);
}

bool is_busy(const CUstream_st *stream) {
  if (is_part_of_task()) return false;
  const Lane &lane = *stream->lane;
  if (lane.load.load() == 0 && (!lane.is_legacy || others_are_idle(lane))) return false;
  let_work_go_on();
  return true;
}

void let_work_go_on() {
  Queue &all = queue();
  {
    QueueLock lock = lock_queue();
    if (all.active.empty()) return;
    call_driver(lock);
  }
  sched_yield();
}

void wait_for(const TaskPointer &task) {
  if (!has_ended(task)) {
    QueueLock lock = lock_queue();
    if (is_part_of_task()) {  // a host function
      while (!has_ended(task)) {
        call_driver(lock);
        sleep_until_end(*task, lock);
      }
      return;
    }
    finish({task}, lock);
  }
  write_device_output();
}

void wait_for_stream(const CUstream_st *stream) {
  if (is_part_of_task()) return;
  Queue &all = queue();
  const std::shared_ptr<Lane> lane = stream->lane;
  if (lane->load.load() != 0 || !others_are_idle(*lane)) {
    QueueLock lock = lock_queue();
    std::vector<TaskPointer> tasks;
    if (lane->is_legacy) {
      tasks = all.predecessors(*lane, true);
    } else if (TaskPointer task = lane->last()) {
      tasks.push_back(std::move(task));
    }
    finish(std::move(tasks), lock);
    while (lane->is_legacy ? all.turn_is_taken_before(*lane) : !turn_is_free(*lane)) {
      lock.unlock();
      sched_yield();
      lock.lock();
    }
  }
  if (strict::is_on) strict::note_wait(stream->id);
  write_device_output();
}

void wait_for_device(int device) {
  if (!is_part_of_task() && !strict::is_on && queue().only_legacy_is_idle(device)) return write_device_output();
  wait_for_lanes([device](const Lane &lane) { return lane.device == device; });
}

void wait_for_all() {
  wait_for_lanes([](const Lane &) { return true; });
}

}  // namespace warploom
