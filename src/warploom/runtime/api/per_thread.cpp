// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --default-stream per-thread: the headers give entry points other names, under which stream 0 is the calling thread's
// own.
#include "stream.h"

namespace warploom {
namespace {

thread_local bool default_is_per_thread = false;

class PerThreadDefault {
 public:
  PerThreadDefault() { default_is_per_thread = true; }
  PerThreadDefault(const PerThreadDefault &) = delete;
  PerThreadDefault &operator=(const PerThreadDefault &) = delete;
  ~PerThreadDefault() { default_is_per_thread = false; }
};

}  // namespace

bool default_stream_is_per_thread() { return default_is_per_thread; }

}  // namespace warploom

#define WARPLOOM_PER_THREAD(name, suffix, parameters, arguments)                          \
  extern "C" __attribute__((visibility("default"))) cudaError_t name##suffix parameters { \
    const warploom::PerThreadDefault scope;                                               \
    return name arguments;                                                                \
  }

WARPLOOM_PER_THREAD(cudaEventRecord, _ptsz, (cudaEvent_t event, cudaStream_t stream), (event, stream))
WARPLOOM_PER_THREAD(cudaEventRecordWithFlags, _ptsz, (cudaEvent_t event, cudaStream_t stream, unsigned int flags),
                    (event, stream, flags))
WARPLOOM_PER_THREAD(cudaFreeAsync, _ptsz, (void *devPtr, cudaStream_t hStream), (devPtr, hStream))
WARPLOOM_PER_THREAD(cudaGraphLaunch, _ptsz, (cudaGraphExec_t graphExec, cudaStream_t stream), (graphExec, stream))
WARPLOOM_PER_THREAD(cudaLaunchCooperativeKernel, _ptsz,
                    (const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream),
                    (func, gridDim, blockDim, args, sharedMem, stream))
WARPLOOM_PER_THREAD(cudaLaunchHostFunc, _ptsz, (cudaStream_t stream, cudaHostFn_t fn, void *userData),
                    (stream, fn, userData))
WARPLOOM_PER_THREAD(cudaLaunchKernel, _ptsz,
                    (const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream),
                    (func, gridDim, blockDim, args, sharedMem, stream))
WARPLOOM_PER_THREAD(cudaLaunchKernelExC, _ptsz, (const cudaLaunchConfig_t *config, const void *func, void **args),
                    (config, func, args))
WARPLOOM_PER_THREAD(cudaMallocAsync, _ptsz, (void **devPtr, size_t size, cudaStream_t hStream), (devPtr, size, hStream))
WARPLOOM_PER_THREAD(cudaMallocFromPoolAsync, _ptsz,
                    (void **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream), (ptr, size, memPool, stream))
WARPLOOM_PER_THREAD(cudaMemcpy, _ptds, (void *dst, const void *src, size_t count, cudaMemcpyKind kind),
                    (dst, src, count, kind))
WARPLOOM_PER_THREAD(cudaMemcpy2D, _ptds,
                    (void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                     cudaMemcpyKind kind),
                    (dst, dpitch, src, spitch, width, height, kind))
WARPLOOM_PER_THREAD(cudaMemcpy2DArrayToArray, _ptds,
                    (cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src, size_t wOffsetSrc,
                     size_t hOffsetSrc, size_t width, size_t height, cudaMemcpyKind kind),
                    (dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, width, height, kind))
WARPLOOM_PER_THREAD(cudaMemcpy2DAsync, _ptsz,
                    (void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                     cudaMemcpyKind kind, cudaStream_t stream),
                    (dst, dpitch, src, spitch, width, height, kind, stream))
WARPLOOM_PER_THREAD(cudaMemcpy2DFromArray, _ptds,
                    (void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t width,
                     size_t height, cudaMemcpyKind kind),
                    (dst, dpitch, src, wOffset, hOffset, width, height, kind))
WARPLOOM_PER_THREAD(cudaMemcpy2DFromArrayAsync, _ptsz,
                    (void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t width,
                     size_t height, cudaMemcpyKind kind, cudaStream_t stream),
                    (dst, dpitch, src, wOffset, hOffset, width, height, kind, stream))
WARPLOOM_PER_THREAD(cudaMemcpy2DToArray, _ptds,
                    (cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch, size_t width,
                     size_t height, cudaMemcpyKind kind),
                    (dst, wOffset, hOffset, src, spitch, width, height, kind))
WARPLOOM_PER_THREAD(cudaMemcpy2DToArrayAsync, _ptsz,
                    (cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch, size_t width,
                     size_t height, cudaMemcpyKind kind, cudaStream_t stream),
                    (dst, wOffset, hOffset, src, spitch, width, height, kind, stream))
WARPLOOM_PER_THREAD(cudaMemcpy3D, _ptds, (const cudaMemcpy3DParms *p), (p))
WARPLOOM_PER_THREAD(cudaMemcpy3DAsync, _ptsz, (const cudaMemcpy3DParms *p, cudaStream_t stream), (p, stream))
WARPLOOM_PER_THREAD(cudaMemcpy3DPeer, _ptds, (const cudaMemcpy3DPeerParms *p), (p))
WARPLOOM_PER_THREAD(cudaMemcpy3DPeerAsync, _ptsz, (const cudaMemcpy3DPeerParms *p, cudaStream_t stream), (p, stream))
WARPLOOM_PER_THREAD(cudaMemcpyArrayToArray, _ptds,
                    (cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src, size_t wOffsetSrc,
                     size_t hOffsetSrc, size_t count, cudaMemcpyKind kind),
                    (dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, count, kind))
WARPLOOM_PER_THREAD(cudaMemcpyAsync, _ptsz,
                    (void *dst, const void *src, size_t count, cudaMemcpyKind kind, cudaStream_t stream),
                    (dst, src, count, kind, stream))
