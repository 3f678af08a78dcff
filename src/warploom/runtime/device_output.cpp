// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device_output.h"

#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>

namespace warploom {
namespace {

// CUDA's buffer has as much (cudaLimitPrintfFifoSize); what is more than that is written at once.
constexpr std::size_t kKept = std::size_t{1} << 20;

struct Output {
  std::mutex mutex;
  std::string text;
  std::atomic<bool> is_empty = true;
};

// Never destroyed: the program's destructors may launch.
Output &output() {
  static Output *const instance = [] {
    auto *const made = new Output;
    std::atexit(write_device_output);
    pthread_atfork([] { output().mutex.lock(); }, [] { output().mutex.unlock(); },
                   [] {
                     output().text.clear();  // the parent writes it
                     output().is_empty = true;
                     output().mutex.unlock();
                   });
    return made;
  }();
  return *instance;
}

// With the lock held.
void write(Output &all) {
  std::fwrite(all.text.data(), 1, all.text.size(), stdout);
  all.text.clear();
  all.is_empty = true;
}

std::atomic<bool> is_used = false;

}  // namespace

void add_device_output(const char *text, std::size_t size) {
  Output &all = output();
  is_used = true;
  const std::lock_guard lock(all.mutex);
  try {
    all.text.append(text, size);
  } catch (const std::bad_alloc &) {
    write(all);
    std::fwrite(text, 1, size, stdout);
    return;
  }
  all.is_empty = false;
  if (all.text.size() > kKept) write(all);
}

void write_device_output() {
  if (!is_used || output().is_empty) return;
  const std::lock_guard lock(output().mutex);
  write(output());
}

}  // namespace warploom
