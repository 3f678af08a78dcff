// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that streams write to memory and wait for in it.
#include <atomic>
#include <chrono>
#include <thread>

#include "copy.h"
#include "driver_helpers.h"
#include "stream.h"
#include "strict.h"

namespace warploom {
namespace {

constexpr unsigned kMostOperations = 256;

std::uint64_t load(CUdeviceptr address, std::size_t size) {
  const strict::MemoryAccess access;
  if (size == 4) return std::atomic_ref(*static_cast<std::uint32_t *>(pointer(address))).load();
  return std::atomic_ref(*static_cast<std::uint64_t *>(pointer(address))).load();
}

void store(CUdeviceptr address, std::uint64_t value, std::size_t size) {
  const strict::MemoryAccess access;
  if (size == 4)
    std::atomic_ref(*static_cast<std::uint32_t *>(pointer(address))).store(static_cast<std::uint32_t>(value));
  else
    std::atomic_ref(*static_cast<std::uint64_t *>(pointer(address))).store(value);
}

// Whether a wait ends; >= is cyclic, as CUDA defines it.
bool holds(std::uint64_t found, std::uint64_t value, std::size_t size, unsigned how) {
  const std::uint64_t mask = size == 4 ? 0xffffffffU : ~std::uint64_t{0}, difference = (found - value) & mask;
  switch (how) {
    case CU_STREAM_WAIT_VALUE_GEQ:
      return difference >> (8 * size - 1) == 0;
    case CU_STREAM_WAIT_VALUE_EQ:
      return difference == 0;
    case CU_STREAM_WAIT_VALUE_AND:
      return (found & value & mask) != 0;
    default:
      return (~(found | value) & mask) != 0;
  }
}

cudaError_t check(CUdeviceptr address, std::size_t size) {
  return address % size ? cudaErrorInvalidValue : check_memory(pointer(address), size, Side::kDevice);
}

void wait_until_it_holds(CUdeviceptr address, std::uint64_t value, std::size_t size, unsigned how) {
  while (!holds(load(address, size), value, size, how)) std::this_thread::sleep_for(std::chrono::microseconds(20));
}

}  // namespace

cudaError_t wait_for_value(CUstream stream, CUdeviceptr address, std::uint64_t value, std::size_t size,
                           unsigned flags) {
  return stream_call(stream, [&](CUstream_st *target) -> cudaError_t {
    const unsigned how = flags & ~static_cast<unsigned>(CU_STREAM_WAIT_VALUE_FLUSH);
    if (how > CU_STREAM_WAIT_VALUE_NOR) return cudaErrorInvalidValue;
    if (const cudaError_t error = check(address, size); error != cudaSuccess) return error;
    if (is_capturing(target))
      return not_supported("cuStreamWaitValue", "a graph does not wait for values in memory: let it wait for an event");
    if (!must_wait(target) && holds(load(address, size), value, size, how)) return cudaSuccess;
    expect_writes_from_outside();
    const auto wait = [=] {
      wait_until_it_holds(address, value, size, how);
      return cudaSuccess;
    };
    push(target, {.action = make_action(wait), .may_wait = true});
    return cudaSuccess;
  });
}

cudaError_t write_value(CUstream stream, CUdeviceptr address, std::uint64_t value, std::size_t size, unsigned flags) {
  return stream_call(stream, [&](CUstream_st *target) -> cudaError_t {
    if (flags & ~static_cast<unsigned>(CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER)) return cudaErrorInvalidValue;
    if (const cudaError_t error = check(address, size); error != cudaSuccess) return error;
    if (is_capturing(target))
      return not_supported("cuStreamWriteValue", "a graph writes no values to memory: add a memset node");
    const auto write = [=] {
      store(address, value, size);
      return cudaSuccess;
    };
    return submit(target, cudaGraphNodeTypeHost, write, true);
  });
}

cudaError_t run_memory_operations(CUstream stream, unsigned count, const CUstreamBatchMemOpParams *operations,
                                  unsigned flags) {
  if (flags != 0 || count > kMostOperations || (count && !operations)) return cudaErrorInvalidValue;
  for (unsigned i = 0; i < count; ++i) {
    const auto &wait = operations[i].waitValue;
    const auto &write = operations[i].writeValue;
    cudaError_t error = cudaSuccess;
    switch (operations[i].operation) {
      case CU_STREAM_MEM_OP_WAIT_VALUE_32:
        error = wait_for_value(stream, wait.address, wait.value, 4, wait.flags);
        break;
      case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        error = wait_for_value(stream, wait.address, wait.value64, 8, wait.flags);
        break;
      case CU_STREAM_MEM_OP_WRITE_VALUE_32:
        error = write_value(stream, write.address, write.value, 4, write.flags);
        break;
      case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        error = write_value(stream, write.address, write.value64, 8, write.flags);
        break;
      case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:  // memory is coherent
      case CU_STREAM_MEM_OP_BARRIER:
        break;
      default:
        return cudaErrorInvalidValue;
    }
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace warploom
