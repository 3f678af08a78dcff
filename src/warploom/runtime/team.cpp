// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "company.h"
#include "engine.h"
#include "member.h"
#include "openmp_threads.h"
#include "processors.h"
#include "relax.h"
#include "waiting.h"
#include "worker.h"

namespace warploom {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

// After work a member spins so long where work has been coming more often of late, else for a moment; also where it has
// slept and was woken, unless it did so in vain the last time: work that was rare may be frequent from now on.
constexpr nanoseconds kLongestSpin{10'000'000};
constexpr nanoseconds kShortestSpin{5'000};
// The owner of a job, for members to end.
constexpr nanoseconds kJoinSpin{200'000};
// Moments after which a member that is awake has begun: 1 to 3 us.
constexpr int kGrace = 48;

constexpr unsigned kMostMembers = 1024;

// From so many members on a job is told to all at once: calling each takes longer.
constexpr int kFewestTold = 6;

}  // namespace

// Which members are idle, a bit each; and the members there are.
class Team {
 public:
  // Of `wanted` threads, `self` of them the calling one, those that there are processors for beside other jobs: they
  // count as busy until they have left.
  unsigned enter(unsigned wanted, unsigned self) {
    const unsigned present = processors_now();
    unsigned busy = busy_.load(std::memory_order_relaxed), taken;
    do {
      taken = std::clamp(free_beside(busy, present), self, std::max(wanted, self));
    } while (!busy_.compare_exchange_weak(busy, busy + taken, std::memory_order_relaxed));
    return taken;
  }
  unsigned free() const { return free_beside(busy(), processors_now()); }
  unsigned busy() const { return busy_.load(std::memory_order_relaxed); }
  // More threads are awake than there are processors: those at work, and members that wait for some.
  bool is_crowded() const {
    unsigned awake = busy();
    for (unsigned word = 0; word < words(); ++word) {
      awake += static_cast<unsigned>(std::popcount(idle_[word].load(std::memory_order_relaxed) &
                                                   ~sleepers_[word].load(std::memory_order_relaxed)));
    }
    return awake > processors_now();
  }
  // Whether more threads are at work than there are processors: then one of them counts no more.
  bool leave_if_crowded() {
    const unsigned present = processors_now();
    unsigned busy = busy_.load(std::memory_order_relaxed);
    while (busy > present) {
      if (busy_.compare_exchange_weak(busy, busy - 1, std::memory_order_relaxed)) return true;
    }
    return false;
  }
  void leave(unsigned count) { busy_.fetch_sub(count, std::memory_order_relaxed); }

  std::uint64_t next_number() { return 1 + jobs_.fetch_add(1, std::memory_order_relaxed); }

  // The bits of up to `wanted` idle members of that word, those of lowest number first.
  std::uint64_t claim(unsigned word, unsigned wanted) {
    std::uint64_t idle = idle_[word].load(std::memory_order_relaxed), claimed;
    do {
      claimed = idle;
      for (int over = std::popcount(idle) - static_cast<int>(wanted); over > 0; --over) {
        claimed &= ~(std::uint64_t{1} << (63 - std::countl_zero(claimed)));
      }
    } while (claimed != 0 && !idle_[word].compare_exchange_weak(idle, idle & ~claimed, std::memory_order_acquire));
    return claimed;
  }
  void release(unsigned word, std::uint64_t claimed) { idle_[word].fetch_or(claimed, std::memory_order_release); }

  unsigned words() const { return (size_.load(std::memory_order_acquire) + 63) / 64; }
  Member *member(unsigned number) const { return members_[number]; }

  // The processor on which whoever wanted the first member was then.
  unsigned origin() const { return origin_; }

  News &news() { return news_; }
  Word &sleepers(unsigned word) { return sleepers_[word]; }

  // Members up to that number, as far as the system lets us.
  void grow(unsigned count) {
    count = std::min(count, kMostMembers);
    if (size_.load(std::memory_order_relaxed) >= count) return;
    const std::lock_guard lock(mutex_);
    if (size_ == 0) origin_ = current_processor();
    for (unsigned number = size_; number < count; ++number) {
      auto *const member = new Member;
      member->number = number;
      members_[number] = member;
      try {
        std::thread([member] { member->serve(); }).detach();
      } catch (const std::system_error &) {
        delete member;
        return;  // there are fewer, then
      }
      size_.store(number + 1, std::memory_order_release);
      release(number / 64, std::uint64_t{1} << number % 64);
    }
  }

 private:
  static unsigned free_beside(unsigned busy, unsigned present) { return busy < present ? present - busy : 0; }

  News news_;
  alignas(128) Word jobs_{0};
  std::atomic<unsigned> busy_{0};
  std::array<Word, kMostMembers / 64> idle_{};
  alignas(128) std::array<Word, kMostMembers / 64> sleepers_{};
  std::atomic<unsigned> size_{0};
  std::array<Member *, kMostMembers> members_{};
  unsigned origin_ = 0;  // before there are members
  std::mutex mutex_;
};

namespace {

// Jobs around what this thread does.
thread_local unsigned owns_or_helps = 0;
thread_local unsigned widest_job = 1;
// Of a member: it has left a job for others to have its processor.
thread_local bool makes_room = false;

std::atomic<Team *> the_team{nullptr};

// A child of fork() has none of its parent's threads, and what its parent's were doing stays undone there.
void start_anew() {
  the_team = new Team;
  company_of_child();
}

Team &team() {
  static const bool started = [] {
    start_anew();
    pthread_atfork(nullptr, nullptr, start_anew);
    return true;
  }();
  static_cast<void>(started);
  return *the_team.load(std::memory_order_relaxed);
}

}  // namespace

void leave_signals_to_others() {
  sigset_t mask;
  sigfillset(&mask);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) sigdelset(&mask, fault);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

bool Member::is_called(const News &news) const {
  if (called.load(std::memory_order_acquire) != seen_call_) return true;
  const std::uint64_t told = news.number.load(std::memory_order_acquire);
  return told != seen_news_ && told != 0;
}

// What it is called for by itself, else with others. What is read of a job that is over is not used: `take` fails.
MemberCall Member::read_call(const News &news) {
  if (const std::uint64_t its_number = called.load(std::memory_order_acquire); its_number != seen_call_) {
    seen_call_ = its_number;
    return {its_number, order.read(), part.load(std::memory_order_relaxed), waker.load(std::memory_order_relaxed)};
  }
  const std::uint64_t told = news.number.load(std::memory_order_acquire);
  const PartsWork work = news.order.read();
  const std::uint64_t claimed = news.claimed.load(std::memory_order_relaxed);
  const std::uint64_t bit = number < 64 ? news.told.load(std::memory_order_relaxed) & std::uint64_t{1} << number : 0;
  std::atomic_thread_fence(std::memory_order_acquire);
  if (told == 0 || news.number.load(std::memory_order_relaxed) != told) return {};
  seen_news_ = told;
  if (bit == 0) return {};
  return {told, work, 1 + static_cast<unsigned>(std::popcount(claimed & (bit - 1)))};
}

bool Member::wait_for_call(nanoseconds spin) {
  Team &all = team();
  const News &news = all.news();
  if (spin_until([&] { return is_called(news); }, spin, [&] { return all.is_crowded(); })) return true;
  Word &sleepers = all.sleepers(number / 64);
  const std::uint64_t bit = std::uint64_t{1} << number % 64;
  sleepers.fetch_or(bit);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  while (!is_called(news)) sleep_while(called, seen_call_);
  sleepers.fetch_and(~bit);
  return false;
}

void Member::serve() {
  leave_signals_to_others();
  owns_or_helps = 1;
  Team &all = team();
  go_home(number + 1, all.origin());
  ready_worker();
  nanoseconds usual_period = kLongestSpin;
  auto idle_since = Clock::now();
  bool has_slept = false, hopes = true;
  while (true) {
    const bool is_frequent = usual_period < kLongestSpin, spins_long = is_frequent || (has_slept && hopes);
    const nanoseconds spin = spins_long ? kLongestSpin : kShortestSpin;
    has_slept = !wait_for_call(std::exchange(makes_room, false) ? nanoseconds{0} : idle_since + spin - Clock::now());
    if (spins_long || !has_slept) hopes = !has_slept;
    const MemberCall call = read_call(all.news());
    if (call.number == 0) continue;
    __builtin_prefetch(call.work.context);
    for (const void *const read : call.work.first_reads) __builtin_prefetch(read);
    if (take(call.number)) {
      if (call.waker != nullptr) call.waker->wake_some();
      fetch_to_write(&ended);
      call.work.run(call.work.context, call.part);
      end(call.number);
    }
    // With the work itself: nobody waits for the clock then.
    const auto now = Clock::now();
    usual_period = (usual_period + std::min<nanoseconds>(now - idle_since, 4 * kLongestSpin)) / 2;
    idle_since = now;
  }
}

void Member::wait_for_end(std::uint64_t number) {
  if (spin_until([&] { return has_ended(number); }, kJoinSpin, [] { return false; })) return;
  std::uint64_t before = ended.load(std::memory_order_acquire);
  if (before == ended_at(number) || !ended.compare_exchange_strong(before, awaited_at(number))) return;
  while (!has_ended(number)) sleep_while(ended, awaited_at(number));
}

PartsWork work_of(const std::function<void(unsigned)> &function) {
  const auto run = [](void *context, unsigned part) {
    (*static_cast<const std::function<void(unsigned)> *>(context))(part);
  };
  return {run, const_cast<std::function<void(unsigned)> *>(&function)};
}

Job::Job(unsigned wanted) {
  if (wanted <= 1) return;
  Team &all = team();
  team_ = &all;
  // A member, or the owner of a job around this one, counts already.
  self_ = owns_or_helps == 0 ? 1 : 0;
  wanted = all.enter(wanted - 1 + self_, self_) + 1 - self_;
  ++owns_or_helps;
  is_over_ = false;
  if (self_ == 1 && wanted > 1 && wanted <= kMostWords * 64) openmp_ = openmp_threads(wanted);
  if (is_of_openmp()) {
    count_ = wanted - 1;
    for (auto &word : taken_) word.store(0, std::memory_order_relaxed);
    widest_job = std::max(widest_job, size());
    return;
  }
  // Other jobs, this one may be within one of them, have members as well.
  all.grow(all.busy() - 1);
  if (wanted - 1 > few_.size()) many_.reset(new Member *[wanted - 1]);
  members_ = many_ ? many_.get() : few_.data();
  for (; words_ < all.words() && count_ + 1 < wanted; ++words_) {
    claimed_[words_] = all.claim(words_, wanted - 1 - count_);
    for (std::uint64_t left = claimed_[words_]; left != 0; left &= left - 1) {
      members_[count_++] = all.member(words_ * 64 + static_cast<unsigned>(std::countr_zero(left)));
    }
  }
  if (wanted - 1 != count_) all.leave(wanted - 1 - count_);
  widest_job = std::max(widest_job, size());
}

Job::~Job() { wait(); }

bool Job::is_asleep() const {
  if (is_of_openmp()) return false;
  for (unsigned word = 0; word < words_; ++word) {
    if ((claimed_[word] & ~team_->sleepers(word).load(std::memory_order_relaxed)) != 0) return false;
  }
  return true;
}

void Job::start(const PartsWork &work) {
  if (count_ == 0) return;
  work_ = work;
  left_ = count_;
  if (is_of_openmp()) {
    is_started_ = true;
    return start_openmp(openmp_, [](void *job) { static_cast<Job *>(job)->run_on_openmp(); }, this);
  }
  number_ = team_->next_number();
  if (is_asleep()) patience_ = kGrace;
  for (unsigned word = 0; word < words_; ++word) {
    const std::uint64_t asleep = team_->sleepers(word).load(std::memory_order_relaxed) & claimed_[word];
    slept_[word] = asleep;
    asleep_[word].store(asleep, std::memory_order_relaxed);
    has_woken_ = has_woken_ || asleep != 0;
  }
  Job *const waker = has_woken_ ? this : nullptr;
  const std::uint64_t awake = words_ != 0 ? claimed_[0] & ~slept_[0] : 0;
  has_news_ = std::popcount(awake) >= kFewestTold && !team_->news().is_used.exchange(true, std::memory_order_acquire);
  if (has_news_) team_->news().write(number_, work_, claimed_[0], awake);
  for (unsigned part = 1; part <= count_; ++part) {
    Member &member = *members_[part - 1];
    const bool is_told = has_news_ && member.number < 64 && (awake >> member.number & 1) != 0;
    if (!is_told) member.call(number_, work_, part, waker);
  }
  if (has_woken_) wake_some();
}

bool Job::is_taken_by_openmp(unsigned part) const {
  return (taken_[part / 64].load(std::memory_order_relaxed) >> part % 64 & 1) != 0;
}

// By its thread, or by the owner, who comes first.
bool Job::take_of_openmp(unsigned part) {
  const std::uint64_t bit = std::uint64_t{1} << part % 64;
  return (taken_[part / 64].fetch_or(bit, std::memory_order_acq_rel) & bit) == 0;
}

// By one of OpenMP's threads: its part, unless the owner has taken it back.
void Job::run_on_openmp() {
  const unsigned part = openmp_number();
  if (part == 0 || part > count_ || !take_of_openmp(part)) return;
  thread_local bool is_ready = false;
  if (!std::exchange(is_ready, true)) ready_worker();
  ++owns_or_helps;
  work_.run(work_.context, part);
  --owns_or_helps;
}

void Job::wake_late() {
  if (is_over_ || is_of_openmp()) return;
  // Who goes to sleep says so first and then looks whether it has been called.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (unsigned word = 0; word < words_; ++word) {
    const std::uint64_t now = team_->sleepers(word).load(std::memory_order_relaxed) & claimed_[word];
    for (std::uint64_t late = now & ~slept_[word]; late != 0; late &= late - 1) {
      const unsigned place = static_cast<unsigned>(std::countr_zero(late));
      Member &member = *team_->member(word * 64 + place);
      if (!member.is_waiting(number_)) continue;
      // By itself: between its last look and its sleep it would not notice what all are told.
      member.call(number_, work_, part_of(word, place), nullptr);
      wake_one(member.called);
    }
  }
}

// The part of a member that was claimed: parts go by their numbers.
unsigned Job::part_of(unsigned word, unsigned place) const {
  unsigned part = 1 + static_cast<unsigned>(std::popcount(claimed_[word] & ((std::uint64_t{1} << place) - 1)));
  for (unsigned before = 0; before < word; ++before) part += static_cast<unsigned>(std::popcount(claimed_[before]));
  return part;
}

// Two of those who sleep: each of them wakes two more.
void Job::wake_some() {
  int left = 2;
  for (unsigned word = 0; word < words_; ++word) {
    while (std::uint64_t asleep = asleep_[word].load(std::memory_order_relaxed)) {
      const std::uint64_t bit = asleep & -asleep;
      if ((asleep_[word].fetch_and(~bit, std::memory_order_relaxed) & bit) == 0) continue;
      wake_one(team_->member(word * 64 + static_cast<unsigned>(std::countr_zero(bit)))->called);
      if (--left == 0) return;
    }
  }
}

unsigned Job::take_back() {
  if (is_over_) return 0;
  while (left_ > 0) {
    const unsigned part = left_--;
    if (is_of_openmp()) {
      for (; patience_ < kGrace && !is_taken_by_openmp(part); ++patience_) relax();
      if (take_back(part)) return part;
      continue;
    }
    const Member &member = *members_[part - 1];
    for (; patience_ < kGrace && !member.has_ended(number_); ++patience_) relax();
    // Those that have ended meanwhile say so in a line each: fetched side by side, not one after the other.
    for (unsigned other = part == count_ ? left_ : 0; other > 0; --other)
      __builtin_prefetch(&members_[other - 1]->ended);
    if (take_back(part)) return part;
  }
  return 0;
}

bool Job::take_back(unsigned part) {
  if (is_of_openmp()) {
    const bool is_taken = take_of_openmp(part);
    is_late_ = is_late_ || is_taken;
    return is_taken;
  }
  Member &member = *members_[part - 1];
  if (member.has_ended(number_) || !member.take(number_)) return false;
  members_[part - 1] = nullptr;
  return true;
}

void Job::wait() {
  if (is_over_) return;
  while (left_ > 0) take_back(left_--);
  if (is_started_) end_openmp(is_late_);
  for (unsigned part = number_ == 0 ? 0 : count_; part > 0; --part) {
    if (members_[part - 1] != nullptr) members_[part - 1]->wait_for_end(number_);
  }
  is_over_ = true;
  release();
}

bool Job::member_leaves() {
  if (!team_->leave_if_crowded()) return false;
  have_left_.fetch_add(1, std::memory_order_relaxed);
  makes_room = true;
  return true;
}

void Job::release() {
  --owns_or_helps;
  if (has_news_) team_->news().is_used.store(false, std::memory_order_release);
  team_->leave(count_ + self_ - have_left_.load(std::memory_order_relaxed));
  for (unsigned word = 0; word < words_; ++word) {
    if (claimed_[word] != 0) team_->release(word, claimed_[word]);
  }
}

unsigned threads_for_job() {
  const unsigned self = owns_or_helps == 0 ? 1 : 0;
  return std::max(team().free(), self) + 1 - self;
}

unsigned busy_threads() { return team().busy(); }
unsigned take_widest_job() { return std::exchange(widest_job, 1); }

void run_with_team(unsigned times, const std::function<void(unsigned)> &work) {
  Job job(times);
  job.start(work_of(work));
  job.wake_late();
  work(0);
}

}  // namespace warploom
