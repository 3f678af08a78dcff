// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "event.h"

#include <mutex>
#include <unordered_set>

#include "../fork_lock.h"
#include "device.h"
#include "error.h"
#include "graph.h"
#include "stream.h"
#include "strict.h"

namespace warploom {
namespace {

constexpr unsigned kEventFlags = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;

struct EventTable {
  Forkable<std::mutex> mutex;
  std::unordered_set<CUevent_st *> events;
};

EventTable &event_table() {
  static EventTable *const instance = new EventTable;
  return *instance;
}

// The body of an entry point on an event.
template <class Body>
cudaError_t event_call(cudaEvent_t handle, Body &&body, const Caller &caller = WARPLOOM_CALLER) {
  const auto found = [&]() -> cudaError_t {
    CUevent_st *event = find_event(handle);
    return event ? body(event) : cudaErrorInvalidResourceHandle;
  };
  return call_from_anywhere(found, caller);
}

// Of an event that is recorded, or waited for, whenever the captured graph runs.
template <class Params>
cudaError_t add_event_node(CUstream_st *stream, cudaStream_t handle, const Params &params) {
  const cudaError_t error = submit_params(handle, params);
  if (error == cudaSuccess) stream->capture_tail.front()->parameters = params;
  return error;
}

std::chrono::steady_clock::time_point time_of(const CUevent_st &event) {
  return event.task && !event.is_in_graph ? end_of(event.task) : event.time;
}

// The host knows that what the event stands for has ended.
cudaError_t waited_for(const CUevent_st &event) {
  if (strict::is_on && event.recorded) strict::note_wait(event.stream);
  return device_fault();
}

}  // namespace

CUevent_st *find_event(cudaEvent_t handle) {
  EventTable &table = event_table();
  const std::lock_guard lock(table.mutex);
  return table.events.contains(handle) ? handle : nullptr;
}

void record_in_graph(CUevent_st *event) {
  event->time = std::chrono::steady_clock::now();
  event->recorded = true;
}

void expect_in_graph(CUevent_st *event, const TaskPointer &graph) {
  event->capture = nullptr;
  event->recorded = event->is_in_graph = true;
  event->task = graph;
}

void reset_events() {
  EventTable &table = event_table();
  const std::lock_guard lock(table.mutex);
  for (CUevent_st *event : table.events) delete event;
  table.events.clear();
}

}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
  return api_call([&] {
    if (!event || (flags & ~kEventFlags)) return cudaErrorInvalidValue;
    if ((flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming)) return cudaErrorInvalidValue;
    auto *created = new CUevent_st;
    created->flags = flags;
    created->device = current_device();
    EventTable &table = event_table();
    const std::lock_guard lock(table.mutex);
    table.events.insert(created);
    *event = created;
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  return event_call(event, [&](CUevent_st *recorded) -> cudaError_t {
    if (in_host_function()) return cudaErrorNotPermitted;
    CUstream_st *target = find_stream(stream);
    if (!target) return cudaErrorInvalidResourceHandle;
    if (is_named_device_stream(target)) return cudaErrorInvalidValue;
    if (flags & ~static_cast<unsigned>(cudaEventRecordExternal)) return cudaErrorInvalidValue;
    if (is_capturing(target) && flags == cudaEventRecordDefault) {
      record_in_capture(recorded, target);
      return cudaSuccess;
    }
    if (is_capturing(target)) return add_event_node(target, stream, cudaEventRecordNodeParams{event});
    if (recorded->device != device_of(target)) return cudaErrorInvalidResourceHandle;
    recorded->capture = nullptr;
    recorded->recorded = true;
    recorded->stream = target->id;
    recorded->is_in_graph = false;
    recorded->time = std::chrono::steady_clock::now();
    recorded->task = must_wait(target) ? push(target, {}) : nullptr;
    if (recorded->flags & cudaEventInterprocess) wait_for(recorded->task);
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const CallScope scope(WARPLOOM_CALLER);
  return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return event_call(event, [](CUevent_st *asked) {
    if (asked->capture) return cudaErrorCapturedEvent;
    if (has_ended(asked->task)) return waited_for(*asked);
    let_work_go_on();
    return cudaErrorNotReady;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return event_call(event, [](CUevent_st *asked) {
    if (asked->capture) return cudaErrorCapturedEvent;
    wait_for(asked->task);
    return waited_for(*asked);
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return api_call([&] {
    EventTable &table = event_table();
    const std::lock_guard lock(table.mutex);
    if (table.events.erase(event) == 0) return cudaErrorInvalidResourceHandle;
    delete event;
    return cudaSuccess;
  });
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
  return event_call(start, [&](CUevent_st *first) -> cudaError_t {
    const CUevent_st *second = find_event(end);
    if (!second) return cudaErrorInvalidResourceHandle;
    if (!ms) return cudaErrorInvalidValue;
    if (!first->recorded || !second->recorded) return cudaErrorInvalidResourceHandle;
    if ((first->flags | second->flags) & cudaEventDisableTiming) return cudaErrorInvalidResourceHandle;
    if (first->device != second->device) return cudaErrorInvalidResourceHandle;
    if (!has_ended(first->task) || !has_ended(second->task)) return cudaErrorNotReady;
    *ms = std::chrono::duration<float, std::milli>(time_of(*second) - time_of(*first)).count();
    return cudaSuccess;
  });
}

__attribute__((visibility("default"))) cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t start,
                                                                           cudaEvent_t end) {
  return cudaEventElapsedTime(ms, start, end);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  return event_call(event, [&](CUevent_st *awaited) -> cudaError_t {
    if (in_host_function()) return cudaErrorNotPermitted;
    CUstream_st *target = find_stream(stream);
    if (!target) return cudaErrorInvalidResourceHandle;
    if (is_named_device_stream(target)) return cudaErrorInvalidValue;
    if (flags & ~static_cast<unsigned>(cudaEventWaitExternal)) return cudaErrorInvalidValue;
    const bool captured = awaited->capture || (is_capturing(target) && flags == cudaEventWaitDefault);
    if (captured) return wait_in_capture(target, awaited);
    if (is_capturing(target)) return add_event_node(target, stream, cudaEventWaitNodeParams{event});
    // In the legacy stream this also keeps apart what other streams do before and after it.
    const bool separates = awaited->recorded && is_legacy_stream(target) && must_wait(target);
    if (!has_ended(awaited->task) || separates) push(target, {.after = {awaited->task}});
    return cudaSuccess;
  });
}

}  // extern "C"
