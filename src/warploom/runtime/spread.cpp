// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spread.h"

#include <algorithm>
#include <cstdint>

#include "engine.h"
#include "launch_history.h"
#include "team.h"
#include "ticks.h"

namespace warploom {
namespace {

// Ranges begin at multiples of this: no two OS threads write to one cache line, or one small page.
constexpr std::size_t kPage = 4096;
// One OS thread takes 1 to 3 us for so much.
constexpr std::size_t kLeast = 8 * kPage;
constexpr std::size_t kSurelyLarge = std::size_t{1} << 20;

// 0: there was no loop yet.
constinit thread_local unsigned threads_of_loop __attribute__((tls_model("initial-exec"))) = 0;

}  // namespace

void note_loop(unsigned threads) { threads_of_loop = threads; }

unsigned spread_threads(std::size_t bytes) { return bytes >= kSurelyLarge ? std::max(1U, processor_count()) : 1; }

void spread(const void *kind, std::size_t bytes, const std::function<void(std::size_t, std::size_t)> &body) {
  if (bytes < kLeast || !may_spread()) return body(0, bytes);
  const std::size_t pages = (bytes + kPage - 1) / kPage;
  const auto most = static_cast<unsigned>(std::min<std::size_t>(processor_count(), pages));
  if (most == 1) return body(0, bytes);
  LoopHistory history(kind, pages, 1);
  const Stopwatch watch;
  const unsigned chosen = history.choose(most, bytes >= kSurelyLarge ? most : 1, watch.start()).threads;
  const bool follows = bytes < kSurelyLarge && threads_of_loop != 0;
  Job job(follows ? std::min(chosen, threads_of_loop) : chosen);
  const std::size_t each = pages / job.size(), more = pages % job.size();
  const auto part = [&](unsigned number) {
    const std::size_t first = each * number + std::min<std::size_t>(number, more);
    body(first * kPage, std::min(bytes, (first + each + (number < more ? 1 : 0)) * kPage));
  };
  const std::function<void(unsigned)> work = part;
  job.start(work_of(work));
  part(0);
  while (const unsigned left = job.take_back()) part(left);
  job.wait();
  if (job.size() == chosen) history.learn(most, watch.elapsed(), job.has_woken());
}

}  // namespace warploom
