// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUPTI's records of what ran. They gather here, and go to the program's buffers when it asks for them, or when there
// are many: at the end of a call of the API, on the thread that made it.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "../fork_lock.h"
#include "../message.h"
#include "../observe.h"
#include "cupti_state.h"
#include "device.h"
#include "stream.h"

namespace warploom {

namespace cupti {
namespace {

constexpr std::size_t kManyBytes = 1 << 20;
constexpr int kKinds = 64;

struct State {
  Forkable<std::mutex> mutex;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  std::vector<std::uint8_t> records;
  std::size_t dropped = 0;
};

// Never destroyed: kernels may end when the process does.
State &state() {
  static auto *const instance = new State;
  return *instance;
}

std::atomic<std::uint64_t> kinds{0};  // that are wanted, a bit each
std::atomic<std::uint32_t> last_correlation{0};
std::atomic<std::int64_t> last_grid{0};
thread_local Call call;
thread_local std::vector<std::pair<CUpti_ExternalCorrelationKind, std::uint64_t>> outer_ids;
thread_local CUptiResult last_error = CUPTI_SUCCESS;

bool is_wanted(CUpti_ActivityKind kind) { return (kinds.load(std::memory_order_relaxed) >> kind & 1) != 0; }

std::size_t size_of(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_DRIVER:
    case CUPTI_ACTIVITY_KIND_RUNTIME:
      return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return sizeof(CUpti_ActivityDevice5);
    case CUPTI_ACTIVITY_KIND_CONTEXT:
      return sizeof(CUpti_ActivityContext3);
    case CUPTI_ACTIVITY_KIND_MARKER:
      return sizeof(CUpti_ActivityMarker2);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return sizeof(CUpti_ActivityExternalCorrelation);
    default:
      return 0;
  }
}

template <class Record>
void append(const Record &record) {
  State &all = state();
  const std::lock_guard lock(all.mutex);
  const auto *const bytes = reinterpret_cast<const std::uint8_t *>(&record);
  all.records.insert(all.records.end(), bytes, bytes + sizeof record);
}

// Hands all records that there are to the program, a buffer at a time.
void deliver() {
  State &all = state();
  std::vector<std::uint8_t> records;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  {
    const std::lock_guard lock(all.mutex);
    records.swap(all.records);
    request = all.request;
    complete = all.complete;
  }
  for (std::size_t at = 0; at < records.size();) {
    std::uint8_t *buffer = nullptr;
    std::size_t size = 0, most = 0, used = 0, count = 0;
    if (request != nullptr) request(&buffer, &size, &most);
    while (buffer != nullptr && at < records.size() && (most == 0 || count < most)) {
      const std::size_t bytes = size_of(reinterpret_cast<const CUpti_Activity *>(&records[at])->kind);
      if (bytes > size - used) break;
      std::memcpy(buffer + used, &records[at], bytes);
      used += bytes;
      at += bytes;
      ++count;
    }
    if (buffer != nullptr && complete != nullptr) complete(nullptr, 0, buffer, size, used);
    if (count != 0) continue;
    const std::lock_guard lock(all.mutex);  // no buffer, or one that is too small
    for (; at < records.size(); ++all.dropped) at += size_of(reinterpret_cast<CUpti_Activity *>(&records[at])->kind);
  }
}

// Names of other threads' ids are what the system calls them.
std::uint32_t thread_number() { return static_cast<std::uint32_t>(syscall(SYS_gettid)); }

void add_call() {
  const bool is_runtime = call.domain == CUPTI_CB_DOMAIN_RUNTIME_API;
  const CUpti_ActivityKind kind = is_runtime ? CUPTI_ACTIVITY_KIND_RUNTIME : CUPTI_ACTIVITY_KIND_DRIVER;
  if (is_wanted(kind)) {
    append(CUpti_ActivityAPI{kind, call.number, call.start, observe::now(), static_cast<std::uint32_t>(getpid()),
                             thread_number(), call.correlation, static_cast<std::uint32_t>(call.result)});
  }
  if (!is_wanted(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)) return;
  for (const auto &[of, id] : outer_ids) {
    append(CUpti_ActivityExternalCorrelation{CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, of, id, call.correlation, 0});
  }
}

void add_device(int number) {
  static std::vector<cudaDeviceProp *> kept;  // for the names
  auto *const of = new cudaDeviceProp;
  if (cudaGetDeviceProperties(of, number) != cudaSuccess) {
    delete of;
    return;
  }
  kept.push_back(of);
  CUpti_ActivityDevice5 record{};
  record.kind = CUPTI_ACTIVITY_KIND_DEVICE;
  record.globalMemorySize = of->totalGlobalMem;
  record.constantMemorySize = static_cast<std::uint32_t>(of->totalConstMem);
  record.l2CacheSize = static_cast<std::uint32_t>(of->l2CacheSize);
  record.numThreadsPerWarp = static_cast<std::uint32_t>(of->warpSize);
  record.numMultiprocessors = static_cast<std::uint32_t>(of->multiProcessorCount);
  record.maxWarpsPerMultiprocessor = static_cast<std::uint32_t>(of->maxThreadsPerMultiProcessor / of->warpSize);
  record.maxBlocksPerMultiprocessor = static_cast<std::uint32_t>(of->maxBlocksPerMultiProcessor);
  record.maxSharedMemoryPerMultiprocessor = static_cast<std::uint32_t>(of->sharedMemPerMultiprocessor);
  record.maxSharedMemoryPerBlock = static_cast<std::uint32_t>(of->sharedMemPerBlock);
  record.maxRegistersPerMultiprocessor = static_cast<std::uint32_t>(of->regsPerMultiprocessor);
  record.maxRegistersPerBlock = static_cast<std::uint32_t>(of->regsPerBlock);
  record.maxThreadsPerBlock = static_cast<std::uint32_t>(of->maxThreadsPerBlock);
  record.maxBlockDimX = static_cast<std::uint32_t>(of->maxThreadsDim[0]);
  record.maxBlockDimY = static_cast<std::uint32_t>(of->maxThreadsDim[1]);
  record.maxBlockDimZ = static_cast<std::uint32_t>(of->maxThreadsDim[2]);
  record.maxGridDimX = static_cast<std::uint32_t>(of->maxGridSize[0]);
  record.maxGridDimY = static_cast<std::uint32_t>(of->maxGridSize[1]);
  record.maxGridDimZ = static_cast<std::uint32_t>(of->maxGridSize[2]);
  record.computeCapabilityMajor = static_cast<std::uint32_t>(of->major);
  record.computeCapabilityMinor = static_cast<std::uint32_t>(of->minor);
  record.id = static_cast<std::uint32_t>(number);
  record.uuid = of->uuid;
  record.name = of->name;
  record.isCudaVisible = 1;
  append(record);
}

// What there is from the beginning.
void add_what_there_is(CUpti_ActivityKind kind) {
  for (int i = 0; i < device_count(); ++i) {
    if (kind == CUPTI_ACTIVITY_KIND_DEVICE) add_device(i);
    if (kind != CUPTI_ACTIVITY_KIND_CONTEXT) continue;
    CUpti_ActivityContext3 record{};
    record.kind = kind;
    record.contextId = static_cast<std::uint32_t>(i) + 1;
    record.deviceId = static_cast<std::uint32_t>(i);
    record.computeApiKind = CUPTI_ACTIVITY_COMPUTE_API_CUDA;
    append(record);
  }
}

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
  const std::uint64_t bit = std::uint64_t{1} << kind;
  const bool is_new = (kinds.fetch_or(bit) & bit) == 0;
  note_change();
  if (is_new) add_what_there_is(kind);
  return CUPTI_SUCCESS;
}

std::uint8_t copy_kind(observe::Place from, observe::Place to) {
  const auto is_host = [](observe::Place place) {
    return place == observe::Place::kPageable || place == observe::Place::kPinned;
  };
  if (is_host(from)) return is_host(to) ? CUPTI_ACTIVITY_MEMCPY_KIND_HTOH : CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  return is_host(to) ? CUPTI_ACTIVITY_MEMCPY_KIND_DTOH : CUPTI_ACTIVITY_MEMCPY_KIND_DTOD;
}

void record_kernel(const Launch &launch, std::uint64_t start, std::uint64_t end) {
  const bool is_plain = is_wanted(CUPTI_ACTIVITY_KIND_KERNEL);
  if (!is_plain && !is_wanted(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)) return;
  CUpti_ActivityKernel10 record{};
  record.kind = is_plain ? CUPTI_ACTIVITY_KIND_KERNEL : CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.start = start;
  record.end = record.completed = end;
  record.contextId = current_context_number();
  record.deviceId = record.contextId - 1;
  record.streamId = static_cast<std::uint32_t>(launch.stream);
  record.gridX = static_cast<std::int32_t>(launch.grid.x);
  record.gridY = static_cast<std::int32_t>(launch.grid.y);
  record.gridZ = static_cast<std::int32_t>(launch.grid.z);
  record.blockX = static_cast<std::int32_t>(launch.block.x);
  record.blockY = static_cast<std::int32_t>(launch.block.y);
  record.blockZ = static_cast<std::int32_t>(launch.block.z);
  record.staticSharedMemory = static_cast<std::int32_t>(launch.kernel->static_shared);
  record.dynamicSharedMemory = static_cast<std::int32_t>(launch.dynamic_shared);
  record.localMemoryPerThread = launch.kernel->local_size;
  record.correlationId = launch.correlation;
  record.gridId = ++last_grid;
  record.name = launch.kernel->name;
  record.clusterX = launch.cluster.x;
  record.clusterY = launch.cluster.y;
  record.clusterZ = launch.cluster.z;
  append(record);
}

}  // namespace

