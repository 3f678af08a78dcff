// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pseudo-random schedules: one seed gives one schedule on every machine.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

namespace warploom {

// splitmix64. The opposite of a sequence chooses from the other end: where one takes the first of `count`, it takes the
// last.
class Random {
 public:
  explicit Random(std::uint64_t seed = 0, bool opposite = false) : state_(seed), opposite_(opposite) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  // Of [0, count).
  std::uint64_t below(std::uint64_t count) {
    const std::uint64_t chosen = next() % count;
    return opposite_ ? count - 1 - chosen : chosen;
  }

 private:
  std::uint64_t state_;
  bool opposite_;
};

// The order in which the blocks of a grid start: by index, or shuffled under a seed. Shuffled only within windows of 64
// consecutive blocks, since a block may wait for an earlier one (decoupled look-back): with 64 blocks running at once,
// the earliest that has not ended always runs. The opposite order starts each window from its other end: of any two
// blocks of a window the two orders start each one first once.
class BlockOrder {
 public:
  static constexpr std::uint64_t kWindow = 64;

  BlockOrder(std::uint64_t count, std::optional<std::uint64_t> seed, bool opposite = false)
      : count_(count), seed_(seed), opposite_(opposite) {}

  std::uint64_t operator()(std::uint64_t ticket) const {
    if (!seed_) return ticket;
    const std::uint64_t first = ticket / kWindow * kWindow;
    const std::uint64_t size = std::min(kWindow, count_ - first);
    std::array<std::uint8_t, kWindow> order;
    std::iota(order.begin(), order.end(), std::uint8_t{0});
    Random random(*seed_ + first);
    for (std::uint64_t i = size; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    const std::uint64_t place = ticket - first;
    return first + order[opposite_ ? size - 1 - place : place];
  }

 private:
  std::uint64_t count_;
  std::optional<std::uint64_t> seed_;
  bool opposite_;
};

std::uint64_t hash_text(const char *text);

// The seed that WARPLOOM_SCHEDULE_SEED names when it is first asked for; any non-empty text will do.
std::optional<std::uint64_t> schedule_seed();
// Another one, or (null) none, for launches that begin from now on; none may be running.
void set_schedule_seed(const char *text, bool opposite = false);
bool schedule_is_opposite();

}  // namespace warploom
