// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The caching allocator of device memory: what is freed is kept, and given again to the same stream at once, since work
// on a stream goes in order. A block that other streams used (record_stream) waits for them first. Blocks are not
// split: one is given for a request that is at most a quarter smaller.
#pragma once

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>

#include <list>
#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace c10::cuda::CUDACachingAllocator {

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

inline void increase(StatArray &stat, const Block &block, size_t amount) {
  stat[0].increase(amount);
  stat[block.size < kSmall ? 1 : 2].increase(amount);
}

inline void decrease(StatArray &stat, const Block &block, size_t amount) {
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

  DeviceStats getDeviceStats(DeviceIndex device) override;
  void resetAccumulatedStats(DeviceIndex device) override;
  void resetPeakStats(DeviceIndex device) override;

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
  void for_each_stat(DeviceIndex device, Change change);

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

}  // namespace c10::cuda::CUDACachingAllocator
