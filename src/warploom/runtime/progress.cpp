// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "progress.h"

#include <pthread.h>

#include <algorithm>

namespace warploom {
namespace {

// Records, used or not. Adding one and reading all needs no lock.
template <class Record>
class Records {
 public:
  const Record *first() const { return first_.load(std::memory_order_acquire); }

  Record *take() {
    for (Record *record = first_.load(std::memory_order_acquire); record != nullptr; record = record->next) {
      if (!record->is_used.load(std::memory_order_relaxed) && !record->is_used.exchange(true)) return record;
    }
    auto *const made = new Record;
    made->is_used = true;
    made->next = first_.load(std::memory_order_relaxed);
    while (!first_.compare_exchange_weak(made->next, made, std::memory_order_release)) {
    }
    return made;
  }

 private:
  std::atomic<Record *> first_{nullptr};
};

constinit Records<LaunchRecord> launches;
constinit Records<PartRecord> parts;

// Numbers of loops that differ from thread to thread.
std::atomic<std::uint64_t> threads_seen = 0;
constexpr std::uint64_t kRoundsOfThread = std::uint64_t{1} << 40;

struct OwnRecord {
  LaunchRecord *record = launches.take();
  OwnRecord() { record->round = (1 + threads_seen.fetch_add(1)) * kRoundsOfThread; }
  ~OwnRecord() { record->is_used = false; }
};

LaunchRecord &own_record() {
  static thread_local const OwnRecord own;
  return *own.record;
}

thread_local LaunchRecord *calling = nullptr;

// A copy of the process has one thread, and what the others were running runs no more.
void forget_others() {
  for (auto *record = const_cast<LaunchRecord *>(launches.first()); record != nullptr; record = record->next) {
    if (record != calling) record->kernel = nullptr;
  }
}

LaunchRecord &nobodys_record() {
  static thread_local LaunchRecord record;
  return record;
}

}  // namespace

LaunchScope::LaunchScope(const Launch &launch) : launch_(launch), record_(launch.depth == 0 ? &own_record() : nullptr) {
  if (__builtin_expect(profile::is_on, false)) {
    start_ = profile::ticks();
    first_round_ = record_ != nullptr ? record_->round.load(std::memory_order_relaxed) + 1 : 0;
  }
  if (record_ == nullptr) return;
  static const bool handled = pthread_atfork(nullptr, nullptr, forget_others) == 0;
  static_cast<void>(handled);
  record_->grid = launch.grid;
  record_->block = launch.block;
  record_->blocks.store(0, std::memory_order_relaxed);
  clock_gettime(CLOCK_MONOTONIC_COARSE, &record_->start);
  record_->kernel.store(launch.kernel, std::memory_order_release);
  calling = record_;
}

LaunchScope::~LaunchScope() {
  if (__builtin_expect(start_ != 0, false)) profile::add_launch(launch_, start_, first_round_);
  if (record_ == nullptr) return;
  record_->kernel.store(nullptr, std::memory_order_relaxed);
  calling = nullptr;
}

// Parts of grids that grids have launched are not told apart.
void PartScope::add_to_profile() const {
  const Kernel *const kernel = launch_.kernel.load(std::memory_order_relaxed);
  const std::uint64_t ended = part_.ended.load(std::memory_order_relaxed) - before_;
  if (kernel == nullptr || ended == 0) return;
  profile::add({start_,
                profile::ticks(),
                kernel,
                profile::Kind::kPart,
                0,
                {part_.round.load(std::memory_order_relaxed), ended}});
}

LaunchRecord &calling_launch_record() { return calling != nullptr ? *calling : nobodys_record(); }

PartRecord *new_part_record(const Extent *position) {
  PartRecord *const record = parts.take();
  record->position = position;
  return record;
}

void drop(PartRecord *record) {
  record->round = 0;
  record->position = nullptr;
  record->is_used = false;
}

std::uint64_t ended_blocks(const LaunchRecord &launch) {
  const std::uint64_t round = launch.round.load(std::memory_order_acquire);
  std::uint64_t ended = launch.ended.load(std::memory_order_relaxed);
  for (const PartRecord *part = parts.first(); part != nullptr; part = part->next) {
    if (part->round.load(std::memory_order_acquire) != round) continue;
    ended += part->ended.load(std::memory_order_relaxed);
    const std::uint64_t first = part->first.load(std::memory_order_relaxed), last = part->last.load();
    const Extent *const at = part->position;
    if (first == last || at == nullptr) continue;
    const std::uint64_t running = at->x + launch.shape.x * (at->y + std::uint64_t{launch.shape.y} * at->z);
    if (running >= first && running < last) ended += running - first;
  }
  return std::min(ended, launch.blocks.load(std::memory_order_relaxed));
}

const LaunchRecord *launch_records() { return launches.first(); }

}  // namespace warploom
