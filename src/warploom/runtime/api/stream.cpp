// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "../fork_lock.h"
#include "allocation.h"
#include "device.h"
#include "event.h"
#include "strict.h"
#include "visible_devices.h"

namespace warploom {
namespace {

struct StreamTable {
  Forkable<std::mutex> mutex;
  std::unordered_set<CUstream_st *> streams;
};

StreamTable &stream_table() {
  static StreamTable *const instance = new StreamTable;
  return *instance;
}

std::atomic<unsigned long long> next_id = 1;

// A stream of the host, with a lane.
void open(CUstream_st *stream, bool is_legacy = false) {
  const bool is_blocking = (stream->flags & cudaStreamNonBlocking) == 0;
  stream->lane = make_lane(is_legacy, is_blocking, stream->priority, stream->device);
}

// Of each device, when it is first wanted. Never destroyed.
using DefaultStreams = std::array<std::atomic<CUstream_st *>, kMaxDevices>;
DefaultStreams &legacy_streams() {
  static auto *const streams = new DefaultStreams{};
  return *streams;
}

CUstream_st *legacy_stream() {
  static std::mutex mutex;
  std::atomic<CUstream_st *> &place = legacy_streams()[static_cast<std::size_t>(current_device())];
  if (CUstream_st *const made = place.load(std::memory_order_acquire)) return made;
  const std::lock_guard lock(mutex);
  if (CUstream_st *const made = place) return made;
  auto *const made = new CUstream_st;
  made->device = current_device();
  open(made, true);
  place = made;
  return made;
}

CUstream_st *per_thread_stream() {
  using Streams = std::array<std::unique_ptr<CUstream_st>, kMaxDevices>;
  // Not the array itself: a program that loads the library late has little room for thread-local variables.
  thread_local std::unique_ptr<Streams> streams;
  if (!streams) streams = std::make_unique<Streams>();
  std::unique_ptr<CUstream_st> &stream = (*streams)[static_cast<std::size_t>(current_device())];
  if (!stream) {
    stream.reset(new CUstream_st{cudaStreamDefault, 0, current_device(), next_id++, nullptr, {}, {}, {}});
    open(stream.get());
  }
  return stream.get();
}

// Of device code. A child grid runs when it is launched, so that streams differ in nothing but what runs after the
// grid.
CUstream_st device_stream, tail_stream, fire_and_forget_stream;

CUstream_st *find_device_stream(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread) return &device_stream;
  if (handle == cudaStreamTailLaunch) return &tail_stream;
  if (handle == cudaStreamFireAndForget) return &fire_and_forget_stream;
  return nullptr;
}

cudaError_t create(cudaStream_t *handle, unsigned flags, int priority) {
  if (!handle || (flags & ~static_cast<unsigned>(cudaStreamNonBlocking))) return cudaErrorInvalidValue;
  expect_writes_from_outside();
  auto stream = std::make_unique<CUstream_st>();
  stream->flags = flags;
  stream->priority = std::clamp(priority, kGreatestPriority, kLeastPriority);
  stream->device = current_device();
  stream->id = next_id++;
  open(stream.get());
  StreamTable &table = stream_table();
  const std::lock_guard lock(table.mutex);
  table.streams.insert(stream.get());
  *handle = stream.release();
  return cudaSuccess;
}

}  // namespace

CUstream_st *find_stream(cudaStream_t handle) {
  if (in_device_code()) {
    if (CUstream_st *const stream = find_device_stream(handle)) return stream;
  }
  if (handle == nullptr && default_stream_is_per_thread()) return per_thread_stream();
  if (handle == nullptr || handle == cudaStreamLegacy) return legacy_stream();
  if (handle == cudaStreamPerThread) return per_thread_stream();
  StreamTable &table = stream_table();
  const std::lock_guard lock(table.mutex);
  return table.streams.contains(handle) ? handle : nullptr;
}

bool is_tail_stream(const CUstream_st *stream) { return stream == &tail_stream; }

bool is_named_device_stream(const CUstream_st *stream) {
  return stream == &tail_stream || stream == &fire_and_forget_stream;
}

bool runs_after_grid(const CUstream_st *stream) {
  return in_device_code() && (is_tail_stream(stream) || calling_launch().depth >= kMaximumDepth);
}

cudaError_t run_after_grid(const CUstream_st *stream, Operation operation) {
  run_after_calling_grid(
      {.operation = [body = std::move(operation)] { static_cast<void>(body()); }, .is_last = is_tail_stream(stream)});
  return cudaSuccess;
}

bool is_legacy_stream(const CUstream_st *stream) {
  return stream == legacy_streams()[static_cast<std::size_t>(stream->device)];
}

void wait_for_owner(const CUstream_st *stream, const void *memory) {
  if (device_count() < 2 || !is_legacy_stream(stream) || is_capturing(stream)) return;
  const auto allocation = find_allocation(memory);
  if (allocation && allocation->device != stream->device) wait_for_device(allocation->device);
}

cudaError_t finished(cudaError_t submission) {
  if (submission != cudaSuccess || in_device_code()) return submission;
  return stream_call(nullptr, [](CUstream_st *stream) {
    wait_for_stream(stream);
    return device_fault();
  });
}

cudaError_t finished_fill(cudaError_t submission, const void *target) {
  if (submission != cudaSuccess || in_device_code()) return submission;
  const auto allocation = find_allocation(target);
  return allocation && allocation->kind != MemoryKind::kDevice ? finished(submission) : submission;
}

