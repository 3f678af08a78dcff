// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA driver API: devices, contexts, memory, streams, events, launches, and modules that warpcc -fatbin, -cubin or
// -ptx wrote.
#ifndef WARPLOOM_CUDA_H
#define WARPLOOM_CUDA_H
// What programs ask for when they want to know whether this header was included.
#define __cuda_cuda_h__

#include <stddef.h>
#include <stdint.h>

#include "warploom/driver_enums.h"

#define CUDA_VERSION 13000
#define CUDA_CB
#ifndef CUDAAPI
#define CUDAAPI
#endif
#define WARPLOOM_DRIVER_API __attribute__((visibility("default")))

typedef int CUdevice;
typedef CUdevice CUdevice_v1;
typedef unsigned long long CUdeviceptr;
typedef CUdeviceptr CUdeviceptr_v2;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUkern_st *CUkernel;
typedef struct CUarray_st *CUarray;
typedef struct CUmipmappedArray_st *CUmipmappedArray;
typedef struct CUevent_st *CUevent;
typedef struct CUstream_st *CUstream;
typedef struct CUgraph_st *CUgraph;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef struct CUlinkState_st *CUlinkState;
typedef enum CUjit_option_enum {
  CU_JIT_MAX_REGISTERS = 0,
  CU_JIT_THREADS_PER_BLOCK = 1,
  CU_JIT_WALL_TIME = 2,
  CU_JIT_INFO_LOG_BUFFER = 3,
  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  CU_JIT_OPTIMIZATION_LEVEL = 7,
  CU_JIT_TARGET_FROM_CUCONTEXT = 8,
  CU_JIT_TARGET = 9,
  CU_JIT_FALLBACK_STRATEGY = 10,
  CU_JIT_GENERATE_DEBUG_INFO = 11,
  CU_JIT_LOG_VERBOSE = 12,
  CU_JIT_GENERATE_LINE_INFO = 13,
  CU_JIT_CACHE_MODE = 14,
  CU_JIT_NEW_SM3X_OPT = 15,
  CU_JIT_FAST_COMPILE = 16,
  CU_JIT_GLOBAL_SYMBOL_NAMES = 17,
  CU_JIT_GLOBAL_SYMBOL_ADDRESSES = 18,
  CU_JIT_GLOBAL_SYMBOL_COUNT = 19,
  CU_JIT_LTO = 20,
  CU_JIT_FTZ = 21,
  CU_JIT_PREC_DIV = 22,
  CU_JIT_PREC_SQRT = 23,
  CU_JIT_FMA = 24,
  CU_JIT_REFERENCED_KERNEL_NAMES = 25,
  CU_JIT_REFERENCED_KERNEL_COUNT = 26,
  CU_JIT_REFERENCED_VARIABLE_NAMES = 27,
  CU_JIT_REFERENCED_VARIABLE_COUNT = 28,
  CU_JIT_OPTIMIZE_UNUSED_DEVICE_VARIABLES = 29,
  CU_JIT_POSITION_INDEPENDENT_CODE = 30,
  CU_JIT_MIN_CTA_PER_SM = 31,
  CU_JIT_MAX_THREADS_PER_BLOCK = 32,
  CU_JIT_OVERRIDE_DIRECTIVE_VALUES = 33,
  CU_JIT_SPLIT_COMPILE = 34
} CUjit_option;
typedef enum CUjitInputType_enum {
  CU_JIT_INPUT_CUBIN = 0,
  CU_JIT_INPUT_PTX = 1,
  CU_JIT_INPUT_FATBINARY = 2,
  CU_JIT_INPUT_OBJECT = 3,
  CU_JIT_INPUT_LIBRARY = 4,
  CU_JIT_INPUT_NVVM = 5
} CUjitInputType;
typedef void (*CUhostFn)(void *userData);
typedef size_t (*CUoccupancyB2DSize)(int blockSize);
#ifndef WARPLOOM_CUUUID
#define WARPLOOM_CUUUID
typedef struct CUuuid_st {
  char bytes[16];
} CUuuid;
#endif

#define CU_STREAM_LEGACY ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)
#define CU_DEVICE_CPU ((CUdevice) - 1)
#define CU_DEVICE_INVALID ((CUdevice) - 2)
#define CU_LAUNCH_PARAM_END ((void *)0x00)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void *)0x02)

