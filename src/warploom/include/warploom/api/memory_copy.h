// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies. Included by cuda_runtime_api.h inside extern "C".

WARPLOOM_API cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind);
WARPLOOM_DEVICE_API cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                                                cudaStream_t stream WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count);
WARPLOOM_API cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice, size_t count,
                                             cudaStream_t stream WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                                      size_t height, enum cudaMemcpyKind kind);
WARPLOOM_DEVICE_API cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                                                  size_t width, size_t height, enum cudaMemcpyKind kind,
                                                  cudaStream_t stream WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p);
WARPLOOM_DEVICE_API cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p,
                                                  cudaStream_t stream WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p);
WARPLOOM_API cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p,
                                               cudaStream_t stream WARPLOOM_DEFAULT(0));

WARPLOOM_API cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count,
                                            size_t offset WARPLOOM_DEFAULT(0),
                                            enum cudaMemcpyKind kind WARPLOOM_DEFAULT(cudaMemcpyHostToDevice));
WARPLOOM_API cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count,
                                              size_t offset WARPLOOM_DEFAULT(0),
                                              enum cudaMemcpyKind kind WARPLOOM_DEFAULT(cudaMemcpyDeviceToHost));
WARPLOOM_API cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count, size_t offset,
                                                 enum cudaMemcpyKind kind, cudaStream_t stream WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset,
                                                   enum cudaMemcpyKind kind, cudaStream_t stream WARPLOOM_DEFAULT(0));
// `address` if it stands for a device variable, else the address that stands for the variable of that name; `address`
// again when there is none.
WARPLOOM_API const void *__warploom_symbol_key(const void *address, const char *name, size_t size);
WARPLOOM_API cudaError_t cudaGetSymbolAddress(void **devPtr, const void *symbol);
WARPLOOM_API cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol);

WARPLOOM_API cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                             size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind);
WARPLOOM_API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                                  size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind,
                                                  cudaStream_t stream WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
                                               size_t hOffset, size_t width, size_t height, enum cudaMemcpyKind kind);
WARPLOOM_API cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
                                                    size_t hOffset, size_t width, size_t height,
                                                    enum cudaMemcpyKind kind, cudaStream_t stream WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                                  cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                                  size_t width, size_t height,
                                                  enum cudaMemcpyKind kind WARPLOOM_DEFAULT(cudaMemcpyDeviceToDevice));
WARPLOOM_API cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                           size_t count, enum cudaMemcpyKind kind);
WARPLOOM_API cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                                size_t count, enum cudaMemcpyKind kind,
                                                cudaStream_t stream WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                             size_t count, enum cudaMemcpyKind kind);
WARPLOOM_API cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                                  size_t count, enum cudaMemcpyKind kind,
                                                  cudaStream_t stream WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                                cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                                size_t count,
                                                enum cudaMemcpyKind kind WARPLOOM_DEFAULT(cudaMemcpyDeviceToDevice));
