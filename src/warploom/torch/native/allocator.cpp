// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the caching allocator (allocator.h) takes blocks from, and where they go.
#include "allocator.h"

#include "device.h"

#include <c10/cuda/CUDAException.h>

#include <atomic>

namespace warploom::torch {
namespace {

std::atomic<int (*)()> count_threads{[] { return 1; }};

}  // namespace

void count_threads_by(int (*count)()) { count_threads = count; }

}  // namespace warploom::torch

namespace c10 {

C10_DEFINE_REGISTRY(FreeCudaMemoryCallbacksRegistry, FreeMemoryCallback)

namespace cuda::CUDACachingAllocator {

std::atomic<CUDAAllocator *> allocator{};

namespace {

// Of a block, so many bytes stay in a core's own cache beside what else its thread uses.
constexpr size_t kCached = size_t{1} << 19;

// One of the idle blocks of a size, which are in the order in which they were freed. A cache may hold the last one. But
// of a large block the caches of all threads may: operators of several threads have often just read it, and the next
// one would have to take each line from the others before it writes it. Then it gets the one that was freed before, and
// where caches do not hold a thread's part of that, the first one.
template <class Blocks>
auto choose(Blocks first, Blocks last, size_t size) {
  const auto threads = static_cast<size_t>(warploom::torch::count_threads.load()());
  if (size < kSmall || threads == 1 || first == last) return last;
  return size / threads > kCached ? first : std::prev(last);
}

size_t rounded(size_t bytes) {
  const size_t step = bytes < kSmall ? kSmallStep : kLargeStep;
  return (bytes + step - 1) / step * step;
}

}  // namespace

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
  const auto fits = blocks->second.lower_bound(size);
  if (fits == blocks->second.end() || fits->first > size + size / 4) return nullptr;
  const auto found = choose(fits, std::prev(blocks->second.upper_bound(fits->first)), size);
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

namespace {

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
