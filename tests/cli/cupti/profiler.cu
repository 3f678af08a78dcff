// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A profiler within a program, as its users write them: callbacks at calls, records of what ran.
#include <cupti.h>
#include <cuda_runtime.h>
#include <nvToolsExt.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call)                      \
  do {                                   \
    CUptiResult r = (call);              \
    if (r != CUPTI_SUCCESS) {            \
      const char *t;                     \
      cuptiGetResultString(r, &t);       \
      std::printf("%s: %s\n", #call, t); \
      std::exit(1);                      \
    }                                    \
  } while (0)

__global__ void scale(float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= 2;
}

static void CUPTIAPI requested(uint8_t **buffer, size_t *size, size_t *records) {
  *size = 4096;
  *records = 0;
  *buffer = static_cast<uint8_t *>(std::aligned_alloc(8, 4096));
}
static unsigned launch_id = 0;
static int enters = 0, exits = 0;
static void CUPTIAPI completed(CUcontext, uint32_t, uint8_t *buffer, size_t size, size_t valid) {
  CUpti_Activity *record = nullptr;
  CUptiResult status;
  while ((status = cuptiActivityGetNextRecord(buffer, valid, &record)) == CUPTI_SUCCESS) {
    switch (record->kind) {
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
        auto *k = reinterpret_cast<CUpti_ActivityKernel9 *>(record);
        std::printf("kernel %s grid %d block %d shared %d took %d correlated %d\n", k->name, k->gridX, k->blockX,
                    k->dynamicSharedMemory, k->end >= k->start, k->correlationId == launch_id);
        break;
      }
      case CUPTI_ACTIVITY_KIND_MEMCPY: {
        auto *m = reinterpret_cast<CUpti_ActivityMemcpy5 *>(record);
        std::printf("memcpy kind %d bytes %llu from %d to %d\n", m->copyKind, (unsigned long long)m->bytes, m->srcKind,
                    m->dstKind);
        break;
      }
      case CUPTI_ACTIVITY_KIND_MEMSET:
        std::printf("memset %llu value %u\n",
                    (unsigned long long)reinterpret_cast<CUpti_ActivityMemset4 *>(record)->bytes,
                    reinterpret_cast<CUpti_ActivityMemset4 *>(record)->value);
        break;
      case CUPTI_ACTIVITY_KIND_RUNTIME: {
        auto *a = reinterpret_cast<CUpti_ActivityAPI *>(record);
        const char *name;
        cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API, a->cbid, &name);
        std::printf("call %s %u\n", name, a->returnValue);
        break;
      }
      case CUPTI_ACTIVITY_KIND_MARKER: {
        auto *a = reinterpret_cast<CUpti_ActivityMarker2 *>(record);
        std::printf("marker %d %s\n", a->flags, a->name ? a->name : "");
        break;
      }
      case CUPTI_ACTIVITY_KIND_DEVICE:
        std::printf("device %d.%d\n", reinterpret_cast<CUpti_ActivityDevice5 *>(record)->computeCapabilityMajor,
                    reinterpret_cast<CUpti_ActivityDevice5 *>(record)->computeCapabilityMinor);
        break;
      case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
        std::printf("outer %llu\n",
                    (unsigned long long)reinterpret_cast<CUpti_ActivityExternalCorrelation *>(record)->externalId);
        break;
      default:
        std::printf("kind %d\n", record->kind);
    }
  }
  if (status != CUPTI_ERROR_MAX_LIMIT_REACHED) std::printf("odd end\n");
  std::free(buffer);
}
static void CUPTIAPI called(void *userdata, CUpti_CallbackDomain domain, CUpti_CallbackId cbid, const void *raw) {
  auto *data = static_cast<const CUpti_CallbackData *>(raw);
  if (domain != CUPTI_CB_DOMAIN_RUNTIME_API) return;
  (data->callbackSite == CUPTI_API_ENTER ? enters : exits)++;
  if (cbid == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000 && data->callbackSite == CUPTI_API_ENTER) {
    auto *p = static_cast<const cudaLaunchKernel_v7000_params *>(data->functionParams);
    launch_id = data->correlationId;
    *data->correlationData = 77;
    std::printf("launch of %s: grid %u block %u\n", data->symbolName, p->gridDim.x, p->blockDim.x);
  }
  if (cbid == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000 && data->callbackSite == CUPTI_API_EXIT)
    std::printf("launched: %d, %llu\n", *static_cast<cudaError_t *>(data->functionReturnValue),
                (unsigned long long)*data->correlationData);
  ++*static_cast<int *>(userdata);
}
int main() {
  int calls = 0;
  CUpti_SubscriberHandle subscriber;
  CHECK(cuptiSubscribe(&subscriber, called, &calls));
  CHECK(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API));
  CHECK(cuptiActivityRegisterCallbacks(requested, completed));
  for (auto kind : {CUPTI_ACTIVITY_KIND_DEVICE, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                    CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_MARKER,
                    CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, CUPTI_ACTIVITY_KIND_NAME})
    CHECK(cuptiActivityEnable(kind));
  float host[64] = {}, *device;
  cudaMalloc(&device, sizeof host);
  nvtxRangePushA("work");
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  CHECK(cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 42));
  scale<<<2, 32, 16>>>(device, 64);
  uint64_t id;
  CHECK(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &id));
  nvtxRangePop();
  cudaMemset(device, 1, 100);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(reinterpret_cast<void *>(8));
  cudaDeviceSynchronize();
  CHECK(cuptiActivityFlushAll(0));
  CHECK(cuptiUnsubscribe(subscriber));
  std::printf("calls %d, enters %d, exits %d\n", calls, enters, exits);
  CUpti_EventID event;
  std::printf("events: %d; pc sampling: %d\n", cuptiEventGetIdFromName(0, "active_warps", &event),
              cuptiActivityEnable(CUPTI_ACTIVITY_KIND_PC_SAMPLING));
}