WARPLOOM_PER_THREAD(cudaMemcpyFromArray, _ptds,
                    (void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
                     cudaMemcpyKind kind),
                    (dst, src, wOffset, hOffset, count, kind))
WARPLOOM_PER_THREAD(cudaMemcpyFromArrayAsync, _ptsz,
                    (void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
                     cudaMemcpyKind kind, cudaStream_t stream),
                    (dst, src, wOffset, hOffset, count, kind, stream))
WARPLOOM_PER_THREAD(cudaMemcpyFromSymbol, _ptds,
                    (void *dst, const void *symbol, size_t count, size_t offset, cudaMemcpyKind kind),
                    (dst, symbol, count, offset, kind))
WARPLOOM_PER_THREAD(cudaMemcpyFromSymbolAsync, _ptsz,
                    (void *dst, const void *symbol, size_t count, size_t offset, cudaMemcpyKind kind,
                     cudaStream_t stream),
                    (dst, symbol, count, offset, kind, stream))
WARPLOOM_PER_THREAD(cudaMemcpyPeer, _ptds, (void *dst, int dstDevice, const void *src, int srcDevice, size_t count),
                    (dst, dstDevice, src, srcDevice, count))
WARPLOOM_PER_THREAD(cudaMemcpyPeerAsync, _ptsz,
                    (void *dst, int dstDevice, const void *src, int srcDevice, size_t count, cudaStream_t stream),
                    (dst, dstDevice, src, srcDevice, count, stream))
WARPLOOM_PER_THREAD(cudaMemcpyToArray, _ptds,
                    (cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count,
                     cudaMemcpyKind kind),
                    (dst, wOffset, hOffset, src, count, kind))
WARPLOOM_PER_THREAD(cudaMemcpyToArrayAsync, _ptsz,
                    (cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count,
                     cudaMemcpyKind kind, cudaStream_t stream),
                    (dst, wOffset, hOffset, src, count, kind, stream))
WARPLOOM_PER_THREAD(cudaMemcpyToSymbol, _ptds,
                    (const void *symbol, const void *src, size_t count, size_t offset, cudaMemcpyKind kind),
                    (symbol, src, count, offset, kind))
WARPLOOM_PER_THREAD(cudaMemcpyToSymbolAsync, _ptsz,
                    (const void *symbol, const void *src, size_t count, size_t offset, cudaMemcpyKind kind,
                     cudaStream_t stream),
                    (symbol, src, count, offset, kind, stream))
WARPLOOM_PER_THREAD(cudaMemset, _ptds, (void *devPtr, int value, size_t count), (devPtr, value, count))
WARPLOOM_PER_THREAD(cudaMemset2D, _ptds, (void *devPtr, size_t pitch, int value, size_t width, size_t height),
                    (devPtr, pitch, value, width, height))
WARPLOOM_PER_THREAD(cudaMemset2DAsync, _ptsz,
                    (void *devPtr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
                    (devPtr, pitch, value, width, height, stream))
WARPLOOM_PER_THREAD(cudaMemset3D, _ptds, (cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent),
                    (pitchedDevPtr, value, extent))
WARPLOOM_PER_THREAD(cudaMemset3DAsync, _ptsz,
                    (cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent, cudaStream_t stream),
                    (pitchedDevPtr, value, extent, stream))
WARPLOOM_PER_THREAD(cudaMemsetAsync, _ptsz, (void *devPtr, int value, size_t count, cudaStream_t stream),
                    (devPtr, value, count, stream))
WARPLOOM_PER_THREAD(cudaStreamAddCallback, _ptsz,
                    (cudaStream_t stream, cudaStreamCallback_t callback, void *userData, unsigned int flags),
                    (stream, callback, userData, flags))
WARPLOOM_PER_THREAD(cudaStreamAttachMemAsync, _ptsz,
                    (cudaStream_t stream, void *devPtr, size_t length, unsigned int flags),
                    (stream, devPtr, length, flags))
WARPLOOM_PER_THREAD(cudaStreamCopyAttributes, _ptsz, (cudaStream_t dst, cudaStream_t src), (dst, src))
WARPLOOM_PER_THREAD(cudaStreamGetAttribute, _ptsz,
                    (cudaStream_t hStream, cudaLaunchAttributeID attr, cudaLaunchAttributeValue *value_out),
                    (hStream, attr, value_out))
WARPLOOM_PER_THREAD(cudaStreamGetDevice, _ptsz, (cudaStream_t hStream, int *device), (hStream, device))
WARPLOOM_PER_THREAD(cudaStreamGetFlags, _ptsz, (cudaStream_t hStream, unsigned int *flags), (hStream, flags))
WARPLOOM_PER_THREAD(cudaStreamGetId, _ptsz, (cudaStream_t hStream, unsigned long long *streamId), (hStream, streamId))
WARPLOOM_PER_THREAD(cudaStreamGetPriority, _ptsz, (cudaStream_t hStream, int *priority), (hStream, priority))
WARPLOOM_PER_THREAD(cudaStreamQuery, _ptsz, (cudaStream_t stream), (stream))
WARPLOOM_PER_THREAD(cudaStreamSetAttribute, _ptsz,
                    (cudaStream_t hStream, cudaLaunchAttributeID attr, const cudaLaunchAttributeValue *value),
                    (hStream, attr, value))
WARPLOOM_PER_THREAD(cudaStreamSynchronize, _ptsz, (cudaStream_t stream), (stream))
WARPLOOM_PER_THREAD(cudaStreamWaitEvent, _ptsz, (cudaStream_t stream, cudaEvent_t event, unsigned int flags),
                    (stream, event, flags))
