// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "processors.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "engine.h"
#include "report.h"

#ifndef WARPLOOM_OWN_THREADS
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>
#endif

namespace warploom {
namespace {

unsigned wanted_processors(unsigned present) {
  if (const char *text = std::getenv("WARPLOOM_NUM_THREADS"); text != nullptr && *text != '\0') {
    char *end = nullptr;
    const long count = std::strtol(text, &end, 10);
    if (*end == '\0' && count >= 1 && count <= 4096) return static_cast<unsigned>(count);
    write_error(std::string("WARPLOOM_NUM_THREADS=") + text + " ignored: expected a number from 1 to 4096");
  }
  return present;
}

#ifdef WARPLOOM_OWN_THREADS

struct Processors {
  unsigned count;
};

Processors &processors() {
  static Processors result{wanted_processors(std::max(1U, std::thread::hardware_concurrency()))};
  return result;
}

#else

// Made once and never destroyed: a launch may come from a destructor that runs at exit.
struct Processors {
  unsigned count;
  oneapi::tbb::global_control control;  // lets WARPLOOM_NUM_THREADS exceed the cores
  oneapi::tbb::task_arena arena;

  explicit Processors(unsigned n)
      : count(n),
        control(oneapi::tbb::global_control::max_allowed_parallelism,
                std::max(static_cast<std::size_t>(n), oneapi::tbb::global_control::active_value(
                                                          oneapi::tbb::global_control::max_allowed_parallelism))),
        arena(static_cast<int>(n)) {}
};

Processors &processors() {
  static auto *const result =
      new Processors(wanted_processors(static_cast<unsigned>(oneapi::tbb::info::default_concurrency())));
  return *result;
}

#endif

}  // namespace

unsigned processor_count() { return processors().count; }

namespace {

bool threads_are_new = false;

void run_on_new_threads(unsigned times, const std::function<void()> &work) {
  std::vector<std::thread> others;
  unsigned started = 1;
  for (; started < times; ++started) {
    try {
      others.emplace_back(work);
    } catch (const std::system_error &) {
      break;  // the OS threads there are do all of it
    }
  }
  for (; started <= times; ++started) work();
  for (std::thread &other : others) other.join();
}

}  // namespace

void use_new_threads() { threads_are_new = true; }

#ifdef WARPLOOM_OWN_THREADS

void run_on_processors(unsigned times, const std::function<void()> &work) { run_on_new_threads(times, work); }

#else

void run_on_processors(unsigned times, const std::function<void()> &work) {
  if (threads_are_new) return run_on_new_threads(times, work);
  processors().arena.execute([&] {
    // Isolated: whoever waits here for a child grid must not begin a block of its parent meanwhile, which may wait for
    // the very block that launched the child.
    oneapi::tbb::this_task_arena::isolate(
        [&] { oneapi::tbb::parallel_for(0U, times, [&](unsigned) { work(); }, oneapi::tbb::simple_partitioner{}); });
  });
}

#endif

}  // namespace warploom
