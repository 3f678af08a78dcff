// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device ABI on the reference engine: warp collectives.
#include <cstdint>

#include "../include/warploom/device_abi.h"
#include "block.h"

using warploom::current_thread;
using warploom::Operation;
using warploom::Stop;
using warploom::Thread;
using warploom::Wait;

namespace {

constexpr std::uintptr_t kFirstPage = 4096;

const Wait &collective(const Wait &wait) {
  Thread &thread = *current_thread;
  thread.wait = wait;
  suspend(thread, Stop::kWait);
  return thread.wait;
}

unsigned long long shuffle(Operation operation, unsigned mask, unsigned long long value, unsigned operand, int width,
                           const char *file, int line) {
  return collective({.operation = operation,
                     .mask = mask,
                     .value = value,
                     .operand = operand,
                     .width = static_cast<unsigned>(width),
                     .file = file,
                     .line = line})
      .result;
}

unsigned combine(Operation operation, unsigned mask, unsigned long long value, const char *file, int line) {
  const Wait wait{.operation = operation, .mask = mask, .value = value, .file = file, .line = line};
  return static_cast<unsigned>(collective(wait).result);
}

}  // namespace

void __warploom_syncwarp(unsigned mask, const char *file, int line) noexcept {
  combine(Operation::kSyncWarp, mask, 0, file, line);
}

// Never inlined: its return address tells where the device code calls it.
__attribute__((noinline)) unsigned __warploom_activemask(const char *file, int line) noexcept {
  const Wait wait{.operation = Operation::kActiveMask, .file = file, .line = line, .site = __builtin_return_address(0)};
  return static_cast<unsigned>(collective(wait).result);
}

// Never inlined, as above.
__attribute__((noinline)) void __warploom_lock_step(const volatile void *address) noexcept {
  const Thread &thread = *current_thread;
  if (thread.runs_blocks) return;
  const auto rank = reinterpret_cast<std::uintptr_t>(address);
  const bool is_place = rank < kFirstPage;
  if (!is_place && !thread.block->is_shared_memory(address)) return;
  collective({.operation = Operation::kActiveMask,
              .operand = is_place ? static_cast<unsigned>(rank) : 0,
              .site = __builtin_return_address(0)});
}

unsigned long long __warploom_shfl_idx(unsigned mask, unsigned long long value, int lane, int width, const char *file,
                                       int line) noexcept {
  return shuffle(Operation::kShflIdx, mask, value, static_cast<unsigned>(lane), width, file, line);
}
unsigned long long __warploom_shfl_up(unsigned mask, unsigned long long value, unsigned delta, int width,
                                      const char *file, int line) noexcept {
  return shuffle(Operation::kShflUp, mask, value, delta, width, file, line);
}
unsigned long long __warploom_shfl_down(unsigned mask, unsigned long long value, unsigned delta, int width,
                                        const char *file, int line) noexcept {
  return shuffle(Operation::kShflDown, mask, value, delta, width, file, line);
}
unsigned long long __warploom_shfl_xor(unsigned mask, unsigned long long value, int lane_mask, int width,
                                       const char *file, int line) noexcept {
  return shuffle(Operation::kShflXor, mask, value, static_cast<unsigned>(lane_mask), width, file, line);
}

unsigned __warploom_ballot(unsigned mask, int predicate, const char *file, int line) noexcept {
  return combine(Operation::kBallot, mask, predicate != 0, file, line);
}
int __warploom_any(unsigned mask, int predicate, const char *file, int line) noexcept {
  return static_cast<int>(combine(Operation::kAny, mask, predicate != 0, file, line));
}
int __warploom_all(unsigned mask, int predicate, const char *file, int line) noexcept {
  return static_cast<int>(combine(Operation::kAll, mask, predicate != 0, file, line));
}

unsigned __warploom_match_any(unsigned mask, unsigned long long value, const char *file, int line) noexcept {
  return combine(Operation::kMatchAny, mask, value, file, line);
}
unsigned __warploom_match_all(unsigned mask, unsigned long long value, int *predicate, const char *file,
                              int line) noexcept {
  const Wait wait{.operation = Operation::kMatchAll, .mask = mask, .value = value, .file = file, .line = line};
  const Wait &done = collective(wait);
  if (predicate != nullptr) *predicate = done.predicate;
  return static_cast<unsigned>(done.result);
}

unsigned __warploom_reduce_add(unsigned mask, unsigned value, const char *file, int line) noexcept {
  return combine(Operation::kReduceAdd, mask, value, file, line);
}
unsigned __warploom_reduce_min_u(unsigned mask, unsigned value, const char *file, int line) noexcept {
  return combine(Operation::kReduceMinUnsigned, mask, value, file, line);
}
unsigned __warploom_reduce_max_u(unsigned mask, unsigned value, const char *file, int line) noexcept {
  return combine(Operation::kReduceMaxUnsigned, mask, value, file, line);
}
int __warploom_reduce_min_s(unsigned mask, int value, const char *file, int line) noexcept {
  return static_cast<int>(combine(Operation::kReduceMinSigned, mask, static_cast<unsigned>(value), file, line));
}
int __warploom_reduce_max_s(unsigned mask, int value, const char *file, int line) noexcept {
  return static_cast<int>(combine(Operation::kReduceMaxSigned, mask, static_cast<unsigned>(value), file, line));
}
unsigned __warploom_reduce_and(unsigned mask, unsigned value, const char *file, int line) noexcept {
  return combine(Operation::kReduceAnd, mask, value, file, line);
}
unsigned __warploom_reduce_or(unsigned mask, unsigned value, const char *file, int line) noexcept {
  return combine(Operation::kReduceOr, mask, value, file, line);
}
unsigned __warploom_reduce_xor(unsigned mask, unsigned value, const char *file, int line) noexcept {
  return combine(Operation::kReduceXor, mask, value, file, line);
}
