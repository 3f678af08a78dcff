// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocation, arrays, pools, memset. Included by cuda_runtime_api.h inside extern "C".

WARPLOOM_DEVICE_API cudaError_t cudaMalloc(void **devPtr, size_t size);
WARPLOOM_DEVICE_API cudaError_t cudaFree(void *devPtr);
WARPLOOM_API cudaError_t cudaMallocHost(void **ptr, size_t size);
WARPLOOM_API cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags);
WARPLOOM_API cudaError_t cudaFreeHost(void *ptr);
WARPLOOM_API cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags);
WARPLOOM_API cudaError_t cudaHostUnregister(void *ptr);
WARPLOOM_API cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags);
WARPLOOM_API cudaError_t cudaHostGetFlags(unsigned int *pFlags, void *pHost);
WARPLOOM_API cudaError_t cudaMallocManaged(void **devPtr, size_t size,
                                           unsigned int flags WARPLOOM_DEFAULT(cudaMemAttachGlobal));
WARPLOOM_API cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height);
WARPLOOM_API cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr, struct cudaExtent extent);
WARPLOOM_API cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
WARPLOOM_API cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr);

WARPLOOM_API cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width,
                                         size_t height WARPLOOM_DEFAULT(0), unsigned int flags WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                                           struct cudaExtent extent, unsigned int flags WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t cudaFreeArray(cudaArray_t array);
WARPLOOM_API cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                                          unsigned int *flags, cudaArray_t array);
WARPLOOM_API cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmappedArray,
                                                  const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                                                  unsigned int numLevels, unsigned int flags WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray);
WARPLOOM_API cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *levelArray, cudaMipmappedArray_const_t mipmappedArray,
                                                    unsigned int level);

WARPLOOM_API cudaError_t cudaMemset(void *devPtr, int value, size_t count);
WARPLOOM_DEVICE_API cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count,
                                                cudaStream_t stream WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height);
WARPLOOM_DEVICE_API cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height,
                                                  cudaStream_t stream WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent);
WARPLOOM_DEVICE_API cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value,
                                                  struct cudaExtent extent, cudaStream_t stream WARPLOOM_DEFAULT(0));

WARPLOOM_API cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count, struct cudaMemLocation location,
                                              unsigned int flags, cudaStream_t stream WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t cudaMemPrefetchAsync_v2(const void *devPtr, size_t count, struct cudaMemLocation location,
                                                 unsigned int flags, cudaStream_t stream WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                                       struct cudaMemLocation location);
WARPLOOM_API cudaError_t cudaMemAdvise_v2(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                                          struct cudaMemLocation location);
WARPLOOM_API cudaError_t cudaMemRangeGetAttribute(void *data, size_t dataSize, enum cudaMemRangeAttribute attribute,
                                                  const void *devPtr, size_t count);
WARPLOOM_API cudaError_t cudaMemRangeGetAttributes(void **data, size_t *dataSizes,
                                                   enum cudaMemRangeAttribute *attributes, size_t numAttributes,
                                                   const void *devPtr, size_t count);

WARPLOOM_API cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream);
WARPLOOM_API cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t hStream);
WARPLOOM_API cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream);
WARPLOOM_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device);
WARPLOOM_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device);
WARPLOOM_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool);
WARPLOOM_API cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                                                  enum cudaMemAllocationType type);
WARPLOOM_API cudaError_t cudaMemGetMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                                           enum cudaMemAllocationType type);
WARPLOOM_API cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type,
                                           cudaMemPool_t memPool);
WARPLOOM_API cudaError_t cudaMemPoolCreate(cudaMemPool_t *memPool, const struct cudaMemPoolProps *poolProps);
WARPLOOM_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool);
WARPLOOM_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep);
WARPLOOM_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value);
WARPLOOM_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value);
WARPLOOM_API cudaError_t cudaMemPoolExportToShareableHandle(void *shareableHandle, cudaMemPool_t memPool,
                                                            enum cudaMemAllocationHandleType handleType,
                                                            unsigned int flags);
WARPLOOM_API cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *memPool, void *shareableHandle,
                                                              enum cudaMemAllocationHandleType handleType,
                                                              unsigned int flags);
WARPLOOM_API cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *exportData, void *ptr);
WARPLOOM_API cudaError_t cudaMemPoolImportPointer(void **ptr, cudaMemPool_t memPool,
                                                  struct cudaMemPoolPtrExportData *exportData);
WARPLOOM_API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool, const struct cudaMemAccessDesc *descList,
                                              size_t count);
WARPLOOM_API cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t memPool,
                                              struct cudaMemLocation *location);
