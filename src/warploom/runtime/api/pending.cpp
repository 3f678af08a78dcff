// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pending.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "error.h"
#include "stream.h"

namespace warploom {

struct Task {
  std::function<cudaError_t()> operation;
  std::vector<TaskPointer> after;
  bool ended = false;
  bool is_stuck = false;  // a grid that has made no headway
  std::chrono::steady_clock::time_point end;
};

// The pending operations of one stream, which one thread runs in order.
struct Lane {
  bool is_legacy, is_blocking;  // blocking: the legacy stream and this one wait for each other
  std::deque<TaskPointer> tasks;
  bool has_thread = false;
};

namespace {

// How long a launch waits before it asks whether the grid makes headway.
constexpr auto kPatience = std::chrono::milliseconds(100);

std::atomic<unsigned> pending_count = 0;
std::atomic<bool> outside_writes = false;
thread_local bool deferred_here = false;

struct State {
  std::mutex mutex;  // guards all lanes and tasks
  std::condition_variable changed;
  std::vector<std::shared_ptr<Lane>> lanes;  // with tasks
};

// Never destroyed: threads may run when the process ends.
State &state() {
  static State *const instance = new State;
  return *instance;
}

Lane &lane_of(CUstream_st *stream) {
  if (!stream->lane) {
    stream->lane =
        std::make_shared<Lane>(Lane{is_legacy_stream(stream), (stream->flags & cudaStreamNonBlocking) == 0, {}, false});
  }
  return *stream->lane;
}

// As seen by the calling thread: what a grid, or an operation that was deferred, asks for is part of it.
bool nothing_is_pending() {
  return pending_count.load(std::memory_order_relaxed) == 0 || deferred_here || in_device_code();
}

// What an operation submitted to the stream now waits for. With the lock held.
std::vector<TaskPointer> predecessors(const CUstream_st *stream) {
  const bool is_legacy = is_legacy_stream(stream), is_blocking = (stream->flags & cudaStreamNonBlocking) == 0;
  std::vector<TaskPointer> found;
  for (const auto &lane : state().lanes) {
    const bool waits = lane == stream->lane || (is_legacy && lane->is_blocking) || (is_blocking && lane->is_legacy);
    if (waits) found.push_back(lane->tasks.back());
  }
  return found;
}

// With the lock held, but while the operation runs.
void run_task(const TaskPointer &task, std::unique_lock<std::mutex> &lock) {
  State &all = state();
  all.changed.wait(lock,
                   [&] { return std::ranges::all_of(task->after, [](const auto &each) { return each->ended; }); });
  lock.unlock();
  const cudaError_t error = task->operation();
  task->operation = nullptr;
  if (error != cudaSuccess) set_device_error(error);
  lock.lock();
  task->after.clear();
  task->end = std::chrono::steady_clock::now();
  task->ended = true;
  if (task->is_stuck) leave_processors();
  --pending_count;
}

// The lane's thread: stays for a while when there is nothing to do.
void run_lane(const std::shared_ptr<Lane> &lane) {
  deferred_here = true;
  State &all = state();
  std::unique_lock lock(all.mutex);
  while (all.changed.wait_for(lock, kPatience, [&] { return !lane->tasks.empty(); })) {
    run_task(lane->tasks.front(), lock);
    lane->tasks.pop_front();
    if (lane->tasks.empty()) std::erase(all.lanes, lane);
    all.changed.notify_all();
  }
  lane->has_thread = false;
}

// With the lock held.
TaskPointer push(CUstream_st *stream, std::function<cudaError_t()> operation, const TaskPointer &after) {
  auto task = std::make_shared<Task>();
  task->operation = std::move(operation);
  task->after = predecessors(stream);
  if (after) task->after.push_back(after);
  Lane &lane = lane_of(stream);
  lane.tasks.push_back(task);
  ++pending_count;
  if (lane.tasks.size() == 1) state().lanes.push_back(stream->lane);
  if (!lane.has_thread) std::thread(run_lane, stream->lane).detach();
  lane.has_thread = true;
  state().changed.notify_all();
  return task;
}

}  // namespace

void expect_writes_from_outside() { outside_writes = true; }
bool writes_from_outside_are_possible() { return outside_writes.load(std::memory_order_relaxed); }

bool has_ended(const TaskPointer &task) {
  if (!task) return true;
  const std::lock_guard lock(state().mutex);
  return task->ended;
}

void wait_for(const TaskPointer &task) {
  if (!task) return;
  std::unique_lock lock(state().mutex);
  state().changed.wait(lock, [&] { return task->ended; });
}

std::chrono::steady_clock::time_point end_of(const TaskPointer &task) {
  const std::lock_guard lock(state().mutex);
  return task->end;
}

bool must_wait(const CUstream_st *stream) {
  if (nothing_is_pending()) return false;
  const std::lock_guard lock(state().mutex);
  return !predecessors(stream).empty();
}

void wait_for_stream(const CUstream_st *stream) {
  if (nothing_is_pending()) return;
  std::unique_lock lock(state().mutex);
  const std::vector<TaskPointer> tasks = predecessors(stream);
  state().changed.wait(lock, [&] { return std::ranges::all_of(tasks, [](const auto &each) { return each->ended; }); });
}

void wait_for_device() {
  if (nothing_is_pending()) return;
  std::unique_lock lock(state().mutex);
  state().changed.wait(lock, [] { return pending_count.load(std::memory_order_relaxed) == 0; });
}

TaskPointer defer(CUstream_st *stream, std::function<cudaError_t()> operation, const TaskPointer &after) {
  const std::lock_guard lock(state().mutex);
  return push(stream, std::move(operation), after);
}

void run_aside(CUstream_st *stream, std::function<cudaError_t()> operation) {
  std::unique_lock lock(state().mutex);
  const bool is_first = predecessors(stream).empty();
  const TaskPointer task = push(stream, std::move(operation), nullptr);
  if (!is_first) return;  // it cannot begin yet
  const unsigned idle = idle_spells();
  while (!state().changed.wait_for(lock, kPatience, [&] { return task->ended; })) {
    const unsigned now = idle_spells();
    if (now != idle) {
      task->is_stuck = true;
      take_processors();
      return;
    }
  }
}

bool in_deferred_operation() { return deferred_here; }

}  // namespace warploom