#ifdef __cplusplus
extern "C" {
#endif

WARPLOOM_DRIVER_API CUresult cuInit(unsigned int Flags);
WARPLOOM_DRIVER_API CUresult cuDriverGetVersion(int *driverVersion);
WARPLOOM_DRIVER_API CUresult cuGetErrorName(CUresult error, const char **pStr);
WARPLOOM_DRIVER_API CUresult cuGetErrorString(CUresult error, const char **pStr);
WARPLOOM_DRIVER_API CUresult cuDeviceGet(CUdevice *device, int ordinal);
WARPLOOM_DRIVER_API CUresult cuDeviceGetCount(int *count);
WARPLOOM_DRIVER_API CUresult cuDeviceGetName(char *name, int len, CUdevice dev);
WARPLOOM_DRIVER_API CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev);
WARPLOOM_DRIVER_API CUresult cuDeviceTotalMem(size_t *bytes, CUdevice dev);
WARPLOOM_DRIVER_API CUresult cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev);
WARPLOOM_DRIVER_API CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev);
WARPLOOM_DRIVER_API CUresult cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev);
WARPLOOM_DRIVER_API CUresult cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId);
WARPLOOM_DRIVER_API CUresult cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev);
WARPLOOM_DRIVER_API CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev);
WARPLOOM_DRIVER_API CUresult cuDevicePrimaryCtxRelease(CUdevice dev);
WARPLOOM_DRIVER_API CUresult cuDevicePrimaryCtxReset(CUdevice dev);
WARPLOOM_DRIVER_API CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags);
WARPLOOM_DRIVER_API CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active);
WARPLOOM_DRIVER_API CUresult cuCtxCreate(CUcontext *pctx, unsigned int flags, CUdevice dev);
WARPLOOM_DRIVER_API CUresult cuCtxDestroy(CUcontext ctx);
WARPLOOM_DRIVER_API CUresult cuCtxPushCurrent(CUcontext ctx);
WARPLOOM_DRIVER_API CUresult cuCtxPopCurrent(CUcontext *pctx);
WARPLOOM_DRIVER_API CUresult cuCtxSetCurrent(CUcontext ctx);
WARPLOOM_DRIVER_API CUresult cuCtxGetCurrent(CUcontext *pctx);
WARPLOOM_DRIVER_API CUresult cuCtxGetDevice(CUdevice *device);
WARPLOOM_DRIVER_API CUresult cuCtxSynchronize(void);
WARPLOOM_DRIVER_API CUresult cuCtxSetLimit(CUlimit limit, size_t value);
WARPLOOM_DRIVER_API CUresult cuCtxGetLimit(size_t *pvalue, CUlimit limit);
WARPLOOM_DRIVER_API CUresult cuCtxSetCacheConfig(CUfunc_cache config);
WARPLOOM_DRIVER_API CUresult cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority);
WARPLOOM_DRIVER_API CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags);
WARPLOOM_DRIVER_API CUresult cuMemGetInfo(size_t *free, size_t *total);
WARPLOOM_DRIVER_API CUresult cuMemAlloc(CUdeviceptr *dptr, size_t bytesize);
WARPLOOM_DRIVER_API CUresult cuMemAllocPitch(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height,
                                             unsigned int ElementSizeBytes);
WARPLOOM_DRIVER_API CUresult cuMemFree(CUdeviceptr dptr);
WARPLOOM_DRIVER_API CUresult cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags);
WARPLOOM_DRIVER_API CUresult cuMemAllocHost(void **pp, size_t bytesize);
WARPLOOM_DRIVER_API CUresult cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags);
WARPLOOM_DRIVER_API CUresult cuMemFreeHost(void *p);
WARPLOOM_DRIVER_API CUresult cuMemHostGetDevicePointer(CUdeviceptr *pdptr, void *p, unsigned int Flags);
WARPLOOM_DRIVER_API CUresult cuMemHostRegister(void *p, size_t bytesize, unsigned int Flags);
WARPLOOM_DRIVER_API CUresult cuMemHostUnregister(void *p);
WARPLOOM_DRIVER_API CUresult cuMemGetAddressRange(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr);
WARPLOOM_DRIVER_API CUresult cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream);
WARPLOOM_DRIVER_API CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream);
WARPLOOM_DRIVER_API CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount);
WARPLOOM_DRIVER_API CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream);
WARPLOOM_DRIVER_API CUresult cuMemcpyHtoD(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount);
WARPLOOM_DRIVER_API CUresult cuMemcpyDtoH(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount);
WARPLOOM_DRIVER_API CUresult cuMemcpyDtoD(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount);
WARPLOOM_DRIVER_API CUresult cuMemcpyHtoDAsync(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount,
                                               CUstream hStream);
WARPLOOM_DRIVER_API CUresult cuMemcpyDtoHAsync(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount,
                                               CUstream hStream);
WARPLOOM_DRIVER_API CUresult cuMemcpyDtoDAsync(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
                                               CUstream hStream);
WARPLOOM_DRIVER_API CUresult cuMemsetD8(CUdeviceptr dstDevice, unsigned char uc, size_t N);
WARPLOOM_DRIVER_API CUresult cuMemsetD16(CUdeviceptr dstDevice, unsigned short us, size_t N);
WARPLOOM_DRIVER_API CUresult cuMemsetD32(CUdeviceptr dstDevice, unsigned int ui, size_t N);
WARPLOOM_DRIVER_API CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream);
WARPLOOM_DRIVER_API CUresult cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream);
WARPLOOM_DRIVER_API CUresult cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream);
WARPLOOM_DRIVER_API CUresult cuMemsetD2D32(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
                                           size_t Height);
