// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches from device code. A child grid runs at its launch, on the launching thread's processor and those that are
// idle: legal for every stream and for cudaDeviceSynchronize (docs/adr/0011-child-grids-run-at-launch.md). Only what
// goes to cudaStreamTailLaunch, or is nested deeply, waits for the parent's end.
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "../engine.h"
#include "../own_pages.h"
#include "error.h"
#include "launch.h"
#include "stream.h"
#include "strict.h"

namespace warploom {
namespace {

constexpr std::size_t kAlignment = 64;  // the most that a parameter's type may ask for

// Lies before the arguments of a launch.
struct alignas(kAlignment) Header {
  void *function = nullptr;  // of cudaGetParameterBufferV2
  dim3 grid, block;
  unsigned shared = 0;
};

struct Free {
  void operator()(Header *header) const {
    if (strict::is_on) forget_own_pages(header);
    std::free(header);
  }
};
using Buffer = std::unique_ptr<Header, Free>;

void *make_buffer(const Header &header, std::size_t size) {
  const std::size_t rounded = (size + kAlignment - 1) / kAlignment * kAlignment;
  void *const memory = std::aligned_alloc(kAlignment, sizeof(Header) + rounded);
  if (!memory) {
    record(cudaErrorLaunchOutOfResources);
    return nullptr;
  }
  if (strict::is_on) note_own_pages(memory, sizeof(Header) + rounded);
  return new (memory) Header(header) + 1;
}

// What a launch refers to.
struct Owned {
  Buffer buffer;
  std::vector<void *> addresses;
};

std::shared_ptr<Owned> own_arguments(Buffer buffer, const Kernel &kernel) {
  auto owned = std::make_shared<Owned>(Owned{std::move(buffer), {}});
  auto *const base = reinterpret_cast<std::byte *>(owned->buffer.get() + 1);
  for (std::uint32_t i = 0; i < kernel.parameter_count; ++i)
    owned->addresses.push_back(base + kernel.parameters[i].offset);
  return owned;
}

// The outcome of a child that has failed goes to `outcome`.
cudaError_t launch(const void *handle, Buffer buffer, const dim3 &grid, const dim3 &block, unsigned shared,
                   cudaStream_t stream, Outcome *outcome) {
  const CUfunc_st *const function = find_function(handle);
  if (!function) return no_kernel(handle);
  const CUstream_st *const target = find_stream(stream);
  if (!target) return cudaErrorInvalidResourceHandle;
  if (const cudaError_t error = check_launch(*function, grid, block, shared); error != cudaSuccess) return error;
  Extent cluster;
  if (const cudaError_t error = find_cluster(*function, grid, dim3(0, 0, 0), cluster); error != cudaSuccess)
    return error;
  const unsigned depth = calling_launch().depth + (is_tail_stream(target) ? 0 : 1);
  if (depth > most_pending_launches()) return cudaErrorLaunchPendingCountExceeded;
  const std::shared_ptr<Owned> owned = own_arguments(std::move(buffer), *function->kernel);
  const Launch request = {function->kernel,
                          {grid.x, grid.y, grid.z},
                          {block.x, block.y, block.z},
                          shared,
                          false,
                          owned->addresses.data(),
                          depth,
                          cluster};
  if (runs_after_grid(target))
    run_after_calling_grid(
        {.operation = nullptr, .launch = request, .owned = owned, .is_last = is_tail_stream(target)});
  else
    *outcome = run_child_grid(request);
  return cudaSuccess;
}

// Nothing that needs to be destroyed is alive when the calling thread's grid ends.
cudaError_t launch_or_end(const void *handle, Header *header, const dim3 &grid, const dim3 &block, unsigned shared,
                          cudaStream_t stream) {
  Outcome outcome = Outcome::kOk;
  const cudaError_t error =
      api_call([&] { return launch(handle, Buffer(header), grid, block, shared, stream, &outcome); });
  if (outcome != Outcome::kOk) end_calling_grid(outcome);
  return error;
}

}  // namespace
}  // namespace warploom

using namespace warploom;

#define WARPLOOM_ENTRY __attribute__((visibility("default")))

extern "C" {

WARPLOOM_ENTRY void *cudaGetParameterBuffer(std::size_t, std::size_t size) { return make_buffer({}, size); }

WARPLOOM_ENTRY void *cudaGetParameterBufferV2(void *func, dim3 gridDimension, dim3 blockDimension,
                                              unsigned int sharedMemSize) {
  const Kernel *const kernel = kernel_of_handle(func);
  if (!kernel) {
    record(no_kernel(func));
    return nullptr;
  }
  std::size_t size = 0;
  if (kernel->parameter_count > 0) {
    const Parameter &last = kernel->parameters[kernel->parameter_count - 1];
    size = std::size_t{last.offset} + last.size;
  }
  return make_buffer({func, gridDimension, blockDimension, sharedMemSize}, size);
}

WARPLOOM_ENTRY cudaError_t cudaLaunchDevice(void *func, void *parameterBuffer, dim3 gridDimension, dim3 blockDimension,
                                            unsigned int sharedMemSize, cudaStream_t stream) {
  if (!parameterBuffer) return record(cudaErrorInvalidValue);
  return launch_or_end(func, static_cast<Header *>(parameterBuffer) - 1, gridDimension, blockDimension, sharedMemSize,
                       stream);
}

WARPLOOM_ENTRY cudaError_t cudaLaunchDeviceV2(void *parameterBuffer, cudaStream_t stream) {
  if (!parameterBuffer) return record(cudaErrorInvalidValue);
  auto *const header = static_cast<Header *>(parameterBuffer) - 1;
  return launch_or_end(header->function, header, header->grid, header->block, header->shared, stream);
}

}  // extern "C"
