// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The caching allocator of device memory: what is freed is kept, and given again to the same stream at once, since work
// on a stream goes in order. A block that other streams used (record_stream) waits for them first. Blocks are not
// split: one is given for a request that is at most a quarter smaller.
#include "device.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>

#include <list>
#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace c10 {

C10_DEFINE_REGISTRY(FreeCudaMemoryCallbacksRegistry, FreeMemoryCallback)

namespace cuda::CUDACachingAllocator {

std::atomic<CUDAAllocator *> allocator{};

namespace {

using CachingAllocator::Stat;
using CachingAllocator::StatArray;
using CachingDeviceAllocator::DeviceStats;

constexpr size_t kSmall = size_t{1} << 20;      // bytes: below, a block is of the small pool
constexpr size_t kSmallStep = 512;              // bytes that sizes are rounded to
constexpr size_t kLargeStep = size_t{2} << 20;  // and those of large blocks
constexpr MempoolId_t kGeneralPool{0, 0};

struct Block {
  void *data = nullptr;
  size_t size = 0;
  size_t requested = 0;
  DeviceIndex device = 0;
  cudaStream_t stream = nullptr;
  MempoolId_t pool = kGeneralPool;
  std::set<cudaStream_t> users;        // other streams that it was used on
  std::vector<cudaEvent_t> pending{};  // what these have to reach before it is free
};

using Place = std::tuple<DeviceIndex, cudaStream_t, MempoolId_t>;

struct Route {
  MempoolId_t pool;
  std::function<bool(cudaStream_t)> wants;
};

size_t rounded(size_t bytes) {
  const size_t step = bytes < kSmall ? kSmallStep : kLargeStep;
  return (bytes + step - 1) / step * step;
}

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

void increase(StatArray &stat, const Block &block, size_t amount) {
  stat[0].increase(amount);
  stat[block.size < kSmall ? 1 : 2].increase(amount);
}

void decrease(StatArray &stat, const Block &block, size_t amount) {
  stat[0].decrease(amount);
  stat[block.size < kSmall ? 1 : 2].decrease(amount);
}

class Allocator final : public CUDAAllocator {
 public:
  DataPtr allocate(size_t bytes) override {
    const DeviceIndex device = current_device();
    void *data = raw_alloc(bytes);
    return {data, data, &give_back, Device(DeviceType::CUDA, device)};
  }
  DeleterFnPtr raw_deleter() const override { return &give_back; }
  void copy_data(void *to, const void *from, std::size_t bytes) const override {
    C10_CUDA_CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice));
  }
  void *raw_alloc(size_t bytes) override { return raw_alloc_with_stream(bytes, getCurrentCUDAStream()); }
  void *raw_alloc_with_stream(size_t bytes, cudaStream_t stream) override;
  void raw_delete(void *data) override;
  void recordStream(const DataPtr &data, CUDAStream stream) override;
  void emptyCache(MempoolId_t pool) override {
    const std::lock_guard lock(mutex_);
    drop_idle(pool);
  }

  DeviceStats getDeviceStats(DeviceIndex device) override {
    const std::lock_guard lock(mutex_);
    return stats_[device];
  }
  void resetAccumulatedStats(DeviceIndex device) override {
    for_each_stat(device, [](Stat &stat) { stat.reset_accumulated(); });
    const std::lock_guard lock(mutex_);
    auto &stats = stats_[device];
    stats.num_alloc_retries = stats.num_ooms = stats.num_device_alloc = stats.num_device_free = 0;
  }
  void resetPeakStats(DeviceIndex device) override {
    for_each_stat(device, [](Stat &stat) { stat.reset_peak(); });
  }

  bool initialized() override { return true; }
  void init(int) override {}
  void enable(bool value) override { is_caching_ = value; }
  bool isEnabled() const override { return is_caching_; }
  double getMemoryFraction(DeviceIndex device) override {
    const auto found = fractions_.find(device);
    return found == fractions_.end() ? 1 : found->second;
  }
  void setMemoryFraction(double fraction, DeviceIndex device) override {
    TORCH_CHECK_VALUE(fraction >= 0 && fraction <= 1, "invalid fraction:", fraction, ". Please set within [0, 1].");
    fractions_[device] = fraction;
  }
  std::vector<StreamSegmentSize> getExpandableSegmentSizes(DeviceIndex) override { return {}; }
  void cacheInfo(DeviceIndex device, size_t *largest) override;
  void *getBaseAllocation(void *data, size_t *size) override;
  SnapshotInfo snapshot(MempoolId_t, bool) override;