WARPLOOM_DRIVER_API CUresult cuStreamCreate(CUstream *phStream, unsigned int Flags);
WARPLOOM_DRIVER_API CUresult cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority);
WARPLOOM_DRIVER_API CUresult cuStreamDestroy(CUstream hStream);
WARPLOOM_DRIVER_API CUresult cuStreamQuery(CUstream hStream);
WARPLOOM_DRIVER_API CUresult cuStreamSynchronize(CUstream hStream);
WARPLOOM_DRIVER_API CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags);
WARPLOOM_DRIVER_API CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData);
WARPLOOM_DRIVER_API CUresult cuEventCreate(CUevent *phEvent, unsigned int Flags);
WARPLOOM_DRIVER_API CUresult cuEventRecord(CUevent hEvent, CUstream hStream);
WARPLOOM_DRIVER_API CUresult cuEventQuery(CUevent hEvent);
WARPLOOM_DRIVER_API CUresult cuEventSynchronize(CUevent hEvent);
WARPLOOM_DRIVER_API CUresult cuEventDestroy(CUevent hEvent);
WARPLOOM_DRIVER_API CUresult cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd);
WARPLOOM_DRIVER_API CUresult cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc);
WARPLOOM_DRIVER_API CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value);
WARPLOOM_DRIVER_API CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config);
WARPLOOM_DRIVER_API CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                            unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                                            unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                                            void **kernelParams, void **extra);
WARPLOOM_DRIVER_API CUresult cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z);
WARPLOOM_DRIVER_API CUresult cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes);
WARPLOOM_DRIVER_API CUresult cuParamSetSize(CUfunction hfunc, unsigned int numbytes);
WARPLOOM_DRIVER_API CUresult cuParamSeti(CUfunction hfunc, int offset, unsigned int value);
WARPLOOM_DRIVER_API CUresult cuParamSetf(CUfunction hfunc, int offset, float value);
WARPLOOM_DRIVER_API CUresult cuParamSetv(CUfunction hfunc, int offset, void *ptr, unsigned int numbytes);
WARPLOOM_DRIVER_API CUresult cuLaunch(CUfunction f);
WARPLOOM_DRIVER_API CUresult cuLaunchGrid(CUfunction f, int grid_width, int grid_height);
WARPLOOM_DRIVER_API CUresult cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height, CUstream hStream);
WARPLOOM_DRIVER_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func, int blockSize,
                                                                         size_t dynamicSMemSize);
WARPLOOM_DRIVER_API CUresult cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func,
                                                              CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                                              size_t dynamicSMemSize, int blockSizeLimit);
WARPLOOM_DRIVER_API CUresult cuProfilerStart(void);
WARPLOOM_DRIVER_API CUresult cuProfilerStop(void);
WARPLOOM_DRIVER_API CUresult cuModuleLoad(CUmodule *module, const char *fname);
WARPLOOM_DRIVER_API CUresult cuModuleLoadData(CUmodule *module, const void *image);
WARPLOOM_DRIVER_API CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions,
                                                CUjit_option *options, void **optionValues);
WARPLOOM_DRIVER_API CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin);
WARPLOOM_DRIVER_API CUresult cuModuleUnload(CUmodule hmod);
WARPLOOM_DRIVER_API CUresult cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name);
WARPLOOM_DRIVER_API CUresult cuModuleGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name);
WARPLOOM_DRIVER_API CUresult cuLinkCreate(unsigned int numOptions, CUjit_option *options, void **optionValues,
                                          CUlinkState *stateOut);
WARPLOOM_DRIVER_API CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size,
                                           const char *name, unsigned int numOptions, CUjit_option *options,
                                           void **optionValues);
WARPLOOM_DRIVER_API CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path,
                                           unsigned int numOptions, CUjit_option *options, void **optionValues);
WARPLOOM_DRIVER_API CUresult cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut);
WARPLOOM_DRIVER_API CUresult cuLinkDestroy(CUlinkState state);

#include "warploom/driver_textures.h"
#include "warploom/driver_virtual_memory.h"
#include "warploom/driver_graphs.h"
#include "warploom/driver_memory.h"
#include "warploom/driver_streams.h"
#include "warploom/driver_libraries.h"
#include "warploom/driver_graph_nodes.h"
#include "warploom/driver_refused.h"

#ifdef __cplusplus
}

// CUDA 13 has creation parameters in front of the flags; none of them has a meaning here.
struct CUctxCreateParams {
  void *execAffinityParams;
  int numExecAffinityParams;
  void *cigParams;
};

inline CUresult cuCtxCreate(CUcontext *context, const CUctxCreateParams *parameters, unsigned int flags,
                            CUdevice device) {
  const bool any = parameters && (parameters->numExecAffinityParams || parameters->cigParams);
  return any ? CUDA_ERROR_NOT_SUPPORTED : cuCtxCreate(context, flags, device);
}
#endif

#endif
