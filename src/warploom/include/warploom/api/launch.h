// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions, launches, occupancy, and the calls that clang emits. Included by cuda_runtime_api.h inside extern "C".

WARPLOOM_API cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
                                          cudaStream_t stream);
// clang calls the one or the other for <<<...>>>, by its own option -fgpu-default-stream.
WARPLOOM_API cudaError_t cudaLaunchKernel_ptsz(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                                               size_t sharedMem, cudaStream_t stream);
WARPLOOM_API cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                                                     size_t sharedMem, cudaStream_t stream);
WARPLOOM_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args);
WARPLOOM_API cudaError_t cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams *launchParamsList,
                                                                unsigned int numDevices,
                                                                unsigned int flags WARPLOOM_DEFAULT(0));

WARPLOOM_DEVICE_API cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func);
WARPLOOM_API cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value);
WARPLOOM_API cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache cacheConfig);
WARPLOOM_API cudaError_t cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config);
WARPLOOM_API cudaError_t cudaFuncGetName(const char **name, const void *func);
WARPLOOM_API cudaError_t cudaFuncGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset,
                                              size_t *paramSize);
WARPLOOM_API cudaError_t cudaGetFuncBySymbol(cudaFunction_t *functionPtr, const void *symbolPtr);
WARPLOOM_API cudaError_t cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr);
WARPLOOM_API cudaError_t cudaSetDoubleForDevice(double *d);
WARPLOOM_API cudaError_t cudaSetDoubleForHost(double *d);

WARPLOOM_DEVICE_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func,
                                                                              int blockSize, size_t dynamicSMemSize);
WARPLOOM_DEVICE_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *func,
                                                                                       int blockSize,
                                                                                       size_t dynamicSMemSize,
                                                                                       unsigned int flags);
WARPLOOM_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const void *func,
                                                                   int numBlocks, int blockSize);
WARPLOOM_API cudaError_t cudaOccupancyMaxActiveClusters(int *numClusters, const void *func,
                                                        const cudaLaunchConfig_t *launchConfig);
WARPLOOM_API cudaError_t cudaOccupancyMaxPotentialClusterSize(int *clusterSize, const void *func,
                                                              const cudaLaunchConfig_t *launchConfig);

// Launches as they were spelt before CUDA 7.
WARPLOOM_API cudaError_t cudaConfigureCall(dim3 gridDim, dim3 blockDim, size_t sharedMem WARPLOOM_DEFAULT(0),
                                           cudaStream_t stream WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t cudaSetupArgument(const void *arg, size_t size, size_t offset);
WARPLOOM_API cudaError_t cudaLaunch(const void *func);

#if defined(__CUDACC__) && defined(__cplusplus)
// What <<<...>>> becomes in device code. A buffer is good for one launch; arguments lie in it one after the other, each
// at the next multiple of its type's alignment.
WARPLOOM_DEVICE_RUNTIME void *cudaGetParameterBuffer(size_t alignment, size_t size);
WARPLOOM_DEVICE_RUNTIME void *cudaGetParameterBufferV2(void *func, dim3 gridDimension, dim3 blockDimension,
                                                       unsigned int sharedMemSize);
WARPLOOM_DEVICE_RUNTIME cudaError_t cudaLaunchDevice(void *func, void *parameterBuffer, dim3 gridDimension,
                                                     dim3 blockDimension, unsigned int sharedMemSize,
                                                     cudaStream_t stream);
WARPLOOM_DEVICE_RUNTIME cudaError_t cudaLaunchDeviceV2(void *parameterBuffer, cudaStream_t stream);
#endif

// What <<<...>>> becomes, and what static constructors call.
WARPLOOM_API unsigned int __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem WARPLOOM_DEFAULT(0),
                                                      struct CUstream_st *stream WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem, void *stream);
