// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank of a communicator: what its calls have been given and has not ended, and how it waits for the others.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "../../relax.h"
#include "reduce.h"
#include "world.h"

#include <sched.h>

namespace warploom::nccl {

// How elements become one: an operator of NCCL's, or one that the program has made.
struct Operator {
  int number = 0;  // for comparing
  Combine combine = Combine::kSum;
  bool is_average = false, is_scaled = false;
  std::uint64_t bits = 0;         // the factor
  const void *address = nullptr;  // it is read when the work runs
};
struct MadeOperator {
  Operator what;
  Type type;
  bool is_there = false;
};

class Ticket;

struct Member {
  std::shared_ptr<World> world;
  int rank = 0, device = 0;
  std::uint64_t round = 0;  // the last one that it came to
  std::uint64_t splits = 0;
  std::atomic<ncclResult_t> error{ncclSuccess};
  std::atomic<bool> is_aborted{false}, is_destroyed{false};

  std::mutex mutex;
  std::condition_variable changed;
  std::list<Ticket *> tickets;  // operations that have not ended
  std::vector<MadeOperator> made;
  cudaStream_t lane = nullptr;  // in place of the default stream, where ranks of a process would share that

  RankState &own() const { return world->rank(rank); }
  // The communicator is of no use any more. `in_stream`: neither is what its operations were to write, and the device
  // has an error.
  void fail(ncclResult_t code, const std::string &text, bool in_stream = true);
};

// A place in the order in which a rank's operations run.
class Ticket {
 public:
  // `at_once`: it was not given to a stream as it is made, but runs now: before what has not begun.
  explicit Ticket(std::shared_ptr<Member> member, bool at_once = false);
  Ticket(const Ticket &) = delete;
  Ticket &operator=(const Ticket &) = delete;
  ~Ticket();
  // Waits for those before it.
  void wait();
  // Whether nothing is before it: it has begun then.
  bool begin();

 private:
  std::shared_ptr<Member> member_;
  bool has_begun_ = false;
};

enum class Waited { kReady, kNotYet, kBroken };

// A call that waits for other ranks.
class Visit {
 public:
  // `for_a_moment`: it gives up soon, to go on later. `in_stream`: it is an operation, not the host.
  Visit(Member &member, const char *function, bool for_a_moment, bool in_stream = true)
      : member(member), function(function), for_a_moment_(for_a_moment), in_stream_(in_stream) {}

  // Until `ready()`, which looks at `word` or what is written before it is. `is_missing(i)`: rank i has not come.
  template <class Ready, class Missing>
  Waited until(const std::atomic<std::uint64_t> &word, std::atomic<std::uint32_t> &sleepers, const Ready &ready,
               const Missing &is_missing) {
    if (looks(ready)) return Waited::kReady;
    if (for_a_moment_) return Waited::kNotYet;
    const auto start = std::chrono::steady_clock::now();
    while (true) {
      sleepers.fetch_add(1);
      const std::uint64_t value = word.load();
      const bool is_ready = ready();
      if (!is_ready) sleep_at(word, value);
      sleepers.fetch_sub(1);
      if (is_ready || ready()) return Waited::kReady;
      if (!may_wait(start, ready, is_missing)) return Waited::kBroken;
    }
  }

  Member &member;
  const char *const function;

 private:
  static constexpr std::chrono::microseconds kLook{30};

  template <class Ready>
  static bool looks(const Ready &ready) {
    if (ready()) return true;
    const auto start = std::chrono::steady_clock::now();
    do {
      for (int i = 0; i < 32; ++i) {
        if (ready()) return true;
        relax();
      }
      sched_yield();
    } while (std::chrono::steady_clock::now() - start < kLook);
    return ready();
  }
  bool may_wait(std::chrono::steady_clock::time_point start, const std::function<bool()> &ready,
                const std::function<bool(int)> &is_missing);

  const bool for_a_moment_, in_stream_;
  bool is_told_ = false;
};

}  // namespace warploom::nccl
