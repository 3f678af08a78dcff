// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid_times.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "queue.h"

namespace warploom {
namespace {

// An entry: the kernel and its shape in the upper bits, the most digits, units of time in the lower ones.
constexpr unsigned kTimeBits = 20, kDigitBits = 10;
constexpr std::uint64_t kLongest = (std::uint64_t{1} << kTimeBits) - 1;
constexpr std::uint64_t kMostDigits = (std::uint64_t{1} << kDigitBits) - 1;
constexpr std::uint64_t kKey = ~(kLongest | kMostDigits << kTimeBits);
constexpr std::int64_t kUnit = 64;  // ns
// Numbers that are all as large, or twice as large, tell of no more work.
constexpr std::uint64_t kMoreDigits = 2;
// What has more is no number.
constexpr int kPointerDigits = 40;

constexpr std::size_t kEntries = 2048;
std::array<std::atomic<std::uint64_t>, kEntries> entries;
std::array<std::atomic<std::uint16_t>, kEntries> threads_of_entries;  // perhaps another grid's

std::size_t place_of(std::uint64_t key) { return key >> 53; }
std::atomic<std::uint64_t> &entry_of(std::uint64_t key) { return entries[place_of(key)]; }

std::uint64_t time_in(std::uint64_t entry) { return entry & kLongest; }
std::uint64_t digits_in(std::uint64_t entry) { return entry >> kTimeBits & kMostDigits; }

template <class Number>
std::uint64_t read(const void *address) {
  Number value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

// 0 where an argument of that size is no number. (A copy of unknown size would be a call.)
std::uint64_t number_at(const void *address, std::size_t size) {
  switch (size) {
    case 1:
      return read<std::uint8_t>(address);
    case 2:
      return read<std::uint16_t>(address);
    case 4:
      return read<std::uint32_t>(address);
    case 8:
      return read<std::uint64_t>(address);
    default:
      return 0;
  }
}

std::uint64_t count_digits(const Launch &launch) {
  const Kernel &kernel = *launch.kernel;
  std::uint64_t digits = 0;
  for (std::uint32_t i = 0; i < kernel.parameter_count; ++i) {
    const std::uint64_t value = number_at(launch.arguments[i], kernel.parameters[i].size);
    const int count = value == 0 ? 0 : 64 - __builtin_clzll(value);
    if (count < kPointerDigits) digits += static_cast<std::uint64_t>(count);
  }
  return std::min(digits, kMostDigits);
}

}  // namespace

GridTime::GridTime(const Launch &launch)
    : key_(reinterpret_cast<std::uintptr_t>(launch.kernel)), digits_(count_digits(launch)) {
  for (const std::uint64_t number : {launch.grid.count(), launch.block.count()})
    key_ = (key_ ^ number) * 0x9e3779b97f4a7c15;
  key_ = (key_ & kKey) | (kKey & -kKey);  // no key is that of an empty entry
}

bool GridTime::is_within(std::chrono::nanoseconds limit) const {
  const std::uint64_t entry = entry_of(key_).load(std::memory_order_relaxed);
  return (entry & kKey) == key_ && time_in(entry) * kUnit <= static_cast<std::uint64_t>(limit.count()) &&
         digits_ < digits_in(entry) + kMoreDigits;
}

unsigned GridTime::threads() const {
  return std::max<unsigned>(threads_of_entries[place_of(key_)].load(std::memory_order_relaxed), 1);
}

// One that took long, or many threads, is forgotten slowly: others may have left it few.
void GridTime::learn(std::chrono::nanoseconds elapsed, std::chrono::nanoseconds idle, unsigned threads) const {
  // A short one seems to be no shorter than kShortWork then.
  if (idle > kPause && elapsed > kShortWork)
    elapsed = std::max<std::chrono::nanoseconds>(elapsed - kColdStart, kShortWork);
  auto &known = threads_of_entries[place_of(key_)];
  const unsigned usual = known.load(std::memory_order_relaxed);
  const unsigned now = std::min(std::max(threads, usual - (usual + 7) / 8), 0xffffU);
  if (now != usual) known.store(static_cast<std::uint16_t>(now), std::memory_order_relaxed);
  std::atomic<std::uint64_t> &entry = entry_of(key_);
  const std::uint64_t before = entry.load(std::memory_order_relaxed), time = time_in(before);
  auto taken = std::min(static_cast<std::uint64_t>(elapsed.count() / kUnit), kLongest);
  auto digits = digits_;
  if ((before & kKey) == key_) {
    taken = std::max(taken, time - time / 8);
    // With the time of large numbers the numbers are forgotten: what is short now says nothing of them.
    const std::uint64_t most = digits_in(before);
    digits = std::max(digits, taken < time ? most - (most + 7) / 8 : most);
  }
  entry.store(key_ | digits << kTimeBits | taken, std::memory_order_relaxed);
}

}  // namespace warploom
