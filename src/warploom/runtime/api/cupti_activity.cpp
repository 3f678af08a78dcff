// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs, as CUPTI's records.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>
#include <vector>

#include "../engine.h"
#include "../observe.h"
#include "cupti_records.h"
#include "cupti_state.h"
#include "device.h"

namespace warploom {
namespace cupti {
namespace {

std::atomic<std::uint32_t> last_correlation{0};
std::atomic<std::int64_t> last_grid{0};
thread_local Call call;
thread_local std::vector<std::pair<CUpti_ExternalCorrelationKind, std::uint64_t>> outer_ids;

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

void note_change() {
  observe::add_kernel = record_kernel;
  observe::is_on = records_anything() || tells_anything();
}

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

std::uint32_t current_context_number() { return static_cast<std::uint32_t>(current_device()) + 1; }

void push_outer_id(CUpti_ExternalCorrelationKind kind, std::uint64_t id) { outer_ids.emplace_back(kind, id); }

bool pop_outer_id(CUpti_ExternalCorrelationKind kind, std::uint64_t *id) {
  const auto found =
      std::find_if(outer_ids.rbegin(), outer_ids.rend(), [=](const auto &each) { return each.first == kind; });
  if (found == outer_ids.rend()) return false;
  if (id != nullptr) *id = found->second;
  outer_ids.erase(std::next(found).base());
  return true;
}

}  // namespace cupti

namespace observe {

using namespace cupti;

std::uint32_t correlation() { return call.correlation; }

void enter(const char *function, const void *parameters) {
  const CUpti_CallbackDomain domain = domain_of(function);
  if (domain == CUPTI_CB_DOMAIN_INVALID) return;
  call = {function, parameters, domain, number_of(function), ++last_correlation, 0, 0, 0};
  tell(call, CUPTI_API_ENTER);
  call.start = now();
}

void note_result(int result) { call.result = result; }

void leave() {
  if (call.function == nullptr) return;
  add_call();
  tell(call, CUPTI_API_EXIT);
  call = {};
  deliver_many();
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
