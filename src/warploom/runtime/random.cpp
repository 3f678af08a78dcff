// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random.h"

#include <cstdlib>

namespace warploom {

std::uint64_t hash_text(const char *text) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (; *text != '\0'; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3;
  return hash;
}

namespace {

std::optional<std::uint64_t> seed_of(const char *text) {
  if (text == nullptr || *text == '\0') return std::nullopt;
  return hash_text(text);
}

std::optional<std::uint64_t> &present_seed() {
  static std::optional<std::uint64_t> seed = seed_of(std::getenv("WARPLOOM_SCHEDULE_SEED"));
  return seed;
}

bool is_opposite = false;

}  // namespace

std::optional<std::uint64_t> schedule_seed() { return present_seed(); }
void set_schedule_seed(const char *text, bool opposite) {
  present_seed() = seed_of(text);
  is_opposite = opposite;
}
bool schedule_is_opposite() { return is_opposite; }

}  // namespace warploom
