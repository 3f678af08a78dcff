// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <atomic>

#include "../engine.h"
#include "../team.h"
#include "engine.h"

namespace warploom::curand {

// Fewer numbers than this are made faster than another thread is woken.
constexpr std::size_t kWorthwhile = 16384;

void in_pieces(std::size_t count, std::size_t work, const std::function<void(std::size_t, std::size_t)> &body) {
  const unsigned processors = processor_count();
  if (work < kWorthwhile || processors == 1) return body(0, count);
  const std::size_t size = std::max<std::size_t>(1, count / (4 * std::size_t{processors}));
  std::atomic<std::size_t> next{0};
  run_with_team(processors, [&](unsigned) {
    for (std::size_t first; (first = next.fetch_add(size)) < count;) body(first, std::min(first + size, count));
  });
}

}  // namespace warploom::curand