int device_of(const CUstream_st *stream) { return stream->device; }

void reset_streams() {
  StreamTable &table = stream_table();
  const std::lock_guard lock(table.mutex);
  for (CUstream_st *stream : table.streams) delete stream;
  table.streams.clear();
  reset_events();
}

}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority) {
  return api_call([&] {
    if (leastPriority) *leastPriority = kLeastPriority;
    if (greatestPriority) *greatestPriority = kGreatestPriority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreate(cudaStream_t *pStream) {
  return api_call([&] { return create(pStream, cudaStreamDefault, 0); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags) {
  return api_call([&] { return create(pStream, flags, 0); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags, int priority) {
  return api_call([&] { return create(pStream, flags, priority); });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return api_call([&] {
    StreamTable &table = stream_table();
    const std::lock_guard lock(table.mutex);
    if (table.streams.erase(stream) == 0) return cudaErrorInvalidResourceHandle;
    if (is_capturing(stream)) forget_capturing(stream);
    delete stream;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return stream_call(stream, [](CUstream_st *target) {
    if (is_capturing(target)) return refuse_while_capturing(target);
    if (is_busy(target)) return cudaErrorNotReady;
    if (strict::is_on) strict::note_wait(target->id);
    return device_fault();
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return stream_call(stream, [](CUstream_st *target) {
    if (is_capturing(target)) return refuse_while_capturing(target);
    wait_for_stream(target);
    return device_fault();
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *userData,
                                  unsigned int flags) {
  return stream_call(stream, [&](CUstream_st *target) {
    if (!callback || flags != 0) return cudaErrorInvalidValue;
    if (is_capturing(target)) return refuse_while_capturing(target);
    const auto call = [=] {
      const HostFunction scope;
      callback(stream, device_fault(), userData);
      return cudaSuccess;
    };
    push(target, {.action = make_action(call), .is_host_function = true, .runs_after_fault = true});
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData) {
  return stream_call(stream, [&](CUstream_st *target) {
    if (!fn) return cudaErrorInvalidValue;
    const auto call = [=] {
      const HostFunction scope;
      fn(userData);
      return cudaSuccess;
    };
    if (is_capturing(target)) return capture_operation(target, cudaGraphNodeTypeHost, call);
    push(target, {.action = make_action(call), .is_host_function = true});
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int *priority) {
  return stream_call(hStream, [&](CUstream_st *stream) {
    if (!priority) return cudaErrorInvalidValue;
    *priority = stream->priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t hStream, unsigned int *flags) {
  return stream_call(hStream, [&](CUstream_st *stream) {
    if (!flags) return cudaErrorInvalidValue;
    *flags = stream->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetId(cudaStream_t hStream, unsigned long long *streamId) {
  return stream_call(hStream, [&](CUstream_st *stream) {
    if (!streamId) return cudaErrorInvalidValue;
    *streamId = stream->id;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t hStream, int *device) {
  return stream_call(hStream, [&](CUstream_st *stream) {
    if (!device) return cudaErrorInvalidValue;
    *device = device_of(stream);
    return cudaSuccess;
  });
}

// Managed memory is visible to host and device at all times, so that attaching it to a stream changes nothing but what
// WARPLOOM_STRICT lets the host do.
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr, size_t, unsigned int flags) {
  return stream_call(stream, [&](CUstream_st *target) {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle)
      return cudaErrorInvalidValue;
    const auto allocation = find_allocation(devPtr);
    if (!allocation || allocation->kind != MemoryKind::kManaged) return cudaErrorInvalidValue;
    const bool is_single = flags == cudaMemAttachSingle;
    if (strict::is_on) {
      attach(reinterpret_cast<const void *>(allocation->base), flags,
             is_single ? static_cast<long long>(target->id) : Allocation::kAllStreams);
    }
    return cudaSuccess;
  });
}

// Attributes of streams are hints on caches, waiting and priority.
cudaError_t cudaStreamSetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                   const cudaLaunchAttributeValue *value) {
  return stream_call(hStream, [&](CUstream_st *stream) {
    if (!value) return cudaErrorInvalidValue;
    if (attr != cudaLaunchAttributePriority) {
      stream->attributes[attr] = *value;
      return cudaSuccess;
    }
    stream->priority = std::clamp(value->priority, kGreatestPriority, kLeastPriority);
    if (stream->lane) set_priority(*stream->lane, stream->priority);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                   cudaLaunchAttributeValue *value_out) {
  return stream_call(hStream, [&](CUstream_st *stream) {
    if (!value_out) return cudaErrorInvalidValue;
    std::memset(value_out, 0, sizeof *value_out);
    if (const auto found = stream->attributes.find(attr); found != stream->attributes.end())
      *value_out = found->second;
    else if (attr == cudaLaunchAttributePriority)
      value_out->priority = stream->priority;
    else if (attr == cudaLaunchAttributeSynchronizationPolicy)
      value_out->syncPolicy = cudaSyncPolicyAuto;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src) {
  return stream_call(src, [&](CUstream_st *source) {
    CUstream_st *target = find_stream(dst);
    if (!target) return cudaErrorInvalidResourceHandle;
    target->attributes = source->attributes;
    return cudaSuccess;
  });
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  return api_call([] { return cudaSuccess; });  // no lines persist: there is nothing to reset
}

}  // extern "C"