bool records_anything() { return kinds != 0; }
void note_change() {
  observe::add_kernel = record_kernel;
  observe::is_on = records_anything() || tells_anything();
}
std::uint32_t current_context_number() { return static_cast<std::uint32_t>(current_device()) + 1; }

CUptiResult refuse(const char *function, const char *reason) {
  write_error(std::string(function) + ": " + reason);
  return failed(CUPTI_ERROR_NOT_SUPPORTED);
}

}  // namespace cupti

namespace observe {

using namespace cupti;

std::uint32_t correlation() { return call.correlation; }

void enter(const char *function, const void *parameters) {
  const CUpti_CallbackDomain domain = domain_of(function);
  if (domain == CUPTI_CB_DOMAIN_INVALID) return;
  call = {function, parameters, domain, number_of(function, domain), ++last_correlation, 0, 0, 0};
  tell(call, CUPTI_API_ENTER);
  call.start = now();
}

void note_result(int result) { call.result = result; }

void leave() {
  if (call.function == nullptr) return;
  add_call();
  tell(call, CUPTI_API_EXIT);
  call = {};
  bool are_many = false;
  {
    const std::lock_guard lock(state().mutex);
    are_many = state().records.size() > kManyBytes;
  }
  if (are_many) deliver();
}

void add_copy(const Transfer &copy, std::uint64_t start, std::uint64_t end) {
  if (!is_wanted(CUPTI_ACTIVITY_KIND_MEMCPY)) return;
  CUpti_ActivityMemcpy6 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  record.copyKind = copy_kind(copy.from, copy.to);
  record.srcKind = static_cast<std::uint8_t>(copy.from);
  record.dstKind = static_cast<std::uint8_t>(copy.to);
  record.bytes = copy.bytes;
  record.start = start;
  record.end = end;
  record.contextId = current_context_number();
  record.deviceId = record.contextId - 1;
  record.streamId = static_cast<std::uint32_t>(copy.stream);
  record.correlationId = copy.correlation;
  record.copyCount = 1;
  append(record);
}

void add_fill(const Transfer &fill, std::uint32_t value, std::uint64_t start, std::uint64_t end) {
  if (!is_wanted(CUPTI_ACTIVITY_KIND_MEMSET)) return;
  CUpti_ActivityMemset4 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  record.value = value;
  record.bytes = fill.bytes;
  record.start = start;
  record.end = end;
  record.contextId = current_context_number();
  record.deviceId = record.contextId - 1;
  record.streamId = static_cast<std::uint32_t>(fill.stream);
  record.correlationId = fill.correlation;
  record.memoryKind = static_cast<std::uint16_t>(fill.to);
  append(record);
}

void add_mark(Mark kind, std::uint32_t id, const char *name) {
  if (!is_wanted(CUPTI_ACTIVITY_KIND_MARKER)) return;
  CUpti_ActivityMarker2 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MARKER;
  record.flags = static_cast<CUpti_ActivityFlag>(kind);
  record.timestamp = now();
  record.id = id;
  record.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  record.objectId.pt = {static_cast<std::uint32_t>(getpid()), thread_number()};
  record.name = name;
  append(record);
}

}  // namespace observe
}  // namespace warploom

