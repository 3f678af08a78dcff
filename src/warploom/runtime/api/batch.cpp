// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and prefetches of many pieces by one call.
#include "allocation.h"
#include "error.h"
#include "stream.h"

namespace warploom {
namespace {

// Runs `body(stream, i)` for each piece. Batches run on streams that the program made.
template <class Body>
cudaError_t for_each_on(cudaStream_t handle, std::size_t count, bool legal, Body &&body) {
  if (count == 0 || !legal || !handle || handle == cudaStreamLegacy) return record(cudaErrorInvalidValue);
  for (std::size_t i = 0; i < count; ++i)
    if (const cudaError_t error = body(i); error != cudaSuccess) return record(error);
  return cudaSuccess;
}

// The number of the entry that says something of piece `i`: the last whose first piece is not behind it.
std::size_t entry_of(const std::size_t *firsts, std::size_t entries, std::size_t i) {
  std::size_t found = 0;
  while (found + 1 < entries && firsts[found + 1] <= i) ++found;
  return found;
}

// Whether the first pieces of a list's entries begin with piece 0 and go up.
bool are_firsts(const std::size_t *firsts, std::size_t entries, std::size_t count) {
  if (!firsts || entries == 0 || entries > count || firsts[0] != 0) return false;
  for (std::size_t i = 1; i < entries; ++i)
    if (firsts[i] <= firsts[i - 1] || firsts[i] >= count) return false;
  return true;
}

bool is_order(cudaMemcpySrcAccessOrder order) {
  return order >= cudaMemcpySrcAccessOrderStream && order <= cudaMemcpySrcAccessOrderAny;
}

bool are_legal(const cudaMemcpyAttributes *attributes, std::size_t count) {
  for (std::size_t i = 0; attributes && i < count; ++i)
    if (!is_order(attributes[i].srcAccessOrder)) return false;
  return attributes != nullptr;
}

bool is_managed(const void *memory, std::size_t size) {
  const auto allocation = find_allocation(memory);
  return allocation && allocation->kind == MemoryKind::kManaged && allocation->holds(memory, size);
}

struct BatchEnd {
  cudaArray_t array = nullptr;
  cudaPos position = {};
  cudaPitchedPtr memory = {};
};

// Rows and layers of memory are as long as the box where no length is given.
BatchEnd end_of(const cudaMemcpy3DOperand &operand, const cudaExtent &extent) {
  if (operand.type == cudaMemcpyOperandTypeArray) {
    const cudaOffset3D &offset = operand.op.array.offset;
    return {operand.op.array.array, {offset.x, offset.y, offset.z}, {}};
  }
  const auto &memory = operand.op.ptr;
  const std::size_t pitch = memory.rowLength ? memory.rowLength : extent.width;
  const std::size_t height = memory.layerHeight ? memory.layerHeight : extent.height;
  return {nullptr, {}, {memory.ptr, pitch, pitch, height}};
}

}  // namespace
}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaMemcpyBatchAsync(const void **dsts, const void **srcs, const size_t *sizes, size_t count,
                                 cudaMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, cudaStream_t stream) {
  bool legal = dsts && srcs && sizes && are_firsts(attrsIdxs, numAttrs, count) && are_legal(attrs, numAttrs);
  for (std::size_t i = 0; legal && i < count; ++i) legal = sizes[i] != 0;
  return for_each_on(stream, count, legal, [&](std::size_t i) {
    return cudaMemcpyAsync(const_cast<void *>(dsts[i]), srcs[i], sizes[i], cudaMemcpyDefault, stream);
  });
}

cudaError_t cudaMemPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count, cudaMemLocation *prefetchLocs,
                                      size_t *prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
                                      cudaStream_t stream) {
  const bool legal =
      dptrs && sizes && prefetchLocs && flags == 0 && are_firsts(prefetchLocIdxs, numPrefetchLocs, count);
  return for_each_on(stream, count, legal, [&](std::size_t i) {
    const cudaMemLocation &place = prefetchLocs[entry_of(prefetchLocIdxs, numPrefetchLocs, i)];
    return cudaMemPrefetchAsync(dptrs[i], sizes[i], place, 0U, stream);
  });
}

// What is discarded may keep its values.
cudaError_t cudaMemDiscardBatchAsync(void **dptrs, size_t *sizes, size_t count, unsigned long long flags,
                                     cudaStream_t stream) {
  return for_each_on(stream, count, dptrs && sizes && flags == 0, [&](std::size_t i) {
    return is_managed(dptrs[i], sizes[i]) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                                cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                                size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream) {
  return cudaMemPrefetchBatchAsync(dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags, stream);
}

cudaError_t cudaMemcpy3DBatchAsync(size_t numOps, cudaMemcpy3DBatchOp *opList, unsigned long long flags,
                                   cudaStream_t stream) {
  return for_each_on(stream, numOps, opList && flags == 0, [&](std::size_t i) {
    const cudaMemcpy3DBatchOp &op = opList[i];
    if (!is_order(op.srcAccessOrder)) return cudaErrorInvalidValue;
    const BatchEnd from = end_of(op.src, op.extent), to = end_of(op.dst, op.extent);
    const cudaMemcpy3DParms copy = {from.array,  from.position, from.memory, to.array,
                                    to.position, to.memory,     op.extent,   cudaMemcpyDefault};
    return cudaMemcpy3DAsync(&copy, stream);
  });
}

}  // extern "C"
