// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUPTI's functions about records, and about itself.
#include <string>
#include <utility>

#include "../message.h"
#include "../observe.h"
#include "cupti_records.h"
#include "cupti_state.h"
#include "device.h"
#include "stream.h"

namespace warploom {
namespace cupti {
namespace {

constexpr int kKinds = 64;

thread_local CUptiResult last_error = CUPTI_SUCCESS;

CUptiResult failed(CUptiResult result) {
  if (result != CUPTI_SUCCESS) last_error = result;
  return result;
}

// Of these there is never anything to tell: no names are kept, and records cost no time of the device's.
bool is_empty(CUpti_ActivityKind kind) {
  return kind == CUPTI_ACTIVITY_KIND_NAME || kind == CUPTI_ACTIVITY_KIND_OVERHEAD;
}

CUptiResult enable(CUpti_ActivityKind kind) {
  if (kind <= CUPTI_ACTIVITY_KIND_INVALID || kind >= kKinds) return failed(CUPTI_ERROR_INVALID_KIND);
  if (is_empty(kind)) return CUPTI_SUCCESS;
  if (size_of(kind) == 0) {
    return refuse("cuptiActivityEnable", ("there are no records of kind " + std::to_string(kind)).c_str());
  }
  const bool is_new = want(kind);
  note_change();
  if (is_new) add_what_there_is(kind);
  return CUPTI_SUCCESS;
}

}  // namespace

CUptiResult refuse(const char *function, const char *reason) {
  write_error(std::string(function) + ": " + reason);
  return failed(CUPTI_ERROR_NOT_SUPPORTED);
}

}  // namespace cupti
}  // namespace warploom

using namespace warploom;
using namespace warploom::cupti;

extern "C" {

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc funcBufferRequested,
                                           CUpti_BuffersCallbackCompleteFunc funcBufferCompleted) {
  if (!funcBufferRequested || !funcBufferCompleted) return failed(CUPTI_ERROR_INVALID_PARAMETER);
  set_buffers(funcBufferRequested, funcBufferCompleted);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) { return enable(kind); }
CUptiResult cuptiActivityEnableContext(CUcontext, CUpti_ActivityKind kind) { return enable(kind); }

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  if (kind <= CUPTI_ACTIVITY_KIND_INVALID || kind >= kKinds) return failed(CUPTI_ERROR_INVALID_KIND);
  want_no_more(kind);
  note_change();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityDisableContext(CUcontext, CUpti_ActivityKind kind) { return cuptiActivityDisable(kind); }

CUptiResult cuptiActivityFlushAll(uint32_t) {
  deliver();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlush(CUcontext, uint32_t, uint32_t flag) { return cuptiActivityFlushAll(flag); }

CUptiResult cuptiActivityFlushPeriod(uint32_t) {
  return refuse("cuptiActivityFlushPeriod", "records go to the program when it asks for them, or when there are many");
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t validBufferSizeBytes, CUpti_Activity **record) {
  if (!buffer || !record) return failed(CUPTI_ERROR_INVALID_PARAMETER);
  std::uint8_t *const next =
      *record == nullptr ? buffer : reinterpret_cast<std::uint8_t *>(*record) + size_of((*record)->kind);
  if (next >= buffer + validBufferSizeBytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity *>(next);
  return size_of((*record)->kind) != 0 ? CUPTI_SUCCESS : failed(CUPTI_ERROR_INVALID_KIND);
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t *dropped) {
  if (!dropped) return failed(CUPTI_ERROR_INVALID_PARAMETER);
  *dropped = take_dropped();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id) {
  if (kind <= CUPTI_EXTERNAL_CORRELATION_KIND_INVALID || kind >= CUPTI_EXTERNAL_CORRELATION_KIND_SIZE)
    return failed(CUPTI_ERROR_INVALID_PARAMETER);
  push_outer_id(kind, id);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t *lastId) {
  return pop_outer_id(kind, lastId) ? CUPTI_SUCCESS : failed(CUPTI_ERROR_QUEUE_EMPTY);
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **str) {
  if (!str) return failed(CUPTI_ERROR_INVALID_PARAMETER);
  switch (result) {
#define WARPLOOM_CUPTI_RESULT(name, number) \
  case CUPTI_##name:                        \
    *str = "CUPTI_" #name;                  \
    return CUPTI_SUCCESS;
    WARPLOOM_CUPTI_RESULTS(WARPLOOM_CUPTI_RESULT)
#undef WARPLOOM_CUPTI_RESULT
    default:
      return failed(CUPTI_ERROR_INVALID_PARAMETER);
  }
}
CUptiResult cuptiGetErrorMessage(CUptiResult result, const char **str) { return cuptiGetResultString(result, str); }
CUptiResult cuptiGetLastError() { return std::exchange(last_error, CUPTI_SUCCESS); }

CUptiResult cuptiGetVersion(uint32_t *version) {
  if (!version) return failed(CUPTI_ERROR_INVALID_PARAMETER);
  *version = CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetTimestamp(uint64_t *timestamp) {
  if (!timestamp) return failed(CUPTI_ERROR_INVALID_PARAMETER);
  *timestamp = observe::now();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t *deviceId) {
  if (!deviceId) return failed(CUPTI_ERROR_INVALID_PARAMETER);
  if (context != nullptr && !is_context(context)) return failed(CUPTI_ERROR_INVALID_CONTEXT);
  *deviceId = static_cast<std::uint32_t>(context != nullptr ? context->device : current_device());
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetContextId(CUcontext context, uint32_t *contextId) {
  const CUptiResult result = cuptiGetDeviceId(context, contextId);
  if (result == CUPTI_SUCCESS) ++*contextId;
  return result;
}

CUptiResult cuptiGetStreamId(CUcontext, CUstream stream, uint32_t *streamId) {
  if (!streamId) return failed(CUPTI_ERROR_INVALID_PARAMETER);
  const CUstream_st *const found = find_stream(stream);
  if (found == nullptr) return failed(CUPTI_ERROR_INVALID_STREAM);
  *streamId = static_cast<std::uint32_t>(found->id);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetStreamIdEx(CUcontext context, CUstream stream, uint8_t perThreadStream, uint32_t *streamId) {
  return cuptiGetStreamId(context, perThreadStream != 0 && stream == nullptr ? cudaStreamPerThread : stream, streamId);
}

CUptiResult cuptiGetThreadIdType(uint32_t *type) {
  constexpr std::uint32_t kOfTheSystem = 1;
  if (!type) return failed(CUPTI_ERROR_INVALID_PARAMETER);
  *type = kOfTheSystem;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiFinalize() {
  want_nothing();
  note_change();
  return CUPTI_SUCCESS;
}

#define WARPLOOM_CUPTI_REFUSED(name, parameters) \
  CUptiResult name parameters { return refuse(#name, "counters of the hardware are not there on a CPU"); }
#include "warploom/cupti_refused.def"
#undef WARPLOOM_CUPTI_REFUSED

}  // extern "C"
