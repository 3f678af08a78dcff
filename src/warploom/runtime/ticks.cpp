// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ticks.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace warploom {
namespace {

using Clock = std::chrono::steady_clock;

// The rate is right to a thousandth after that.
constexpr std::chrono::microseconds kMeasured{40};

bool has_counter() {
#if defined(__x86_64__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) != 0 && (edx >> 8 & 1) != 0;
#elif defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

bool counts() {
  static const bool result = has_counter();
  return result;
}

std::chrono::nanoseconds by_clock() { return Clock::now().time_since_epoch(); }

double measured_rate() {
  const auto start = by_clock();
  const std::uint64_t before = ticks();
  auto now = start;
  while (now < start + kMeasured) now = by_clock();
  return static_cast<double>((now - start).count()) / static_cast<double>(ticks() - before);
}

}  // namespace

std::uint64_t ticks() {
#if defined(__x86_64__)
  if (counts()) return __rdtsc();
#elif defined(__aarch64__)
  if (counts()) {
    std::uint64_t value = 0;
    asm volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
  }
#endif
  return static_cast<std::uint64_t>(by_clock().count());
}

double nanoseconds_per_tick() {
  static const double result = counts() ? measured_rate() : 1;
  return result;
}

}  // namespace warploom
