// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "engine.h"
#include "relax.h"

namespace warploom {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

// After work a member spins so long where it has been waiting for less of late, else for a moment.
constexpr nanoseconds kLongestSpin{200'000};
constexpr nanoseconds kShortestSpin{5'000};
// A processor given up for longer than this is wanted by others.
constexpr nanoseconds kForeignWork{20'000};

constexpr unsigned kMostMembers = 4096;
constexpr unsigned kChildren = 2;

using Word = std::atomic<std::uint32_t>;

void sleep_while(Word &word, std::uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}
void wake_one(Word &word) { syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0); }

// Whether `is_true` becomes so within about `limit`. Gives the processor up now and then, and waits no longer when
// others want it.
template <class Predicate>
bool spin_until(const Predicate &is_true, nanoseconds limit) {
  const auto start = Clock::now();
  for (auto now = start; now - start < limit;) {
    for (int i = 0; i < 32; ++i) {
      if (is_true()) return true;
      relax();
    }
    const auto before = Clock::now();
    sched_yield();
    now = Clock::now();
    if (now - before > kForeignWork) break;
  }
  return is_true();
}

struct Member;

// Lives on the caller's stack until `unfinished` is 0.
struct Job {
  static constexpr std::uint32_t kCallerSleeps = std::uint32_t{1} << 31;

  struct Part {
    Member *member;
    std::atomic<bool> is_called{false};
  };

  const std::function<void(unsigned)> &work;
  std::unique_ptr<Part[]> parts;  // of members: parts[i] is part i + 1
  unsigned count = 0;
  Word unfinished{0};  // members that have not ended; kCallerSleeps: who ends last wakes the caller

  void wake_children(unsigned part);
  // By a member, as the last thing that it does with the job.
  void end_part() {
    if (unfinished.fetch_sub(1, std::memory_order_acq_rel) == (kCallerSleeps | 1)) wake_one(unfinished);
  }
};

// What a member waits at.
struct alignas(64) Member {
  enum State : std::uint32_t { kSpins, kSleeps, kCalled };

  Word state{kSpins};
  std::atomic<Job *> job{nullptr};
  unsigned part = 0;
  unsigned number = 0;

  void call(Job &offered, std::atomic<bool> &is_called) {
    job.store(&offered, std::memory_order_release);
    is_called.store(true, std::memory_order_release);
    if (state.exchange(kCalled, std::memory_order_acq_rel) == kSleeps) wake_one(state);
  }
  // The job, unless somebody else has it by now.
  Job *take() { return job.exchange(nullptr, std::memory_order_acq_rel); }

  [[noreturn]] void run();
  void wait(nanoseconds spin);
};

// Which members are idle, a bit each; and the members there are.
class Team {
 public:
  // Up to `wanted` idle members, those of lowest number first, for the job's parts.
  void claim(unsigned wanted, Job &job) {
    grow(std::min(wanted, kMostMembers));
    for (unsigned i = 0; i < idle_.size() && job.count < wanted; ++i) {
      std::uint64_t left = idle_[i].load(std::memory_order_relaxed);
      while (left != 0 && job.count < wanted) {
        const std::uint64_t bit = left & -left;
        left ^= bit;
        if ((idle_[i].fetch_and(~bit, std::memory_order_acquire) & bit) == 0) continue;
        Member *const member = members_[i * 64 + static_cast<unsigned>(__builtin_ctzll(bit))];
        job.parts[job.count].member = member;
        member->part = ++job.count;
      }
      if ((i + 1) * 64 >= size_.load(std::memory_order_relaxed)) break;
    }
  }

  // An idle member, the one of highest number: the lower ones have parts of loops that they had before.
  Member *claim_last() {
    for (unsigned i = size_.load(std::memory_order_relaxed) / 64 + 1; i-- > 0;) {
      std::uint64_t left = idle_[i].load(std::memory_order_relaxed);
      while (left != 0) {
        const auto number = static_cast<unsigned>(63 - __builtin_clzll(left));
        const std::uint64_t bit = std::uint64_t{1} << number;
        left ^= bit;
        if ((idle_[i].fetch_and(~bit, std::memory_order_acquire) & bit) == 0) continue;
        Member *const member = members_[i * 64 + number];
        member->part = 0;
        return member;
      }
    }
    const unsigned size = size_.load(std::memory_order_relaxed);
    if (size >= std::min(processor_count(), kMostMembers)) return nullptr;
    grow(size + 1);
    return size_.load(std::memory_order_relaxed) > size ? claim_last() : nullptr;
  }

  void release(const Member &member) {
    idle_[member.number / 64].fetch_or(std::uint64_t{1} << member.number % 64, std::memory_order_release);
  }

 private:
  // Members up to that number, as far as the system lets us.
  void grow(unsigned count) {
    if (size_.load(std::memory_order_relaxed) >= count) return;
    const std::lock_guard lock(mutex_);
    for (unsigned number = size_; number < count; ++number) {
      auto *const member = new Member;
      member->number = number;
      try {
        std::thread([member] { member->run(); }).detach();
      } catch (const std::system_error &) {
        delete member;
        return;  // there are fewer, then
      }
      members_[number] = member;
      release(*member);
      size_ = number + 1;
    }
  }

  std::mutex mutex_;
  std::atomic<unsigned> size_{0};
  std::array<Member *, kMostMembers> members_{};
  std::array<std::atomic<std::uint64_t>, kMostMembers / 64> idle_{};
};

std::atomic<Team *> the_team{nullptr};

// A child of fork() has none of its parent's threads, and what its parent's were doing stays undone there.
void start_anew() { the_team = new Team; }

Team &team() {
  static const bool started = [] {
    start_anew();
    pthread_atfork(nullptr, nullptr, start_anew);
    return true;
  }();
  static_cast<void>(started);
  return *the_team.load(std::memory_order_relaxed);
}

void Job::wake_children(unsigned part) {
  for (unsigned child = kChildren * part + 1; child <= kChildren * part + kChildren; ++child) {
    if (child <= count) parts[child - 1].member->call(*this, parts[child - 1].is_called);
  }
}

// Returns when it has been called.
void Member::wait(nanoseconds spin) {
  const auto is_called = [this] { return state.load(std::memory_order_acquire) == kCalled; };
  if (spin_until(is_called, spin)) return;
  std::uint32_t expected = kSpins;
  if (state.compare_exchange_strong(expected, kSleeps)) {
    while (state.load(std::memory_order_acquire) == kSleeps) sleep_while(state, kSleeps);
  }
}

void Member::run() {
  leave_signals_to_others();
  nanoseconds usual_wait = kLongestSpin;
  while (true) {
    const auto idle_since = Clock::now();
    wait(usual_wait < kLongestSpin ? kLongestSpin : kShortestSpin);
    state.exchange(kSpins, std::memory_order_acq_rel);  // sees the job that a call after this wait left
    Job *const taken = take();
    if (taken == nullptr) continue;  // its caller has taken it back
    usual_wait = (usual_wait + std::min<nanoseconds>(Clock::now() - idle_since, 4 * kLongestSpin)) / 2;
    taken->wake_children(part);
    taken->work(part);
    team().release(*this);
    taken->end_part();
  }
}

// Takes the job back from members that have not begun. `never`: the parts that nobody will do.
void take_back(Job &job) {
  std::vector<bool> never(job.count + 1);
  for (unsigned part = 1; part <= job.count; ++part) {
    Member &member = *job.parts[part - 1].member;
    if (never[(part - 1) / kChildren]) {
      never[part] = true;
    } else {
      // Its parent has begun, and calls its children first.
      const auto is_called = [&] { return job.parts[part - 1].is_called.load(std::memory_order_acquire); };
      while (!spin_until(is_called, kLongestSpin)) {
      }
      Job *expected = &job;
      never[part] = member.job.compare_exchange_strong(expected, nullptr, std::memory_order_acq_rel);
    }
    if (!never[part]) continue;
    team().release(member);
    job.unfinished.fetch_sub(1, std::memory_order_relaxed);
  }
}

void wait_for_end(Job &job) {
  if (spin_until([&] { return job.unfinished.load(std::memory_order_acquire) == 0; }, kLongestSpin)) return;
  std::uint32_t left = job.unfinished.fetch_or(Job::kCallerSleeps, std::memory_order_acq_rel) | Job::kCallerSleeps;
  for (; left != Job::kCallerSleeps; left = job.unfinished.load(std::memory_order_acquire)) {
    sleep_while(job.unfinished, left);
  }
}

}  // namespace

void leave_signals_to_others() {
  sigset_t mask;
  sigfillset(&mask);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) sigdelset(&mask, fault);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

bool run_on_idle_member(const std::function<void(unsigned)> &work) {
  static Job job{work, nullptr};  // of one part, which nobody waits for
  Member *const member = team().claim_last();
  if (member == nullptr) return false;
  std::atomic<bool> is_called;
  member->call(job, is_called);
  return true;
}

void run_with_team(unsigned times, const std::function<void(unsigned)> &work) {
  if (times <= 1) return work(0);
  Job job{work, std::make_unique<Job::Part[]>(times - 1)};
  team().claim(times - 1, job);
  job.unfinished = job.count;
  job.wake_children(0);
  work(0);
  take_back(job);
  wait_for_end(job);
}

}  // namespace warploom
