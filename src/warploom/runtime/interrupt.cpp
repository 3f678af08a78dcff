// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler only reads the records of progress.h and writes: the thread that it stops may hold any lock. The first
// signal is reported. One that comes right behind it is of the same interruption, for a shell's Ctrl-C and `timeout`
// reach a program once by itself and once by its group; a later one ends the program, whatever the first is doing.
#include "interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "progress.h"

namespace warploom {
namespace {

std::atomic<unsigned> host_functions = 0;  // that run

// A line put together without memory of its own; what is too long is cut.
class Line {
 public:
  Line &operator<<(const char *text) {
    const std::size_t size = std::strlen(text);
    const std::size_t fits = size < sizeof text_ - size_ ? size : sizeof text_ - size_;
    std::memcpy(text_ + size_, text, fits);
    size_ += fits;
    return *this;
  }
  Line &operator<<(std::uint64_t value) {
    char digits[24];
    char *first = digits + sizeof digits - 1;
    *first = '\0';
    do *--first = static_cast<char>('0' + value % 10);
    while ((value /= 10) != 0);
    return *this << first;
  }
  Line &operator<<(const Extent &extent) {
    return *this << "(" << extent.x << ", " << extent.y << ", " << extent.z << ")";
  }
  void print() const { static_cast<void>(!write(STDERR_FILENO, text_, size_)); }

 private:
  char text_[1024];
  std::size_t size_ = 0;
};

constexpr std::int64_t kSameInterruption = 250'000'000;  // nanoseconds
std::atomic<std::int64_t> first_signal = 0;              // when it came, in nanoseconds of the monotonic clock

std::int64_t nanoseconds_of(const timespec &time) { return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec; }

std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return nanoseconds_of(time);
}

// Tenths of a second since then.
std::uint64_t tenths_since(const timespec &start) {
  const std::int64_t nanoseconds = now() - nanoseconds_of(start);
  return nanoseconds < 0 ? 0 : static_cast<std::uint64_t>(nanoseconds) / 100'000'000;
}

void report(const LaunchRecord &launch) {
  const Kernel *const kernel = launch.kernel.load(std::memory_order_acquire);
  if (kernel == nullptr) return;
  const std::uint64_t tenths = tenths_since(launch.start), blocks = launch.blocks.load(std::memory_order_relaxed);
  Line line;
  line << "warploom: interrupted in kernel " << (kernel->source_name != nullptr ? kernel->source_name : kernel->name)
       << " <<<" << launch.grid << ", " << launch.block << ">>>, which has run for " << tenths / 10 << "."
       << tenths % 10 << " s";
  if (blocks != 0) {
    // Several may run as one, or one as several.
    line << ": " << ended_blocks(launch) * launch.grid.count() / blocks << " of " << launch.grid.count()
         << " blocks have ended";
  }
  line << "\n";
  line.print();
}

void end_by(int signal) {
  ::signal(signal, SIG_DFL);
  raise(signal);
}

void handle(int signal) {
  const std::int64_t time = now();
  std::int64_t first = 0;
  if (!first_signal.compare_exchange_strong(first, time)) {
    if (time - first > kSameInterruption) end_by(signal);
    return;
  }
  for (const LaunchRecord *launch = launch_records(); launch != nullptr; launch = launch->next) report(*launch);
  if (const unsigned running = host_functions.load(std::memory_order_relaxed); running != 0) {
    Line line;
    line << "warploom: interrupted while host functions that streams called have not ended: " << running << "\n";
    line.print();
  }
  end_by(signal);
}

}  // namespace

void note_host_function_begins() {
  report_when_interrupted();
  host_functions.fetch_add(1, std::memory_order_relaxed);
}
void note_host_function_ends() { host_functions.fetch_sub(1, std::memory_order_relaxed); }

void report_when_interrupted() {
  static const bool done = [] {
    struct sigaction action{};
    if (sigaction(SIGINT, nullptr, &action) != 0 || (action.sa_flags & SA_SIGINFO) != 0) return true;
    if (action.sa_handler != SIG_DFL) return true;
    action.sa_handler = handle;
    action.sa_flags = static_cast<int>(SA_ONSTACK | SA_NODEFER);
    sigaction(SIGINT, &action, nullptr);
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace warploom
