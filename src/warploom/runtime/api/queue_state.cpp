// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "queue_state.h"

#include <algorithm>

namespace warploom {
namespace {

bool is_free(const Task &task) {
  return std::ranges::all_of(task.after, [](const TaskPointer &each) { return each->has_ended.load(); });
}

// Work that may wait for other work comes last.
bool may_wait(const Task &task) { return task.work.may_wait || task.work.is_host_function; }

// Whether operations of the two lanes never overlap.
bool excludes(const Lane &one, const Lane &other) {
  return &one == &other || (one.is_legacy && other.is_blocking) || (one.is_blocking && other.is_legacy);
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

bool Queue::can_take(const Lane &lane) const {
  const Task &task = *lane.tasks.front();
  return task.has_begun ? !task.ready.empty() : is_free(task);
}

bool Queue::has_something_to_take() const {
  return std::ranges::any_of(active, [&](const auto &lane) { return can_take(*lane); });
}

Lane *Queue::better(Lane *one, Lane *other) const {
  if (one == nullptr || other == nullptr) return one == nullptr ? other : one;
  const bool waits = may_wait(*one->tasks.front());
  if (waits != may_wait(*other->tasks.front())) return waits ? other : one;
  if (one->priority != other->priority) return one->priority < other->priority ? one : other;
  return one->last_taken <= other->last_taken ? one : other;
}

Item Queue::take() {
  Lane *best = nullptr;
  for (const auto &lane : active) {
    if (can_take(*lane)) best = better(best, lane.get());
  }
  return best == nullptr ? Item{} : take_from(*best);
}

Item Queue::take_for(const std::vector<TaskPointer> &tasks) {
  ++visits;
  Lane *best = nullptr;
  for (const TaskPointer &task : tasks) {
    if (!task->has_ended) best = needed(task->lane, best);
  }
  return best == nullptr ? Item{} : take_from(*best);
}

// The best lane of this one and those that its first task waits for.
Lane *Queue::needed(const std::shared_ptr<Lane> &lane, Lane *best) {
  if (lane->last_visit == visits) return best;
  lane->last_visit = visits;
  if (can_take(*lane)) return better(best, lane.get());
  const Task &first = *lane->tasks.front();
  if (first.has_begun) return best;
  for (const TaskPointer &each : first.after) {
    if (!each->has_ended) best = needed(each->lane, best);
  }
  return best;
}

Item Queue::take_from(Lane &lane) {
  lane.last_taken = ++takes;
  const TaskPointer task = lane.tasks.front();
  const Work &work = task->work;
  if (!work.plan) {
    task->has_begun = true;
    return {task, {}, may_wait(*task)};
  }
  if (!task->has_begun) {
    const auto &steps = work.plan->steps;
    task->before = std::make_unique<std::atomic<unsigned>[]>(steps.size());
    task->ready.reserve(steps.size());
    task->has_begun = true;
    task->left = steps.size();
    for (unsigned i = 0; i < steps.size(); ++i) {
      task->before[i] = steps[i].before;
      if (steps[i].before == 0) task->ready.push_back(i);
    }
    if (work.plan->begin) work.plan->begin();
  }
  return take_steps(task);
}

// As many short steps as are worth it; one of those that may wait.
Item Queue::take_steps(const TaskPointer &task) {
  const Plan &plan = *task->work.plan;
  const auto waits = [&](unsigned step) { return plan.steps[step].may_wait || plan.steps[step].is_host_function; };
  auto &ready = task->ready;
  // Those that wait are taken when no others are left.
  const auto calm = std::ranges::stable_partition(ready, [&](unsigned step) { return !waits(step); });
  const auto ordinary = static_cast<std::size_t>(calm.begin() - ready.begin());
  std::size_t count = 0;
  for (std::chrono::nanoseconds expected{0}; count < ordinary && expected < kShortWork; ++count) {
    expected += plan.expected(ready[count]);
  }
  count = std::max<std::size_t>(count, 1);
  Item item{task, {}, ordinary == 0};
  item.steps.reserve(plan.steps.size());  // whoever runs them adds those that only waited for them
  item.waiting.reserve(plan.steps.size());
  item.steps.assign(ready.begin(), ready.begin() + static_cast<std::ptrdiff_t>(count));
  ready.erase(ready.begin(), ready.begin() + static_cast<std::ptrdiff_t>(count));
  return item;
}

std::vector<TaskPointer> Queue::predecessors(const Lane &lane, bool own) const {
  std::vector<TaskPointer> found;
  for (const auto &each : active) {
    if (excludes(*each, lane) && (own || each.get() != &lane)) found.push_back(each->tasks.back());
  }
  return found;
}

bool Queue::turn_is_taken_before(const Lane &lane) const {
  const auto is_taken = [](const Lane *each) { return (each->load.load() & Lane::kTurnIsTaken) != 0; };
  if (!lane.is_legacy) return is_taken(&lane) || (lane.is_blocking && legacy != nullptr && is_taken(legacy));
  return std::ranges::any_of(lanes, [&](const auto &each) { return each->is_blocking && is_taken(each.get()); });
}

void Queue::enter(const TaskPointer &task) {
  Lane &lane = *task->lane;
  lane.tasks.push_back(task);
  if (lane.tasks.size() == 1) active.push_back(task->lane);
  ++pushes;
  if (pending++ == 0) busy_since = QueueClock::now();
  settle();
}

// The task is the first of its lane.
void Queue::end(const TaskPointer &task) {
  const std::shared_ptr<Lane> lane = std::move(task->lane);
  task->after.clear();
  task->has_ended.store(true, std::memory_order_release);
  lane->tasks.pop_front();
  if (lane->tasks.empty()) std::erase(active, lane);
  --pending;
  lane->load.fetch_sub(1);
  if (lane->is_left && lane->tasks.empty()) forget(lane);
  if (sleepers != 0) changed.notify_all();
}

void Queue::forget(const std::shared_ptr<Lane> &lane) {
  if (lane->is_blocking && !lane->is_legacy) --blocking_lanes;
  std::erase(lanes, lane);
}

void Queue::settle() {
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (const auto &lane : active) {
      const TaskPointer first = lane->tasks.front();
      if (!first->is_marker() || !is_free(*first)) continue;
      first->end = QueueClock::now();
      end(first);
      goes_on = true;
      break;  // `active` may have changed
    }
  }
}

}  // namespace warploom
