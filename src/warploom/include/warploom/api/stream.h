// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events. Included by cuda_runtime_api.h inside extern "C".

WARPLOOM_API cudaError_t cudaStreamCreate(cudaStream_t *pStream);
WARPLOOM_DEVICE_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags);
WARPLOOM_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags, int priority);
WARPLOOM_DEVICE_API cudaError_t cudaStreamDestroy(cudaStream_t stream);
WARPLOOM_API cudaError_t cudaStreamQuery(cudaStream_t stream);
WARPLOOM_API cudaError_t cudaStreamSynchronize(cudaStream_t stream);
WARPLOOM_DEVICE_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                                    unsigned int flags WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *userData,
                                               unsigned int flags);
WARPLOOM_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData);
WARPLOOM_API cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int *priority);
WARPLOOM_API cudaError_t cudaStreamGetFlags(cudaStream_t hStream, unsigned int *flags);
WARPLOOM_API cudaError_t cudaStreamGetId(cudaStream_t hStream, unsigned long long *streamId);
WARPLOOM_API cudaError_t cudaStreamGetDevice(cudaStream_t hStream, int *device);
WARPLOOM_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr, size_t length WARPLOOM_DEFAULT(0),
                                                  unsigned int flags WARPLOOM_DEFAULT(cudaMemAttachSingle));
WARPLOOM_API cudaError_t cudaStreamSetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                                const cudaLaunchAttributeValue *value);
WARPLOOM_API cudaError_t cudaStreamGetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                                cudaLaunchAttributeValue *value_out);
WARPLOOM_API cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src);
WARPLOOM_API cudaError_t cudaCtxResetPersistingL2Cache(void);

WARPLOOM_API cudaError_t cudaEventCreate(cudaEvent_t *event);
WARPLOOM_DEVICE_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
WARPLOOM_DEVICE_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream WARPLOOM_DEFAULT(0));
WARPLOOM_DEVICE_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream WARPLOOM_DEFAULT(0),
                                                         unsigned int flags WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t cudaEventQuery(cudaEvent_t event);
WARPLOOM_API cudaError_t cudaEventSynchronize(cudaEvent_t event);
WARPLOOM_DEVICE_API cudaError_t cudaEventDestroy(cudaEvent_t event);
WARPLOOM_API cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end);
