// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "progress.h"

#include <pthread.h>

#include <algorithm>

#include "observe.h"

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

// The numbers of loops are those of a series, one for each record.
std::atomic<std::uint64_t> series = 0;
constexpr std::uint64_t kRoundsOfSeries = std::uint64_t{1} << 40;

// Of the calling thread: its record, and the same while it launches.
constinit thread_local LaunchRecord *own __attribute__((tls_model("initial-exec"))) = nullptr;
constinit thread_local LaunchRecord *calling __attribute__((tls_model("initial-exec"))) = nullptr;

// A copy of the process has one thread, and what the others were running runs no more.
void forget_others() {
  for (auto *record = const_cast<LaunchRecord *>(launches.first()); record != nullptr; record = record->next) {
    if (record != calling) record->kernel = nullptr;
  }
}

struct RecordKeeper {
  ~RecordKeeper() { own->is_used = false; }
};

// One whose loops have numbers of their own.
LaunchRecord *fresh_record() {
  LaunchRecord *const record = launches.take();
  record->round = (1 + series.fetch_add(1)) * kRoundsOfSeries;
  return record;
}

__attribute__((noinline)) LaunchRecord &make_own_record() {
  own = fresh_record();
  static thread_local const RecordKeeper keeper;
  static_cast<void>(keeper);
  static const bool handled = pthread_atfork(nullptr, nullptr, forget_others) == 0;
  static_cast<void>(handled);
  return *own;
}

LaunchRecord &own_record() { return own != nullptr ? *own : make_own_record(); }

LaunchRecord &nobodys_record() {
  static thread_local LaunchRecord record;
  return record;
}

}  // namespace

// A thread that waits in one launch may run another one.
LaunchScope::LaunchScope(const Launch &launch) : launch_(launch), outer_(calling) {
  if (launch.depth == 0) record_ = outer_ == nullptr ? &own_record() : fresh_record();
  if (__builtin_expect(profile::is_on, false)) {
    start_ = ticks();
    first_round_ = record_ != nullptr ? record_->round.load(std::memory_order_relaxed) + 1 : 0;
    if (record_ != nullptr) record_->is_alone = true;
  }
  if (__builtin_expect(observe::is_on, false)) observed_since_ = observe::now();
  if (record_ == nullptr) return;
  record_->grid = launch.grid;
  record_->block = launch.block;
  record_->blocks.store(0, std::memory_order_relaxed);
  clock_gettime(CLOCK_MONOTONIC_COARSE, &record_->start);
  record_->kernel.store(launch.kernel, std::memory_order_release);
  calling = record_;
}

LaunchScope::~LaunchScope() {
  if (__builtin_expect(start_ != 0, false))
    profile::add_launch(launch_, start_, first_round_, record_ != nullptr && record_->is_alone);
  if (__builtin_expect(observed_since_ != 0, false)) observe::add_kernel(launch_, observed_since_, observe::now());
  if (record_ == nullptr) return;
  record_->kernel.store(nullptr, std::memory_order_relaxed);
  calling = outer_;
  if (outer_ != nullptr) record_->is_used = false;
}

void PartScope::start() {
  if (calling == &launch_) launch_.is_alone = false;
  start_ = ticks();
}

// Parts of grids that grids have launched are not told apart.
void PartScope::add_to_profile() const {
  const Kernel *const kernel = launch_.kernel.load(std::memory_order_relaxed);
  const std::uint64_t ended = part_.ended.load(std::memory_order_relaxed) - before_;
  if (kernel == nullptr || ended == 0) return;
  profile::add(
      {start_, ticks(), kernel, profile::Kind::kPart, 0, {part_.round.load(std::memory_order_relaxed), ended}});
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
