// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface objects; texture references, which CUDA 12 dropped. Included by cuda_runtime_api.h inside
// extern "C".

WARPLOOM_API struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                                enum cudaChannelFormatKind f);
WARPLOOM_API cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array);

WARPLOOM_API cudaError_t cudaCreateTextureObject(cudaTextureObject_t *pTexObject,
                                                 const struct cudaResourceDesc *pResDesc,
                                                 const struct cudaTextureDesc *pTexDesc,
                                                 const struct cudaResourceViewDesc *pResViewDesc);
WARPLOOM_API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texObject);
WARPLOOM_API cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *pResDesc,
                                                          cudaTextureObject_t texObject);
WARPLOOM_API cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *pTexDesc,
                                                         cudaTextureObject_t texObject);
WARPLOOM_API cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *pResViewDesc,
                                                              cudaTextureObject_t texObject);
WARPLOOM_API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *pSurfObject,
                                                 const struct cudaResourceDesc *pResDesc);
WARPLOOM_API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject);
WARPLOOM_API cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *pResDesc,
                                                          cudaSurfaceObject_t surfObject);

WARPLOOM_API cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *texref, const void *devPtr,
                                         const struct cudaChannelFormatDesc *desc,
                                         size_t size WARPLOOM_DEFAULT(UINT_MAX));
WARPLOOM_API cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *texref, const void *devPtr,
                                           const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
                                           size_t pitch);
WARPLOOM_API cudaError_t cudaBindTextureToArray(const struct textureReference *texref, cudaArray_const_t array,
                                                const struct cudaChannelFormatDesc *desc);
WARPLOOM_API cudaError_t cudaBindTextureToMipmappedArray(const struct textureReference *texref,
                                                         cudaMipmappedArray_const_t mipmappedArray,
                                                         const struct cudaChannelFormatDesc *desc);
WARPLOOM_API cudaError_t cudaUnbindTexture(const struct textureReference *texref);
WARPLOOM_API cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *texref);
WARPLOOM_API cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *surfref, cudaArray_const_t array,
                                                const struct cudaChannelFormatDesc *desc);
WARPLOOM_API cudaError_t cudaGetSurfaceReference(const struct surfaceReference **surfref, const void *symbol);
WARPLOOM_API cudaError_t cudaGetTextureReference(const struct textureReference **texref, const void *symbol);
