// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What streams have been given and has not ended. Each stream has a lane of tasks, which end in their order; a task may
// also wait for tasks of other lanes (events, the legacy stream).
//
//     lane A   [ kernel | copy | event ]          whoever synchronises runs what it waits for, on its own thread;
//     lane B   [ host function | kernel ]         what else can begin goes to drivers (queue_threads.h)
//              ^ may begin: nothing is before it
//
// What is short and has nothing before it runs at once, in the call that submits it. When nobody synchronises, drivers
// take over: at once if the host has lately been coming late, else after a few milliseconds.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda_runtime_api.h"

namespace warploom {

// Something can be written while a kernel runs: there is memory that the host reaches, or a second stream.
void expect_writes_from_outside();
bool writes_from_outside_are_possible();

// What takes longer is not run in the call that submits it.
inline constexpr std::chrono::microseconds kShortWork{10};
// The same of a grid that keeps several processors at work: nothing else would run beside it.
inline constexpr std::chrono::microseconds kShortWorkOfMany{20};
// The same of a grid that keeps all processors at work, where the host comes back with it at once: another thread would
// run it on the host's processor, too, and one of its threads would wait for the host each time.
inline constexpr std::chrono::microseconds kShortWorkOfAll{100};
// The same of a host that launches in several streams.
inline constexpr std::chrono::microseconds kShortWorkOfSeveral{4};
// Bytes that are copied or set within that time.
inline constexpr std::size_t kShortBytes = 65536;

// Operations with an order among them, which make one task.
struct Plan {
  struct Step {
    std::vector<unsigned> next;  // steps that wait for this one
    unsigned before = 0;         // steps that this one waits for
    bool may_wait = false;       // as in StreamWork
    bool is_host_function = false;
    // `next` are the first steps of bodies, and last what follows them: one of these, which `choose` tells, goes on.
    bool chooses = false;
    // Of the first step of a body: the one behind its last, and how many of them, but for those of bodies in it, run.
    unsigned end = 0, count = 0;

    bool waits() const { return may_wait || is_host_function; }
  };
  std::vector<Step> steps;  // each behind those that it waits for
  std::function<void()> begin;
  std::function<cudaError_t(unsigned)> run;
  std::function<unsigned(unsigned)> choose;            // number in `next`, after a step that chooses
  std::size_t certain = 0;                             // steps in no body
  std::unique_ptr<std::atomic<std::int64_t>[]> times;  // ns that each step has taken; 0: not known

  // How long a step may take, by what is known.
  std::chrono::nanoseconds expected(unsigned step) const;
  void learn(unsigned step, std::chrono::nanoseconds elapsed) const;
};

struct Task;
using TaskPointer = std::shared_ptr<Task>;

// What a task does.
class Action {
 public:
  virtual ~Action() = default;
  virtual cudaError_t run() = 0;
  virtual std::string describe() const { return "a host function of a stream"; }
};

template <class Body>
class ActionOf final : public Action {
 public:
  explicit ActionOf(Body body) : body_(std::move(body)) {}
  cudaError_t run() override { return body_(); }

 private:
  Body body_;
};

template <class Body>
std::unique_ptr<Action> make_action(Body body) {
  return std::make_unique<ActionOf<Body>>(std::move(body));
}

struct StreamWork {
  std::unique_ptr<Action> action{};    // null: nothing, but in its turn
  std::shared_ptr<const Plan> plan{};  // in place of `action`
  std::vector<TaskPointer> after{};    // tasks of other streams that it waits for
  unsigned threads = 1;                // that it keeps at work, by what is known
  bool may_wait = false;               // for what the host, or another stream, does later
  bool is_host_function = false;       // code of the program: may also wait, and is not run once main has ended
  bool runs_after_fault = false;
};

// The tasks of one stream.
struct Lane;
std::shared_ptr<Lane> make_lane(bool is_legacy, bool is_blocking, int priority, int device);
// Its stream is destroyed: what it has been given still runs.
void leave_lane(const std::shared_ptr<Lane> &lane);
inline constexpr int kLeastPriority = 0, kGreatestPriority = -5;
void set_priority(Lane &lane, int priority);

// Gives work to the stream, behind all that it must wait for. An error of the operation is the device's.
TaskPointer push(const CUstream_st *stream, StreamWork work);

// The stream's turn, if nothing that it must wait for is left: until the end of the scope no other work of it begins.
class Turn {
 public:
  explicit Turn(const CUstream_st *stream);
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;
  ~Turn();
  explicit operator bool() const { return is_held_; }

 private:
  Lane *lane_;
  bool is_held_;
};

// Whether a task has ended; null: it has.
bool has_ended(const TaskPointer &task);
// When it did.
std::chrono::steady_clock::time_point end_of(const TaskPointer &task);

// Whether work given to the stream now would have to wait.
bool must_wait(const CUstream_st *stream);
// Whether work that was given to the stream has not ended; sees to it that it goes on.
bool is_busy(const CUstream_st *stream);
// Sees to it that queued work goes on while the host looks at something.
void let_work_go_on();

// These run what they wait for, as far as nobody else does; device output is written then.
void wait_for(const TaskPointer &task);
void wait_for_stream(const CUstream_st *stream);
void wait_for_device(int device);
// For all streams of all devices.
void wait_for_all();
// When the calling thread has last come back from waiting for tasks, by Stopwatch's clock; 0: it never has.
std::chrono::nanoseconds latest_wait();
// Before a reset, and at the end of the program: all that is queued, but for grids that only wait, and what is behind
// them.
void finish_or_drop();

// Whether the calling thread runs a task.
bool in_task();

}  // namespace warploom
