// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random.h"

#include <cstdlib>

namespace warploom {

std::uint64_t hash_text(const char *text) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (; *text != '\0'; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3;
  return hash;
}

std::optional<std::uint64_t> schedule_seed() {
  const char *const text = std::getenv("WARPLOOM_SCHEDULE_SEED");
  if (text == nullptr || *text == '\0') return std::nullopt;
  return hash_text(text);
}

}  // namespace warploom