  void beginAllocateToPool(DeviceIndex, MempoolId_t pool, std::function<bool(cudaStream_t)> wants) override {
    const std::lock_guard lock(mutex_);
    routes_.push_back({pool, std::move(wants)});
    ++pool_uses_[pool];
  }
  void endAllocateToPool(DeviceIndex, MempoolId_t pool) override {
    const std::lock_guard lock(mutex_);
    routes_.remove_if([&](const Route &route) { return route.pool == pool; });
  }
  void createOrIncrefPool(DeviceIndex, MempoolId_t pool, std::shared_ptr<CUDAAllocator> own) override {
    TORCH_CHECK_NOT_IMPLEMENTED(!own, "Warploom: memory pools with an allocator of their own are not supported");
    const std::lock_guard lock(mutex_);
    ++pool_uses_[pool];
  }
  int getPoolUseCount(DeviceIndex, MempoolId_t pool) override { return pool_uses_[pool]; }
  void releasePool(DeviceIndex, MempoolId_t pool) override {
    const std::lock_guard lock(mutex_);
    if (--pool_uses_[pool] > 0) return;
    pool_uses_.erase(pool);
    drop_idle(pool);
  }

  ShareableHandle shareIpcHandle(void *) override { refuse("sharing CUDA tensors between processes"); }
  std::shared_ptr<void> getIpcDevPtr(std::string) override { refuse("sharing CUDA tensors between processes"); }
  bool isHistoryEnabled() override { return false; }
  void recordHistory(bool enabled, CreateContextFn, size_t, RecordContext, bool,
                     const std::vector<std::string> &) override {
    if (enabled) refuse("a history of allocations");
  }
  void attachOutOfMemoryObserver(OutOfMemoryObserver observer) override { observers_.push_back(std::move(observer)); }
  void attachOomRejectionObserver(OomRejectionObserver) override {}
  void attachAllocatorTraceTracker(AllocatorTraceTracker) override { refuse("a trace of allocations"); }
  void enablePeerAccess(DeviceIndex, DeviceIndex) override {}  // all devices are the host's memory
  cudaError_t memcpyAsync(void *to, int, const void *from, int, size_t bytes, cudaStream_t stream, bool) override {
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
  }
  std::shared_ptr<AllocatorState> getCheckpointState(DeviceIndex, MempoolId_t) override {
    refuse("checkpoints of a memory pool");
  }
  CheckpointDelta setCheckpointPoolState(DeviceIndex, std::shared_ptr<AllocatorState>) override {
    refuse("checkpoints of a memory pool");
  }
  std::string name() override { return "warploom"; }

 private:
  [[noreturn]] static void refuse(const char *what) {
    TORCH_CHECK_NOT_IMPLEMENTED(false, "Warploom does not support ", what);
  }
  static void give_back(void *data) { get()->raw_delete(data); }

  template <typename Change>
  void for_each_stat(DeviceIndex device, Change change) {
    const std::lock_guard lock(mutex_);
    auto &stats = stats_[device];
    for (auto *array : {&stats.allocation, &stats.segment, &stats.active, &stats.allocated_bytes, &stats.reserved_bytes,
                        &stats.active_bytes, &stats.requested_bytes}) {
      for (auto &stat : *array) change(stat);
    }
  }

  // All below: the caller holds the lock.
  MempoolId_t pool_for(cudaStream_t stream) const {
    for (const auto &route : routes_) {
      if (route.wants(stream)) return route.pool;
    }
    return kGeneralPool;
  }
  Block *take_idle(const Place &place, size_t size);
  Block *make(size_t size, DeviceIndex device);
  cudaError_t try_make(Block &block);
  [[noreturn]] void report_out_of_memory(size_t bytes, DeviceIndex device);
  void count_given(const Block &block);
  void count_freed(const Block &block);
  void make_idle(Block *block);
  void collect_pending();
  void release(Block *block);
  void drop_idle(const MempoolId_t &pool);

  std::mutex mutex_;
  std::unordered_map<void *, Block *> live_;
  std::map<Place, std::multimap<size_t, Block *>> idle_;
  std::list<Block *> pending_;  // freed, but other streams are not done with them
  std::list<Route> routes_;
  std::map<MempoolId_t, int> pool_uses_;
  std::map<DeviceIndex, DeviceStats> stats_;
  std::map<DeviceIndex, double> fractions_;
  std::vector<OutOfMemoryObserver> observers_;
  std::atomic<bool> is_caching_{true};
};

void *Allocator::raw_alloc_with_stream(size_t bytes, cudaStream_t stream) {
  warploom::torch::refuse_bad_fork();
  if (bytes == 0) return nullptr;
  TORCH_CHECK_WITH(OutOfMemoryError, bytes < (size_t{1} << 50),
                   "CUDA out of memory. Tried to allocate more than 1EB memory.");
  const DeviceIndex device = current_device();
  const std::lock_guard lock(mutex_);
  collect_pending();
  const MempoolId_t pool = pool_for(stream);
  const size_t size = rounded(bytes);
  Block *block = take_idle({device, stream, pool}, size);
  if (block == nullptr) block = make(size, device);
  block->requested = bytes;
  block->stream = stream;
  block->pool = pool;
  live_.emplace(block->data, block);
  count_given(*block);
  return block->data;
}

