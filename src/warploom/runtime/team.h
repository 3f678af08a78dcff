// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The OS threads that help a launch. They are started when first wanted and stay: after work a member spins for a while
// if work has been coming soon, then sleeps.
//
// A member waits at two cache lines: one of its own, in which it is called by itself, and one that tells all of a job
// at once. That it has ended it says in a third one, which the owner of the job reads. There is no line that several of
// them write during a launch.
//
//     owner    claim | tell 1 2 3 ... | part 0 | take back who has not begun | wait for 1 2 3 ... | release
//     member 1                | begin | part 1 | end |
//     member 2 (sleeps)          ~~~~~~~~~~~~~~~~~~~~~~~~ | finds that it came too late
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

namespace warploom {

struct Member;
class Team;

// What members do: run(context, part).
struct PartsWork {
  void (*run)(void *context, unsigned part);
  void *context;
  // What that reads first of what the owner has just written, beside the context: an address in each cache line.
  // Members fetch all of these at once.
  std::array<const void *, 3> first_reads{};
};
// The function is to stay while the work goes on.
PartsWork work_of(const std::function<void(unsigned)> &function);

// Work in parts: part 0 is its owner's, the others are members'. The owner is one OS thread. Of one that has just used
// OpenMP's threads those are the members (openmp_threads.h).
class Job {
 public:
  // Claims idle members for parts 1, 2, ..., those of lowest number first: at the next job each gets the part that it
  // had. Fewer than `wanted` - 1 where processors are busy with other jobs.
  explicit Job(unsigned wanted);
  Job(const Job &) = delete;
  Job &operator=(const Job &) = delete;
  // As `wait`.
  ~Job();

  // Parts, that of the owner among them.
  unsigned size() const { return count_ + 1; }
  // Whether all members sleep: none will begin within microseconds.
  bool is_asleep() const;
  // Members begin their parts, each as soon as it can.
  void start(const PartsWork &work);
  // Whether some of them slept.
  bool has_woken() const { return has_woken_; }
  // Wakes those that were about to sleep at that moment. Waits for what was written: not for short work's first step.
  void wake_late();
  // A part that no member has begun, and none will: the owner may do it. 0: there is none left. Members that are just
  // about to begin get a moment.
  unsigned take_back();
  // Takes the rest back; returns when all that began have ended.
  void wait();
  // By a member, between two pieces of its part: whether more threads are at work than there are processors, since
  // others have begun meanwhile. If so it counts as at work no more, and has to leave what is left to the others.
  bool member_leaves();

 private:
  friend struct Member;
  static constexpr unsigned kMostWords = 16;  // of 64 members each

  unsigned part_of(unsigned word, unsigned place) const;
  void wake_some();
  bool take_back(unsigned part);
  void release();
  bool is_of_openmp() const { return openmp_ != 0; }
  bool is_taken_by_openmp(unsigned part) const;
  bool take_of_openmp(unsigned part);
  void run_on_openmp();

  Team *team_ = nullptr;      // as it was when the job began: a child of fork() has another
  std::uint64_t number_ = 0;  // later jobs have higher ones
  unsigned count_ = 0;        // members
  unsigned self_ = 0;         // 1: the owner counts as busy with this job
  unsigned words_ = 0;
  unsigned openmp_ = 0;  // OpenMP's threads, all of which begin; 0: members of the team do
  bool is_over_ = true;
  bool is_started_ = false;  // OpenMP's threads have been
  bool is_late_ = false;     // one of them had not begun when its owner took its part back
  bool has_news_ = false;    // its members have been called all at once
  bool has_woken_ = false;
  PartsWork work_{};
  unsigned left_ = 0;           // parts up to this one have not been looked at by take_back
  int patience_ = 0;            // moments for which members have been given time to begin
  Member **members_ = nullptr;  // by part, from 1 on; null: taken back
  std::array<Member *, 63> few_;
  std::unique_ptr<Member *[]> many_;  // where there are more
  std::array<std::uint64_t, kMostWords> claimed_;
  std::array<std::atomic<std::uint64_t>, kMostWords> asleep_;  // members that nobody has woken
  std::array<std::uint64_t, kMostWords> slept_;                // members that had to be woken at the start
  std::atomic<unsigned> have_left_{0};                         // members
  std::array<std::atomic<std::uint64_t>, kMostWords> taken_;   // parts of OpenMP's threads, a bit each
};

// Runs work(0) on the calling thread and, as far as members are idle, work(1) to work(times - 1) on theirs; returns
// when all that began have ended. Fewer may begin: each has to go on until nothing is left. Any thread may call this at
// any time, a member too.
void run_with_team(unsigned times, const std::function<void(unsigned)> &work);

// The most threads, the calling one among them, that a job of it would get now: what processors_now grants, without
// those that other jobs keep busy. A moment later it may be more or fewer.
unsigned threads_for_job();

// OS threads at work for jobs.
unsigned busy_threads();
// The most threads, its own among them, that a job of the calling thread has had since it last asked; at least 1.
unsigned take_widest_job();

// Signals from outside are for the program's own threads; faults stay where they happen.
void leave_signals_to_others();

}  // namespace warploom
