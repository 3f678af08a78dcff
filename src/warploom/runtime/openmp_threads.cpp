// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By the functions that compiled OpenMP programs call, of whatever library of OpenMP the program has loaded.
#include "openmp_threads.h"

#include <dlfcn.h>
#include <pthread.h>
#include <strings.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <type_traits>

#include "ticks.h"

namespace warploom {
namespace {

// After a region libgomp's threads spin for 2 to 6 ms.
constexpr std::chrono::milliseconds kAwake{3};
// All of them have to come before a region ends. Where one takes so long for it, they are left alone for a while.
constexpr std::chrono::microseconds kLate{100};
constexpr std::chrono::milliseconds kPause{50};

// A child of fork() has none of its parent's threads, and OpenMP does not know.
std::atomic<bool> is_child{false};

struct Functions {
  void (*start)(void (*work)(void *), void *state, unsigned threads) = nullptr;
  void (*end)() = nullptr;
  int (*number)() = nullptr, (*count)() = nullptr, (*is_parallel)() = nullptr;

  bool are_there() const { return start && end && number && count && is_parallel; }
};

// Whether OpenMP's threads were told to sleep at once.
bool are_told_to_sleep() {
  const char *const policy = std::getenv("OMP_WAIT_POLICY");
  return (policy != nullptr && strcasecmp(policy, "passive") == 0) || std::getenv("GOMP_SPINCOUNT") != nullptr;
}

Functions find() {
  Functions found;
  void *const library = dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr || are_told_to_sleep()) return found;
  const auto take = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
  };
  take(found.start, "GOMP_parallel_start");
  take(found.end, "GOMP_parallel_end");
  take(found.number, "omp_get_thread_num");
  take(found.count, "omp_get_max_threads");
  take(found.is_parallel, "omp_in_parallel");
  pthread_atfork(nullptr, nullptr, [] { is_child = true; });
  return found;
}

const Functions &functions() {
  static const Functions found = find();
  return found;
}

thread_local std::chrono::nanoseconds latest_use{0}, pause_ends{0};

}  // namespace

unsigned openmp_threads(unsigned wanted) {
  if (latest_use.count() == 0) return 0;
  const std::chrono::nanoseconds now = Stopwatch().start();
  if (now - latest_use > kAwake || now < pause_ends) return 0;
  if (!functions().are_there() || is_child || functions().is_parallel() != 0) return 0;
  const auto count = static_cast<unsigned>(functions().count());
  return count < wanted ? 0 : count;
}

void start_openmp(unsigned threads, void (*work)(void *state), void *state) { functions().start(work, state, threads); }

unsigned openmp_number() { return static_cast<unsigned>(functions().number()); }

void end_openmp(bool is_late) {
  const Stopwatch watch;
  functions().end();
  if (is_late && watch.elapsed() > kLate) pause_ends = watch.start() + watch.elapsed() + kPause;
}

}  // namespace warploom

extern "C" __attribute__((visibility("default"))) void __warploom_uses_openmp() {
  warploom::latest_use = warploom::Stopwatch().start();
}
