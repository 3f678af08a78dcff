// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory nodes of graphs: launching one only changes what is counted as used.
#include "graph_memory.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "allocation.h"
#include "device.h"
#include "error.h"
#include "graph.h"

namespace warploom {
namespace {

struct GraphMemoryTable {
  std::mutex mutex;
  std::map<const void *, std::weak_ptr<GraphMemory>> live;
  std::uint64_t used = 0, used_high = 0, reserved = 0, reserved_high = 0;
};

GraphMemoryTable &table() {
  static auto *const result = new GraphMemoryTable;  // never destroyed: programs end with graphs of their own alive
  return *result;
}

}  // namespace

class GraphMemory {
 public:
  GraphMemory(void *base, std::size_t size) : base_(base), size_(size) {
    GraphMemoryTable &all = table();
    const std::lock_guard lock(all.mutex);
    all.reserved += size;
    all.reserved_high = std::max(all.reserved_high, all.reserved);
  }
  GraphMemory(const GraphMemory &) = delete;
  GraphMemory &operator=(const GraphMemory &) = delete;
  ~GraphMemory() {
    use(false);
    {
      GraphMemoryTable &all = table();
      const std::lock_guard lock(all.mutex);
      all.live.erase(base_);
      all.reserved -= size_;
    }
    release(base_, MemoryKind::kDevice, MemoryKind::kDevice);
  }

  void *base() const { return base_; }
  std::size_t size() const { return size_; }

  cudaError_t use(bool in_use) {
    GraphMemoryTable &all = table();
    const std::lock_guard lock(all.mutex);
    if (in_use != in_use_) all.used += in_use ? size_ : -size_;
    all.used_high = std::max(all.used_high, all.used);
    in_use_ = in_use;
    return cudaSuccess;
  }

  std::atomic<bool> is_left{false};  // by a launch that has been submitted, and not freed by a call since

