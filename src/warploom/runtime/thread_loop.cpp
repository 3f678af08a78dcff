// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "thread_loop.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>

#include "block.h"
#include "loom_grid.h"
#include "worker.h"

namespace warploom {
namespace {

using Clock = std::chrono::steady_clock;

// So much work is worth a member: to call it and to wait for it takes one or two.
constexpr float kShare = 4'000;  // ns

// What an iteration of a loop took last, in ns, beside some bits of the loop's address. Loops that meet in one entry
// are measured again and again.
std::array<std::atomic<std::uint64_t>, 256> costs;

std::uint32_t tag_of(ThreadsBody body) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(body) * 0x9e3779b97f4a7c15 >> 32);
}

std::atomic<std::uint64_t> &entry_of(ThreadsBody body) { return costs[tag_of(body) % costs.size()]; }

// 0: not known.
float cost_of(ThreadsBody body) {
  const std::uint64_t entry = entry_of(body).load(std::memory_order_relaxed);
  return entry >> 32 == tag_of(body) ? std::bit_cast<float>(static_cast<std::uint32_t>(entry)) : 0;
}

// All threads read it: written only where it tells something new.
void note_cost(ThreadsBody body, float cost) {
  const float before = cost_of(body);
  if (cost > before * 0.8F && cost < before * 1.25F) return;
  entry_of(body).store(std::uint64_t{tag_of(body)} << 32 | std::bit_cast<std::uint32_t>(cost),
                       std::memory_order_relaxed);
}

void run_timed(const ThreadsCall &call, std::uint32_t first, std::uint32_t last) {
  const auto start = Clock::now();
  call.body(call.frame, call.scratch, first, last);
  const std::chrono::duration<float, std::nano> spent = Clock::now() - start;
  note_cost(call.body, std::max(spent.count() / static_cast<float>(last - first), 1.0F));
}

}  // namespace

void ThreadLoop::run(LoomGrid &grid, Block &block, const ThreadsCall &call, unsigned most) {
  grid_ = &grid;
  block_ = &block;
  call_ = call;
  if (cost_of(call.body) == 0) {
    if (grid.has_long_threads()) return share(most);
    run_timed(call, 0, 1);
    ++call_.first;
  }
  const std::uint32_t left = call_.count - call_.first;
  if (left == 0) return;
  const float worth = cost_of(call.body) * static_cast<float>(left) / kShare;
  const unsigned parts = std::min(most, left);
  share(worth >= static_cast<float>(parts) ? parts : std::max(static_cast<unsigned>(worth), 1U));
}

void ThreadLoop::share(unsigned parts) {
  job_.emplace(parts);
  parts_ = job_->size();
  const auto run = [](void *loop, unsigned part) {
    const auto &shared = *static_cast<ThreadLoop *>(loop);
    shared.grid_->help(*shared.block_, part);
  };
  job_->start({run, this, {&grid_->launch(), call_.frame}});
  run_part(0);
  while (const unsigned part = job_->take_back()) run_part(part);
  job_.reset();
}

void ThreadLoop::run_part(unsigned part) const {
  const std::uint32_t left = call_.count - call_.first, each = left / parts_, more = left % parts_;
  const std::uint32_t first = call_.first + each * part + std::min(part, more);
  const std::uint32_t last = first + each + (part < more ? 1 : 0);
  if (part == 0) return run_timed(call_, first, last);
  call_.body(call_.frame, call_.scratch, first, last);
}

// Those of the launch's blocks that may run at once have a processor each; what is left is for their threads.
unsigned LoomGrid::threads_for_block() const {
  const std::uint64_t blocks = blocks_ - first_;
  if (sharers_ < blocks || !may_spread_ || is_in_order()) return 1;
  return std::max(processor_count() / sharers_, 1U);
}

void LoomGrid::run_threads(ThreadsBody body, void *frame, char *scratch, std::uint32_t count) {
  const unsigned most = std::min(threads_for_block(), count);
  if (most <= 1) return body(frame, scratch, 0, count);
  Block &block = *current_thread->block;
  block.thread_loop().run(*this, block, {body, frame, scratch, 0, count}, most);
  if (failed()) suspend(*current_thread, Stop::kExit);
}

void LoomGrid::help(Block &leader, unsigned part) {
  if (failed()) return;
  WorkerLease worker(*this);
  if (!worker) return;
  worker->block.position() = leader.position();
  worker->block.set_shared_memory(leader.shared_memory());
  worker->block.forget_spinning();
  run_on_fiber(*worker, [&] { leader.thread_loop().run_part(part); });
}

}  // namespace warploom

extern "C" __attribute__((visibility("default"))) void __warploom_share_threads(warploom::ThreadsBody body, void *frame,
                                                                                char *scratch,
                                                                                std::uint32_t count) noexcept {
  auto &grid = static_cast<warploom::LoomGrid &>(warploom::current_thread->block->grid());
  grid.run_threads(body, frame, scratch, count);
}
