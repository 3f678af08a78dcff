// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One OS thread of the team, as it and the owners of jobs see it: the cache lines in which it is called, and those in
// which it answers.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "team.h"
#include "waiting.h"

namespace warploom {

// The number of a job, and in the last bit whether its owner sleeps until a member has ended.
constexpr std::uint64_t ended_at(std::uint64_t number) { return number << 1; }
constexpr std::uint64_t awaited_at(std::uint64_t number) { return number << 1 | 1; }

// What is to be done, as one thread writes it and others read it, maybe too late.
struct Order {
  std::atomic<void (*)(void *, unsigned)> run{nullptr};
  std::atomic<void *> context{nullptr};
  std::array<std::atomic<const void *>, 3> first_reads{};

  void write(const PartsWork &work) {
    run.store(work.run, std::memory_order_relaxed);
    context.store(work.context, std::memory_order_relaxed);
    for (unsigned i = 0; i < first_reads.size(); ++i) {
      first_reads[i].store(work.first_reads[i], std::memory_order_relaxed);
    }
  }
  PartsWork read() const {
    PartsWork work{run.load(std::memory_order_relaxed), context.load(std::memory_order_relaxed)};
    for (unsigned i = 0; i < first_reads.size(); ++i)
      work.first_reads[i] = first_reads[i].load(std::memory_order_relaxed);
    return work;
  }
};

// A job as it is told to all of the first 64 members at once: one cache line, of one job at a time.
struct alignas(128) News {
  Word number{0};  // 0: it is being written
  Order order;
  Word claimed{0}, told{0};  // members of the job, a bit each; those that this line is for
  alignas(128) std::atomic<bool> is_used{false};

  void write(std::uint64_t its_number, const PartsWork &work, std::uint64_t its_members, std::uint64_t those_told) {
    number.store(0, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    order.write(work);
    claimed.store(its_members, std::memory_order_relaxed);
    told.store(those_told, std::memory_order_relaxed);
    number.store(its_number, std::memory_order_release);
  }
};

// What a member has been called for.
struct MemberCall {
  std::uint64_t number = 0;  // 0: nothing
  PartsWork work{};
  unsigned part = 0;
  Job *waker = nullptr;
};

// Processors fetch cache lines in pairs: what is far apart here is never fetched together.
struct Member {
  // By whoever has claimed the member, `called` last: all that it needs to begin.
  alignas(128) Word called{0};  // the number of the job
  Order order;
  std::atomic<Job *> waker{nullptr};  // the job, if it has sleepers to wake
  std::atomic<unsigned> part{0};
  // By the member; and by the owner of a job when it sleeps.
  alignas(128) Word ended{ended_at(0)};
  // The latest job whose part the member has begun, or the owner has taken back: it reads this of late members only.
  alignas(128) Word taken{0};
  unsigned number = 0;

  void call(std::uint64_t number, const PartsWork &work, unsigned its_part, Job *its_waker) {
    order.write(work);
    waker.store(its_waker, std::memory_order_relaxed);
    part.store(its_part, std::memory_order_relaxed);
    called.store(number, std::memory_order_release);
  }
  bool is_waiting(std::uint64_t number) const { return taken.load(std::memory_order_acquire) < number; }
  // Who comes first has the part: the member, or the owner of the job.
  bool take(std::uint64_t number) {
    std::uint64_t before = taken.load(std::memory_order_acquire);
    return before < number && taken.compare_exchange_strong(before, number, std::memory_order_acq_rel);
  }
  bool has_ended(std::uint64_t number) const { return ended.load(std::memory_order_acquire) == ended_at(number); }
  void end(std::uint64_t number) {
    if (ended.exchange(ended_at(number), std::memory_order_acq_rel) == awaited_at(number)) wake_one(ended);
  }
  void wait_for_end(std::uint64_t number);

  [[noreturn]] void serve();

 private:
  bool is_called(const News &news) const;
  MemberCall read_call(const News &news);
  // Whether it came before the member slept.
  bool wait_for_call(std::chrono::nanoseconds spin);

  std::uint64_t seen_call_ = 0, seen_news_ = 0;
};

}  // namespace warploom
