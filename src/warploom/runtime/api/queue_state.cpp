// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "queue_state.h"

#include <sched.h>

#include <algorithm>
#include <span>

namespace warploom {
namespace {

// How often the queue's lock is tried before a thread sleeps until it is free: about 2 us.
constexpr int kTries = 32;
constexpr int kMostMoments = 8;

// A lane's order: whether its task may wait, its priority, and when it was last taken.
constexpr unsigned kPriorityShift = 56, kWaitShift = 60;

bool is_free(Task &task) {
  std::erase_if(task.after, [](const TaskPointer &each) { return each->has_ended.load(); });
  return task.after.empty();
}

}  // namespace

std::chrono::nanoseconds Plan::expected(unsigned step) const {
  const std::int64_t time = times[step].load(std::memory_order_relaxed);
  return time == 0 ? 2 * kShortWork : std::chrono::nanoseconds(time);
}

// A long time is forgotten slowly.
void Plan::learn(unsigned step, std::chrono::nanoseconds elapsed) const {
  const std::int64_t before = times[step].load(std::memory_order_relaxed);
  times[step].store(std::max<std::int64_t>({elapsed.count(), before - before / 8, 1}), std::memory_order_relaxed);
}

void lock_soon(QueueLock &lock) {
  for (int i = 0, moments = 1; i < kTries; ++i, moments = std::min(2 * moments, kMostMoments)) {
    if (lock.try_lock()) return;
    for (int moment = 0; moment < moments; ++moment) relax();
  }
  lock.lock();
}

QueueLock lock_queue() {
  QueueLock lock(queue().mutex, std::defer_lock);
  lock_soon(lock);
  return lock;
}

void SpinLock::yield() { sched_yield(); }

Task *Lane::first_task() {
  const std::lock_guard guard(lock_);
  return tasks_.empty() ? nullptr : tasks_.front().get();
}

TaskPointer Lane::first() {
  const std::lock_guard guard(lock_);
  return tasks_.empty() ? nullptr : tasks_.front();
}

TaskPointer Lane::last() {
  const std::lock_guard guard(lock_);
  return tasks_.empty() ? nullptr : tasks_.back();
}

bool Lane::is_unused() {
  const std::lock_guard guard(lock_);
  return tasks_.empty() && !is_attended_;
}

bool Lane::append(const TaskPointer &task) {
  const std::lock_guard guard(lock_);
  tasks_.push_back(task);
  return tasks_.size() == 1 && !is_attended_;
}

TaskPointer Lane::pop_locked(bool *is_awaited) {
  TaskPointer task = std::move(tasks_.front());
  tasks_.pop_front();
  task->has_ended = true;
  *is_awaited = *is_awaited || task->is_awaited;
  load.fetch_sub(1);
  return task;
}

bool Lane::pop() {
  bool is_awaited = false;
  TaskPointer task;  // ends without the lock
  const std::lock_guard guard(lock_);
  task = pop_locked(&is_awaited);
  return is_awaited;
}

Lane::Next Lane::advance(bool may_attend) {
  Next next;
  TaskPointer ended;  // ends without the lock
  const std::lock_guard guard(lock_);
  if (tasks_.size() < 2 && !may_attend) return next;
  const unsigned threads = tasks_.front()->work.threads;
  ended = pop_locked(&next.is_awaited);
  next.has_ended = true;
  while (tasks_.size() >= 2 && tasks_.front()->is_marker() && is_free(*tasks_.front())) {
    tasks_.front()->end = QueueClock::now();
    pop_locked(&next.is_awaited);
  }
  next.is_attended = is_attended_ = tasks_.empty();
  if (!is_attended_) next.task = begin_first(threads);
  return next;
}

TaskPointer Lane::begin_first(unsigned threads) {
  Task &first = *tasks_.front();
  if (!first.work.action || first.may_wait() || first.work.threads != threads || !is_free(first)) return nullptr;
  first.has_begun = true;
  return tasks_.front();
}

bool Lane::has_more(unsigned threads, TaskPointer *next) {
  if ((load.load(std::memory_order_relaxed) & ~kTurnIsTaken) == 0) return false;
  const std::lock_guard guard(lock_);
  if (tasks_.empty()) return false;
  *next = begin_first(threads);
  is_attended_ = *next == nullptr;
  return true;
}

bool Lane::stop_attending() {
  const std::lock_guard guard(lock_);
  is_attended_ = false;
  return tasks_.empty();
}

void Lane::drop_all() {
  for (const TaskPointer &task : tasks_) task->has_ended = true;
  new std::deque<TaskPointer>(std::move(tasks_));  // whoever runs them may be in the middle
  tasks_.clear();
  is_attended_ = false;
  state = State::kQuiet;
  load = 0;
  lock_.unlock();
}

std::uint64_t Queue::order_of(Lane &lane) {
  const std::uint64_t waits = lane.first_task()->may_wait() ? 1 : 0;
  const auto rank = static_cast<std::uint64_t>(lane.priority - kGreatestPriority);
  return waits << kWaitShift | rank << kPriorityShift | lane.last_taken;
}

Item Queue::take() {
  const auto best = std::ranges::min_element(ready_, {}, &Ready::order);
  return best == ready_.end() ? Item{} : take_from(*best->lane);
}

Item Queue::take_for(const std::vector<TaskPointer> &tasks, bool with_many) {
  if (ready_.empty()) return {};
  ++visits;
  const Ready *best = nullptr;
  for (const TaskPointer &task : tasks) {
    if (!task->has_ended) best = needed(*task->lane, best, with_many);
  }
  return best == nullptr ? Item{} : take_from(*best->lane);
}

// The best lane of this one and those that its first task waits for.
const Queue::Ready *Queue::needed(Lane &lane, const Ready *best, bool with_many) {
  if (lane.state == Lane::State::kReady) {
    if (!with_many && lane.first_task()->work.threads > 1) return best;
    const Ready *const own = &ready_[lane.ready_place];
    return best == nullptr || own->order < best->order ? own : best;
  }
  if (lane.state != Lane::State::kBlocked || lane.last_visit == visits) return best;
  lane.last_visit = visits;
  for (const TaskPointer &each : lane.first_task()->after) {
    if (!each->has_ended) best = needed(*each->lane, best, with_many);
  }
  return best;
}

Item Queue::take_from(Lane &lane) {
  lane.last_taken = ++takes;
  const TaskPointer task = lane.first();
  const StreamWork &work = task->work;
  if (!work.plan) {
    task->has_begun = true;
    set_state(lane, Lane::State::kQuiet);
    return {task, {}, task->may_wait(), task->may_wait() ? 1 : work.threads};
  }
  if (!task->has_begun) begin_plan(*task);
  return take_steps(task);
}

void Queue::begin_plan(Task &task) {
  const Plan &plan = *task.work.plan;
  const std::size_t count = plan.steps.size();
  const auto waits = static_cast<std::size_t>(std::ranges::count_if(plan.steps, &Plan::Step::waits));
  task.before = std::make_unique<std::atomic<unsigned>[]>(count);
  task.ready.reserve(count - waits);
  task.ready_waits.reserve(waits);
  task.has_begun = true;
  task.left = plan.certain;
  for (auto number = static_cast<unsigned>(count); number-- > 0;) {
    const Plan::Step &step = plan.steps[number];
    task.before[number] = step.before;
    if (step.before == 0) (step.waits() ? task.ready_waits : task.ready).push_back(number);
  }
  if (plan.begin) plan.begin();
}

// As many short steps as are worth it; one of those that may wait, when no others are left.
Item Queue::take_steps(const TaskPointer &task) {
  const Plan &plan = *task->work.plan;
  const bool waits = task->ready.empty();
  std::vector<unsigned> &from = waits ? task->ready_waits : task->ready;
  std::size_t count = 1;
  for (auto expected = plan.expected(from.back()); count < from.size() && !waits && expected < kShortWork; ++count) {
    expected += plan.expected(from[from.size() - 1 - count]);
  }
  Item item{task, {}, waits};
  item.steps.reserve(plan.steps.size());  // whoever runs them adds those that only waited for them
  item.waiting.reserve(task->ready_waits.capacity());
  item.steps.assign(from.rbegin(), from.rbegin() + static_cast<std::ptrdiff_t>(count));
  from.resize(from.size() - count);
  file(*task->lane);
  return item;
}

void Queue::offer(const TaskPointer &task, std::vector<unsigned> &steps, std::size_t first) {
  for (const unsigned step : std::span(steps).subspan(first)) {
    (task->work.plan->steps[step].waits() ? task->ready_waits : task->ready).push_back(step);
  }
  steps.resize(first);
  file(*task->lane);
}

std::vector<TaskPointer> Queue::predecessors(Lane &lane, bool own) const {
  std::vector<TaskPointer> found;
  const auto add_last_of = [&](Lane &each) {
    if (TaskPointer task = each.last()) found.push_back(std::move(task));
  };
  if (!lane.is_legacy) {
    if (own) add_last_of(lane);
    if (Lane *const first = legacy_of(lane); lane.is_blocking && first != nullptr) add_last_of(*first);
    return found;
  }
  for (const auto &each : active) {
    const bool counts = each->is_blocking && each->device == lane.device;
    if (counts && (own || each.get() != &lane)) add_last_of(*each);
  }
  return found;
}

bool Queue::turn_is_taken_before(const Lane &lane) const {
  const auto is_taken = [](const Lane *each) { return (each->load.load() & Lane::kTurnIsTaken) != 0; };
  const Lane *const first = legacy_of(lane);
  if (!lane.is_legacy) return is_taken(&lane) || (lane.is_blocking && first != nullptr && is_taken(first));
  return std::ranges::any_of(lanes, [&](const auto &each) {
    return each->is_blocking && each->device == lane.device && is_taken(each.get());
  });
}

void Queue::add(const std::shared_ptr<Lane> &lane) {
  const std::size_t count = lanes.size() + 1;
  const auto make_room = [&](auto &list) {
    if (list.capacity() < count) list.reserve(2 * count);
  };
  make_room(active);
  make_room(ready_);
  make_room(blocked);
  lanes.push_back(lane);
  lane_count = lanes.size();
}

void Queue::enter(const TaskPointer &task) {
  Lane &lane = *task->lane;
  const bool was_empty = lane.append(task);
  ++pushes;
  if (!was_empty) return;
  if (active.empty()) busy_since = QueueClock::now();
  lane.active_place = active.size();
  active.push_back(task->lane);
  if (file(lane)) release_blocked();
}

void Queue::end(const std::shared_ptr<Lane> &lane) {
  pop(lane);
  file(*lane);
  release_blocked();
}

void Queue::leave(const std::shared_ptr<Lane> &lane) {
  lane->stop_attending() ? take_out(lane) : static_cast<void>(file(*lane));
  release_blocked();
}

void Queue::note_ends(bool is_awaited) {
  if (is_awaited && sleepers != 0) changed.notify_all();
  release_blocked();
}

void Queue::pop(const std::shared_ptr<Lane> &lane) {
  const bool is_awaited = lane->pop();
  if (lane->is_empty()) take_out(lane);
  if (sleepers != 0 && is_awaited) changed.notify_all();
}

// Of the active ones: nothing is left there.
void Queue::take_out(const std::shared_ptr<Lane> &lane) {
  active.back()->active_place = lane->active_place;
  std::swap(active[lane->active_place], active.back());
  active.pop_back();
  if (lane->is_left) forget(lane);
  if (sleepers != 0 && active.empty()) changed.notify_all();
}

void Queue::forget(const std::shared_ptr<Lane> &lane) {
  if (lane->is_blocking && !lane->is_legacy) --blocking_lanes;
  std::erase(lanes, lane);
  lane_count = lanes.size();
}

void Queue::set_priority(Lane &lane, int priority) {
  lane.priority = priority;
  if (lane.state == Lane::State::kReady) ready_[lane.ready_place].order = order_of(lane);
}

void Queue::set_state(Lane &lane, Lane::State state) {
  if (lane.state == Lane::State::kReady) {
    ready_.back().lane->ready_place = lane.ready_place;
    ready_[lane.ready_place] = ready_.back();
    ready_.pop_back();
  } else if (lane.state == Lane::State::kBlocked) {
    std::erase(blocked, &lane);
  }
  lane.state = state;
  if (state == Lane::State::kReady) {
    lane.ready_place = ready_.size();
    ready_.push_back({order_of(lane), &lane});
  } else if (state == Lane::State::kBlocked) {
    blocked.push_back(&lane);
  }
  ready_lanes = static_cast<unsigned>(ready_.size());
  blocked_lanes = static_cast<unsigned>(blocked.size());
}

bool Queue::file(Lane &lane) {
  bool has_ended_markers = false;
  std::shared_ptr<Lane> kept;  // which may be left, and then goes with its last task
  while (Task *const first = lane.first_task()) {
    if (first->has_begun) {
      set_state(lane, first->has_steps() ? Lane::State::kReady : Lane::State::kQuiet);
      return has_ended_markers;
    }
    if (!is_free(*first)) {
      set_state(lane, Lane::State::kBlocked);
      if (!is_free(*first)) return has_ended_markers;
    }
    if (!first->is_marker()) {
      set_state(lane, Lane::State::kReady);
      return has_ended_markers;
    }
    kept = first->lane;
    set_state(lane, Lane::State::kQuiet);
    first->end = QueueClock::now();
    pop(kept);
    has_ended_markers = true;
  }
  return has_ended_markers;
}

// Tasks have ended that others waited for.
void Queue::release_blocked() {
  for (std::size_t i = 0; i < blocked.size();) {
    if (!is_free(*blocked[i]->first_task())) {
      ++i;
    } else if (file(*blocked[i])) {
      i = 0;
    }
  }
}

void Queue::drop_all() {
  for (const auto &lane : lanes) lane->drop_all();
  active.clear();
  ready_.clear();
  blocked.clear();
  ready_lanes = blocked_lanes = 0;
}

}  // namespace warploom
