// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pseudo-random schedules: one seed gives one schedule on every machine.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>

namespace warploom {

// splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed = 0) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  // Of [0, count).
  std::uint64_t below(std::uint64_t count) { return next() % count; }

 private:
  std::uint64_t state_;
};

// An order of [0, count): i -> (a i + b) mod count with a coprime to count. Identity by default.
class Permutation {
 public:
  explicit Permutation(std::uint64_t count) : count_(count) {}
  Permutation(std::uint64_t count, Random random) : count_(count), offset_(random.below(count)) {
    factor_ = random.below(count) | 1;
    while (std::gcd(factor_, count) != 1) ++factor_;
  }

  std::uint64_t operator()(std::uint64_t i) const {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(factor_) * i + offset_) % count_);
  }

 private:
  std::uint64_t count_;
  std::uint64_t factor_ = 1;
  std::uint64_t offset_ = 0;
};

std::uint64_t hash_text(const char *text);

// The seed that WARPLOOM_SCHEDULE_SEED names; any non-empty text will do.
std::optional<std::uint64_t> schedule_seed();

}  // namespace warploom
