// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the caching allocator (allocator.h) counts, and tells of its memory.
#include "allocator.h"

#include <c10/cuda/CUDAException.h>

#include <sstream>

namespace c10::cuda::CUDACachingAllocator {

namespace {

std::string in_units(size_t bytes) {
  std::ostringstream text;
  text.precision(2);
  text << std::fixed;
  if (bytes >= size_t{1} << 30) {
    text << static_cast<double>(bytes) / (1 << 30) << " GiB";
  } else if (bytes >= size_t{1} << 20) {
    text << static_cast<double>(bytes) / (1 << 20) << " MiB";
  } else {
    text << bytes << " bytes";
  }
  return text.str();
}

}  // namespace

template <typename Change>
void Allocator::for_each_stat(DeviceIndex device, Change change) {
  const std::lock_guard lock(mutex_);
  auto &stats = stats_[device];
  for (auto *array : {&stats.allocation, &stats.segment, &stats.active, &stats.allocated_bytes, &stats.reserved_bytes,
                      &stats.active_bytes, &stats.requested_bytes}) {
    for (auto &stat : *array) change(stat);
  }
}

DeviceStats Allocator::getDeviceStats(DeviceIndex device) {
  const std::lock_guard lock(mutex_);
  return stats_[device];
}

void Allocator::resetAccumulatedStats(DeviceIndex device) {
  for_each_stat(device, [](Stat &stat) { stat.reset_accumulated(); });
  const std::lock_guard lock(mutex_);
  auto &stats = stats_[device];
  stats.num_alloc_retries = stats.num_ooms = stats.num_device_alloc = stats.num_device_free = 0;
}

void Allocator::resetPeakStats(DeviceIndex device) {
  for_each_stat(device, [](Stat &stat) { stat.reset_peak(); });
}

void Allocator::report_out_of_memory(size_t bytes, DeviceIndex device) {
  auto &stats = stats_[device];
  ++stats.num_ooms;
  size_t free = 0, total = 0;
  C10_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  const auto allocated = static_cast<size_t>(stats.allocated_bytes[0].current);
  const auto reserved = static_cast<size_t>(stats.reserved_bytes[0].current);
  for (const auto &observer : observers_) observer(device, bytes, total, free);
  TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA out of memory. Tried to allocate ", in_units(bytes), ". GPU ",
                   static_cast<int>(device), " has a total capacity of ", in_units(total), " of which ", in_units(free),
                   " is free. Of the allocated memory ", in_units(allocated), " is allocated by PyTorch, and ",
                   in_units(reserved - allocated), " is reserved by PyTorch but unallocated.");
}

void Allocator::count_given(const Block &block) {
  auto &stats = stats_[block.device];
  increase(stats.allocation, block, 1);
  increase(stats.active, block, 1);
  increase(stats.allocated_bytes, block, block.size);
  increase(stats.active_bytes, block, block.size);
  increase(stats.requested_bytes, block, block.requested);
  c10::reportMemoryUsageToProfiler(
      block.data, static_cast<int64_t>(block.size), static_cast<size_t>(stats.allocated_bytes[0].current),
      static_cast<size_t>(stats.reserved_bytes[0].current), Device(DeviceType::CUDA, block.device));
}

void Allocator::count_freed(const Block &block) {
  auto &stats = stats_[block.device];
  decrease(stats.allocation, block, 1);
  decrease(stats.allocated_bytes, block, block.size);
  decrease(stats.requested_bytes, block, block.requested);
  c10::reportMemoryUsageToProfiler(
      block.data, -static_cast<int64_t>(block.size), static_cast<size_t>(stats.allocated_bytes[0].current),
      static_cast<size_t>(stats.reserved_bytes[0].current), Device(DeviceType::CUDA, block.device));
}

void Allocator::cacheInfo(DeviceIndex device, size_t *largest) {
  const std::lock_guard lock(mutex_);
  for (const auto &[place, blocks] : idle_) {
    if (std::get<DeviceIndex>(place) == device && !blocks.empty())
      *largest = std::max(*largest, blocks.rbegin()->first);
  }
}

void *Allocator::getBaseAllocation(void *data, size_t *size) {
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(data);
  TORCH_CHECK(found != live_.end(), "invalid device pointer: ", data);
  if (size != nullptr) *size = found->second->size;
  return data;
}

SnapshotInfo Allocator::snapshot(MempoolId_t, bool) {
  const std::lock_guard lock(mutex_);
  SnapshotInfo info;
  const auto add = [&](const Block &block, bool is_live) {
    CachingDeviceAllocator::SegmentInfo segment;
    segment.device = block.device;
    segment.address = reinterpret_cast<size_t>(block.data);
    segment.total_size = block.size;
    segment.stream = block.stream;
    segment.is_large = block.size >= kSmall;
    segment.owner_private_pool_id = block.pool;
    segment.allocated_size = segment.active_size = is_live ? block.size : 0;
    segment.requested_size = is_live ? block.requested : 0;
    segment.blocks.push_back({block.size, segment.requested_size, 0, is_live, is_live, nullptr});
    info.segments.push_back(std::move(segment));
  };
  for (const auto &[data, block] : live_) add(*block, true);
  for (const auto &[place, blocks] : idle_) {
    for (const auto &[size, block] : blocks) add(*block, false);
  }
  return info;
}

}  // namespace c10::cuda::CUDACachingAllocator