 private:
  void *base_;
  std::size_t size_;
  bool in_use_ = false;
};

namespace {

std::shared_ptr<GraphMemory> find_graph_memory(const void *memory) {
  GraphMemoryTable &all = table();
  const std::lock_guard lock(all.mutex);
  const auto found = all.live.find(memory);
  return found == all.live.end() ? nullptr : found->second.lock();
}

std::uint64_t *counter(cudaGraphMemAttributeType attribute) {
  switch (attribute) {
    case cudaGraphMemAttrUsedMemCurrent:
      return &table().used;
    case cudaGraphMemAttrUsedMemHigh:
      return &table().used_high;
    case cudaGraphMemAttrReservedMemCurrent:
      return &table().reserved;
    case cudaGraphMemAttrReservedMemHigh:
      return &table().reserved_high;
  }
  return nullptr;
}

// Does `node` run before all that depends on `tail`?
bool precedes(const CUgraphNode_st *node, const std::vector<CUgraphNode_st *> &tail) {
  std::set<const CUgraphNode_st *> seen;
  std::vector<const CUgraphNode_st *> work(tail.begin(), tail.end());
  while (!work.empty()) {
    const CUgraphNode_st *const next = work.back();
    work.pop_back();
    if (next == node) return true;
    if (seen.insert(next).second) work.insert(work.end(), next->dependencies.begin(), next->dependencies.end());
  }
  return false;
}

// Memory of this size that the graph has freed by then.
std::shared_ptr<GraphMemory> take_freed(const CUstream_st &stream, std::size_t size) {
  auto &freed = stream.capture->graph->freed;
  const auto found = std::find_if(freed.begin(), freed.end(), [&](const auto &entry) {
    return entry.second->size() == size && precedes(entry.first, stream.capture_tail);
  });
  if (found == freed.end()) return nullptr;
  const std::shared_ptr<GraphMemory> memory = found->second;
  freed.erase(found);
  return memory;
}

}  // namespace

cudaError_t submit_allocation(CUstream_st *stream, void **memory, std::size_t size) {
  if (!memory || size == 0) return cudaErrorInvalidValue;
  if (const auto again = take_freed(*stream, size)) {
    *memory = again->base();
    return submit(stream, cudaGraphNodeTypeMemAlloc, [again] { return again->use(true); });
  }
  void *base = allocate(size, MemoryKind::kDevice);
  if (!base) return cudaErrorMemoryAllocation;
  auto made = std::make_shared<GraphMemory>(base, size);
  {
    GraphMemoryTable &all = table();
    const std::lock_guard lock(all.mutex);
    all.live[base] = made;
  }
  stream->capture->graph->allocated.push_back(made);
  *memory = base;
  return submit(stream, cudaGraphNodeTypeMemAlloc, [made] { return made->use(true); });
}

cudaError_t submit_free(CUstream_st *stream, void *memory) {
  const std::shared_ptr<GraphMemory> found = find_graph_memory(memory);
  if (!found) return cudaErrorInvalidValue;
  const cudaError_t error = submit(stream, cudaGraphNodeTypeMemFree, [found] { return found->use(false); });
  CUgraph_st &graph = *stream->capture->graph;
  const bool own = std::find(graph.allocated.begin(), graph.allocated.end(), found) != graph.allocated.end();
  if (error != cudaSuccess) return error;
  if (own) {
    graph.freed.emplace_back(stream->capture_tail.front(), found);
  } else {
    graph.freed_of_others.push_back(found);
  }
  return cudaSuccess;
}

void expect_release(const void *memory) {
  if (const std::shared_ptr<GraphMemory> found = find_graph_memory(memory)) found->is_left = false;
}

void note_memory(CUgraphExec_st *exec, const CUgraph_st &graph) {
  exec->freed = graph.freed_of_others;
  std::ranges::copy_if(graph.allocated, std::back_inserter(exec->kept), [&](const auto &memory) {
    return std::ranges::none_of(graph.freed, [&](const auto &entry) { return entry.second == memory; });
  });
}

cudaError_t keep_memory(const CUgraphExec_st &exec) {
  const bool may_stay = exec.flags & cudaGraphInstantiateFlagAutoFreeOnLaunch;
  const auto is_left = [](const auto &memory) { return memory->is_left.load(); };
  if (!may_stay && std::ranges::any_of(exec.kept, is_left)) return cudaErrorInvalidValue;
  for (const auto &memory : exec.kept) memory->is_left = true;
  for (const auto &memory : exec.freed) memory->is_left = false;
  return cudaSuccess;
}

bool release_graph_memory(const void *memory) {
  const std::shared_ptr<GraphMemory> found = find_graph_memory(memory);
  return found && found->use(false) == cudaSuccess;
}

}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attr, void *value) {
  return api_call([&] {
    if (!is_device(device)) return cudaErrorInvalidDevice;
    const std::lock_guard lock(table().mutex);
    const std::uint64_t *found = counter(attr);
    if (!found || !value) return cudaErrorInvalidValue;
    *static_cast<std::uint64_t *>(value) = *found;
    return cudaSuccess;
  });
}

// Only the high-water marks can be set, and only to zero: they start again from what is in use.
cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attr, void *value) {
  return api_call([&] {
    if (!is_device(device)) return cudaErrorInvalidDevice;
    const std::lock_guard lock(table().mutex);
    const bool high = attr == cudaGraphMemAttrUsedMemHigh || attr == cudaGraphMemAttrReservedMemHigh;
    if (!high || !value || *static_cast<const std::uint64_t *>(value) != 0) return cudaErrorInvalidValue;
    *counter(attr) = attr == cudaGraphMemAttrUsedMemHigh ? table().used : table().reserved;
    return cudaSuccess;
  });
}

// Memory goes back when the last graph that names it is destroyed; nothing is kept beyond that.
cudaError_t cudaDeviceGraphMemTrim(int device) {
  return api_call([&] { return is_device(device) ? cudaSuccess : cudaErrorInvalidDevice; });
}

}  // extern "C"
