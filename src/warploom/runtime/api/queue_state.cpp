// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "queue_state.h"

#include <algorithm>
#include <span>

#include "../relax.h"

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

std::uint64_t Queue::order_of(const Lane &lane) {
  const std::uint64_t waits = lane.tasks.front()->may_wait() ? 1 : 0;
  const auto rank = static_cast<std::uint64_t>(lane.priority - kGreatestPriority);
  return waits << kWaitShift | rank << kPriorityShift | lane.last_taken;
}

Item Queue::take() {
  const auto best = std::ranges::min_element(ready_, {}, &Ready::order);
  return best == ready_.end() ? Item{} : take_from(*best->lane);
}

Item Queue::take_for(const std::vector<TaskPointer> &tasks) {
  if (ready_.empty()) return {};
  ++visits;
  const Ready *best = nullptr;
  for (const TaskPointer &task : tasks) {
    if (!task->has_ended) best = needed(task->lane, best);
  }
  return best == nullptr ? Item{} : take_from(*best->lane);
}

// The best lane of this one and those that its first task waits for.
const Queue::Ready *Queue::needed(const std::shared_ptr<Lane> &lane, const Ready *best) {
  if (lane->state == Lane::State::kReady) {
    const Ready *const own = &ready_[lane->ready_place];
    return best == nullptr || own->order < best->order ? own : best;
  }
  if (lane->state != Lane::State::kBlocked || lane->last_visit == visits) return best;
  lane->last_visit = visits;
  for (const TaskPointer &each : lane->tasks.front()->after) {
    if (!each->has_ended) best = needed(each->lane, best);
  }
  return best;
}

Item Queue::take_from(Lane &lane) {
  lane.last_taken = ++takes;
  const TaskPointer &task = lane.tasks.front();
  const Work &work = task->work;
  if (!work.plan) {
    task->has_begun = true;
    set_state(lane, Lane::State::kQuiet);
    return {task, {}, task->may_wait()};
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
  task.left = count;
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

std::vector<TaskPointer> Queue::predecessors(const Lane &lane, bool own) const {
  std::vector<TaskPointer> found;
  const auto add_last_of = [&](const Lane &each) {
    if (!each.tasks.empty()) found.push_back(each.tasks.back());
  };
  if (!lane.is_legacy) {
    if (own) add_last_of(lane);
    if (lane.is_blocking && legacy != nullptr) add_last_of(*legacy);
    return found;
  }
  for (const auto &each : active) {
    if (each->is_blocking && (own || each.get() != &lane)) add_last_of(*each);
  }
  return found;
}

bool Queue::turn_is_taken_before(const Lane &lane) const {
  const auto is_taken = [](const Lane *each) { return (each->load.load() & Lane::kTurnIsTaken) != 0; };
  if (!lane.is_legacy) return is_taken(&lane) || (lane.is_blocking && legacy != nullptr && is_taken(legacy));
  return std::ranges::any_of(lanes, [&](const auto &each) { return each->is_blocking && is_taken(each.get()); });
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
}

void Queue::enter(const TaskPointer &task) {
  Lane &lane = *task->lane;
  lane.tasks.push_back(task);
  ++pushes;
  if (pending++ == 0) busy_since = QueueClock::now();
  if (lane.tasks.size() != 1) return;
  lane.active_place = active.size();
  active.push_back(task->lane);
  if (file(lane)) release_blocked();
}

void Queue::end(const TaskPointer &task) {
  const std::shared_ptr<Lane> lane = task->lane;
  pop(task);
  file(*lane);
  release_blocked();
}

void Queue::pop(const TaskPointer &task) {
  const TaskPointer ended = task;
  const std::shared_ptr<Lane> lane = std::move(ended->lane);
  ended->after.clear();
  ended->has_ended.store(true, std::memory_order_release);
  lane->tasks.pop_front();
  --pending;
  lane->load.fetch_sub(1);
  if (lane->tasks.empty()) {
    active.back()->active_place = lane->active_place;
    std::swap(active[lane->active_place], active.back());
    active.pop_back();
    if (lane->is_left) forget(lane);
  }
  if (sleepers != 0 && (ended->is_awaited || pending == 0)) changed.notify_all();
}

void Queue::forget(const std::shared_ptr<Lane> &lane) {
  if (lane->is_blocking && !lane->is_legacy) --blocking_lanes;
  std::erase(lanes, lane);
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
}

bool Queue::file(Lane &lane) {
  bool has_ended_markers = false;
  std::shared_ptr<Lane> kept;  // which may be left, and then goes with its last task
  while (!lane.tasks.empty()) {
    Task &first = *lane.tasks.front();
    if (first.has_begun) {
      set_state(lane, first.has_steps() ? Lane::State::kReady : Lane::State::kQuiet);
      return has_ended_markers;
    }
    if (!is_free(first)) {
      set_state(lane, Lane::State::kBlocked);
      return has_ended_markers;
    }
    if (!first.is_marker()) {
      set_state(lane, Lane::State::kReady);
      return has_ended_markers;
    }
    kept = first.lane;
    set_state(lane, Lane::State::kQuiet);
    first.end = QueueClock::now();
    pop(lane.tasks.front());
    has_ended_markers = true;
  }
  return has_ended_markers;
}

// Tasks have ended that others waited for.
void Queue::release_blocked() {
  for (std::size_t i = 0; i < blocked.size();) {
    if (!is_free(*blocked[i]->tasks.front())) {
      ++i;
    } else if (file(*blocked[i])) {
      i = 0;
    }
  }
}

void Queue::drop_all() {
  for (const auto &lane : lanes) {
    for (const TaskPointer &task : lane->tasks) task->has_ended = true;
    new std::deque<TaskPointer>(std::move(lane->tasks));  // whoever runs them may be in the middle
    lane->tasks.clear();
    lane->state = Lane::State::kQuiet;
    lane->load = 0;
  }
  active.clear();
  ready_.clear();
  blocked.clear();
  pending = 0;
}

}  // namespace warploom