using namespace warploom;
using namespace warploom::cupti;

extern "C" {

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc funcBufferRequested,
                                           CUpti_BuffersCallbackCompleteFunc funcBufferCompleted) {
  if (!funcBufferRequested || !funcBufferCompleted) return failed(CUPTI_ERROR_INVALID_PARAMETER);
  const std::lock_guard lock(state().mutex);
  state().request = funcBufferRequested;
  state().complete = funcBufferCompleted;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) { return enable(kind); }
CUptiResult cuptiActivityEnableContext(CUcontext, CUpti_ActivityKind kind) { return enable(kind); }

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  if (kind <= CUPTI_ACTIVITY_KIND_INVALID || kind >= kKinds) return failed(CUPTI_ERROR_INVALID_KIND);
  kinds.fetch_and(~(std::uint64_t{1} << kind));
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
  const std::lock_guard lock(state().mutex);
  *dropped = std::exchange(state().dropped, 0);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id) {
  if (kind <= CUPTI_EXTERNAL_CORRELATION_KIND_INVALID || kind >= CUPTI_EXTERNAL_CORRELATION_KIND_SIZE)
    return failed(CUPTI_ERROR_INVALID_PARAMETER);
  outer_ids.emplace_back(kind, id);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t *lastId) {
  const auto found =
      std::find_if(outer_ids.rbegin(), outer_ids.rend(), [=](const auto &each) { return each.first == kind; });
  if (found == outer_ids.rend()) return failed(CUPTI_ERROR_QUEUE_EMPTY);
  if (lastId) *lastId = found->second;
  outer_ids.erase(std::next(found).base());
  return CUPTI_SUCCESS;
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
  kinds = 0;
  note_change();
  return CUPTI_SUCCESS;
}

#define WARPLOOM_CUPTI_REFUSED(name, parameters) \
  CUptiResult name parameters { return refuse(#name, "counters of the hardware are not there on a CPU"); }
#include "warploom/cupti_refused.def"
#undef WARPLOOM_CUPTI_REFUSED

}  // extern "C"