Block *Allocator::take_idle(const Place &place, size_t size) {
  const auto blocks = idle_.find(place);
  if (blocks == idle_.end()) return nullptr;
  const auto found = blocks->second.lower_bound(size);
  if (found == blocks->second.end() || found->first > size + size / 4) return nullptr;
  Block *block = found->second;
  blocks->second.erase(found);
  return block;
}

Block *Allocator::make(size_t size, DeviceIndex device) {
  auto made = std::make_unique<Block>();
  made->size = size;
  made->device = device;
  if (try_make(*made) != cudaSuccess) {
    ++stats_[device].num_alloc_retries;
    for (const auto &name : FreeCudaMemoryCallbacksRegistry()->Keys()) {
      FreeCudaMemoryCallbacksRegistry()->Create(name)->Execute();
    }
    drop_idle(kGeneralPool);
    if (try_make(*made) != cudaSuccess) report_out_of_memory(size, device);
  }
  ++stats_[device].num_device_alloc;
  increase(stats_[device].segment, *made, 1);
  increase(stats_[device].reserved_bytes, *made, size);
  return made.release();
}

cudaError_t Allocator::try_make(Block &block) {
  const double fraction = getMemoryFraction(block.device);
  if (fraction < 1) {
    size_t free = 0, total = 0;
    C10_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    const auto held = static_cast<size_t>(stats_[block.device].reserved_bytes[0].current);
    if (static_cast<double>(held + block.size) > fraction * static_cast<double>(total)) {
      return cudaErrorMemoryAllocation;
    }
  }
  const CUDAStreamCaptureModeGuard allowed(cudaStreamCaptureModeRelaxed);  // an allocation is no part of a graph
  const cudaError_t error = cudaMalloc(&block.data, block.size);
  if (error != cudaSuccess) (void)cudaGetLastError();
  if (error != cudaErrorMemoryAllocation) C10_CUDA_CHECK(error);
  return error;
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

void Allocator::raw_delete(void *data) {
  if (data == nullptr || warploom::torch::in_bad_fork()) return;
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(data);
  TORCH_CHECK(found != live_.end(), "invalid device pointer: ", data);
  Block *block = found->second;
  live_.erase(found);
  count_freed(*block);
  for (const cudaStream_t user : block->users) {
    cudaEvent_t event = nullptr;
    C10_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    C10_CUDA_CHECK(cudaEventRecord(event, user));
    block->pending.push_back(event);
  }
  block->users.clear();
  if (block->pending.empty()) {
    make_idle(block);
  } else {
    pending_.push_back(block);
  }
}

void Allocator::make_idle(Block *block) {
  decrease(stats_[block->device].active, *block, 1);
  decrease(stats_[block->device].active_bytes, *block, block->size);
  const bool pool_is_gone = block->pool != kGeneralPool && pool_uses_.count(block->pool) == 0;
  if (is_caching_ && !pool_is_gone) {
    idle_[{block->device, block->stream, block->pool}].emplace(block->size, block);
  } else {
    release(block);
  }
}

void Allocator::collect_pending() {
  for (auto each = pending_.begin(); each != pending_.end();) {
    auto &events = (*each)->pending;
    while (!events.empty() && cudaEventQuery(events.back()) == cudaSuccess) {
      C10_CUDA_CHECK_WARN(cudaEventDestroy(events.back()));
      events.pop_back();
    }
    (void)cudaGetLastError();
    if (events.empty()) make_idle(*each);
    each = events.empty() ? pending_.erase(each) : std::next(each);
  }
}

// cudaFree waits for the device, so that no kernel still uses the memory.
void Allocator::release(Block *block) {
  const CUDAStreamCaptureModeGuard allowed(cudaStreamCaptureModeRelaxed);
  C10_CUDA_CHECK_WARN(cudaFree(block->data));
  ++stats_[block->device].num_device_free;
  decrease(stats_[block->device].segment, *block, 1);
  decrease(stats_[block->device].reserved_bytes, *block, block->size);
  delete block;
}

void Allocator::drop_idle(const MempoolId_t &pool) {
  collect_pending();
  for (auto each = idle_.begin(); each != idle_.end();) {
    if (std::get<MempoolId_t>(each->first) != pool) {
      ++each;
      continue;
    }
    for (const auto &[size, block] : each->second) release(block);
    each = idle_.erase(each);
  }
}

void Allocator::recordStream(const DataPtr &data, CUDAStream stream) {
  if (data.get() == nullptr) return;
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(data.get());
  if (found == live_.end() || found->second->stream == stream.stream()) return;
  found->second->users.insert(stream.stream());
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

// Never destroyed: tensors may outlive it at the end of the process.
const bool is_registered = [] {
  auto *made = new Allocator;
  allocator.store(made);
  c10::SetAllocator(DeviceType::CUDA, made, 0);
  return true;
}();

}  // namespace
}  // namespace cuda::CUDACachingAllocator
}  // namespace c10
