// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cupti_records.h"

#include <atomic>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "../fork_lock.h"

namespace warploom::cupti {
namespace {

constexpr std::size_t kManyBytes = 1 << 20;

struct State {
  Forkable<std::mutex> mutex;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  std::vector<std::uint8_t> records;
  std::size_t dropped = 0;
};

// Never destroyed: kernels may end when the process does.
State &state() {
  static auto *const instance = new State;
  return *instance;
}

std::atomic<std::uint64_t> kinds{0};  // that are wanted, a bit each

std::uint64_t bit_of(CUpti_ActivityKind kind) { return std::uint64_t{1} << kind; }

}  // namespace

std::size_t size_of(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_DRIVER:
    case CUPTI_ACTIVITY_KIND_RUNTIME:
      return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return sizeof(CUpti_ActivityDevice5);
    case CUPTI_ACTIVITY_KIND_CONTEXT:
      return sizeof(CUpti_ActivityContext3);
    case CUPTI_ACTIVITY_KIND_MARKER:
      return sizeof(CUpti_ActivityMarker2);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return sizeof(CUpti_ActivityExternalCorrelation);
    default:
      return 0;
  }
}

bool want(CUpti_ActivityKind kind) { return (kinds.fetch_or(bit_of(kind)) & bit_of(kind)) == 0; }
void want_no_more(CUpti_ActivityKind kind) { kinds.fetch_and(~bit_of(kind)); }
void want_nothing() { kinds = 0; }
bool is_wanted(CUpti_ActivityKind kind) { return (kinds.load(std::memory_order_relaxed) & bit_of(kind)) != 0; }
bool records_anything() { return kinds != 0; }

void append(const void *record, std::size_t bytes) {
  State &all = state();
  const std::lock_guard lock(all.mutex);
  const auto *const first = static_cast<const std::uint8_t *>(record);
  all.records.insert(all.records.end(), first, first + bytes);
}

void set_buffers(CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete) {
  State &all = state();
  const std::lock_guard lock(all.mutex);
  all.request = request;
  all.complete = complete;
}

void deliver() {
  State &all = state();
  std::vector<std::uint8_t> records;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  {
    const std::lock_guard lock(all.mutex);
    records.swap(all.records);
    request = all.request;
    complete = all.complete;
  }
  for (std::size_t at = 0; at < records.size();) {
    std::uint8_t *buffer = nullptr;
    std::size_t size = 0, most = 0, used = 0, count = 0;
    if (request != nullptr) request(&buffer, &size, &most);
    while (buffer != nullptr && at < records.size() && (most == 0 || count < most)) {
      const std::size_t bytes = size_of(reinterpret_cast<const CUpti_Activity *>(&records[at])->kind);
      if (bytes > size - used) break;
      std::memcpy(buffer + used, &records[at], bytes);
      used += bytes;
      at += bytes;
      ++count;
    }
    if (buffer != nullptr && complete != nullptr) complete(nullptr, 0, buffer, size, used);
    if (count != 0) continue;
    const std::lock_guard lock(all.mutex);  // no buffer, or one that is too small
    for (; at < records.size(); ++all.dropped) at += size_of(reinterpret_cast<CUpti_Activity *>(&records[at])->kind);
  }
}

void deliver_many() {
  bool are_many = false;
  {
    const std::lock_guard lock(state().mutex);
    are_many = state().records.size() > kManyBytes;
  }
  if (are_many) deliver();
}

std::size_t take_dropped() {
  const std::lock_guard lock(state().mutex);
  return std::exchange(state().dropped, 0);
}

}  // namespace warploom::cupti
