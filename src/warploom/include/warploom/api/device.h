// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices, errors, versions, peers. Included by cuda_runtime_api.h inside extern "C".

WARPLOOM_DEVICE_API cudaError_t cudaGetLastError(void);
WARPLOOM_DEVICE_API cudaError_t cudaPeekAtLastError(void);
WARPLOOM_DEVICE_API const char *cudaGetErrorName(cudaError_t error);
WARPLOOM_DEVICE_API const char *cudaGetErrorString(cudaError_t error);

WARPLOOM_DEVICE_API cudaError_t cudaGetDeviceCount(int *count);
WARPLOOM_DEVICE_API cudaError_t cudaGetDevice(int *device);
WARPLOOM_API cudaError_t cudaSetDevice(int device);
WARPLOOM_API cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags);
WARPLOOM_API cudaError_t cudaSetValidDevices(int *device_arr, int len);
WARPLOOM_API cudaError_t cudaSetDeviceFlags(unsigned int flags);
WARPLOOM_API cudaError_t cudaGetDeviceFlags(unsigned int *flags);
WARPLOOM_API cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device);
WARPLOOM_DEVICE_API cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device);
WARPLOOM_API cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop);
WARPLOOM_API cudaError_t cudaDeviceReset(void);
WARPLOOM_DEVICE_API cudaError_t cudaDeviceSynchronize(void);
WARPLOOM_API cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
WARPLOOM_DEVICE_API cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
WARPLOOM_DEVICE_API cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config);
WARPLOOM_API cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config);
WARPLOOM_DEVICE_API cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config);
WARPLOOM_API cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
WARPLOOM_API cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority);
WARPLOOM_API cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device);
WARPLOOM_API cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pciBusId);
WARPLOOM_API cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *maxWidth,
                                                              const struct cudaChannelFormatDesc *desc, int device);
WARPLOOM_API cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(int target, int scope);
WARPLOOM_API cudaError_t cudaDriverGetVersion(int *driverVersion);
WARPLOOM_DEVICE_API cudaError_t cudaRuntimeGetVersion(int *runtimeVersion);

// Names that CUDA dropped.
WARPLOOM_API cudaError_t cudaThreadExit(void);
WARPLOOM_API cudaError_t cudaThreadSynchronize(void);
WARPLOOM_API cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value);
WARPLOOM_API cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit);
WARPLOOM_API cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config);
WARPLOOM_API cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config);

WARPLOOM_API cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice);
WARPLOOM_API cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags);
WARPLOOM_API cudaError_t cudaDeviceDisablePeerAccess(int peerDevice);
WARPLOOM_API cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int srcDevice,
                                                   int dstDevice);

WARPLOOM_API cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event);
WARPLOOM_API cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle);
WARPLOOM_API cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *devPtr);
WARPLOOM_API cudaError_t cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t handle, unsigned int flags);
WARPLOOM_API cudaError_t cudaIpcCloseMemHandle(void *devPtr);

WARPLOOM_API cudaError_t cudaProfilerStart(void);
WARPLOOM_API cudaError_t cudaProfilerStop(void);
