// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA arrays, texture and surface objects on the host side.
#include "../../../src/warploom/include/warploom/texture_object.h"
#include "fixture.h"

namespace {

const cudaChannelFormatDesc kFloat = {32, 0, 0, 0, cudaChannelFormatKindFloat};

void arrays() {
  test("creation", [] {
    const cudaChannelFormatDesc gap = {8, 0, 8, 0, cudaChannelFormatKindSigned};
    cudaArray_t array = nullptr;
    CHECK_ERROR(cudaMallocArray(&array, &gap, 4, 4), cudaErrorInvalidChannelDescriptor);
    CHECK_ERROR(cudaMallocArray(&array, &kFloat, 0, 0), cudaErrorInvalidValue);
    CHECK_OK(cudaMallocArray(&array, &kFloat, 4, 4));
    CHECK_OK(cudaFreeArray(array));
    CHECK_OK(cudaFreeArray(nullptr));
  });
  test("copies", [] {
    float host[4][4], back[16] = {}, run[6] = {};
    cudaArray_t array = nullptr, other = nullptr;
    for (int i = 0; i < 16; ++i) host[i / 4][i % 4] = static_cast<float>(i);
    CHECK_OK(cudaMallocArray(&array, &kFloat, 4, 4));
    CHECK_OK(cudaMallocArray(&other, &kFloat, 4, 4));
    CHECK_ERROR(cudaMemcpy2DToArray(array, 0, 0, host, 16, 16, 5, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    CHECK_ERROR(cudaMemcpy2DToArray(array, 0, 0, host, 16, 20, 2, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
    CHECK_OK(cudaMemcpy2DToArray(array, 0, 0, host, 16, 16, 4, cudaMemcpyHostToDevice));
    CHECK_OK(cudaMemcpyFromArray(run, array, 8, 1, sizeof run, cudaMemcpyDeviceToHost));
    CHECK(run[0] == 6 && run[1] == 7 && run[2] == 8 && run[5] == 11);
    CHECK_OK(cudaMemcpyArrayToArray(other, 0, 0, array, 0, 0, 64));
    cudaMemcpy3DParms copy = {};
    copy.srcArray = other;
    copy.srcPos = make_cudaPos(1, 1, 0);
    copy.dstPtr = make_cudaPitchedPtr(back, 8, 2, 2);
    copy.extent = make_cudaExtent(2, 2, 1);
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK_OK(cudaMemcpy3D(&copy));
    CHECK(back[0] == 5 && back[1] == 6 && back[2] == 9 && back[3] == 10);
    CHECK_OK(cudaFreeArray(array));
    CHECK_OK(cudaFreeArray(other));
    CHECK_ERROR(cudaFreeArray(other), cudaErrorInvalidResourceHandle);
  });
}

void objects() {
  test("textures", [] {
    void *memory = nullptr;
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    cudaTextureObject_t texture = 0;
    cudaSurfaceObject_t surface = 0;
    CHECK_OK(cudaMalloc(&memory, 256));
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear = {memory, kFloat, 256};
    CHECK_OK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    CHECK(reinterpret_cast<const warploom::TextureObject *>(texture)->levels[0].width == 64);
    CHECK_ERROR(cudaCreateSurfaceObject(&surface, &resource), cudaErrorInvalidValue);
    CHECK_OK(cudaDestroyTextureObject(texture));
    CHECK_OK(cudaDestroyTextureObject(0));
    resource.res.linear.sizeInBytes = 4096;  // more than there is: what is missing reads as 0
    CHECK_OK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    CHECK(reinterpret_cast<const warploom::TextureObject *>(texture)->levels[0].width == 64);
    CHECK_OK(cudaDestroyTextureObject(texture));
    resource.res.linear.devPtr = static_cast<char *>(memory) + 4;
    CHECK_ERROR(cudaCreateTextureObject(&texture, &resource, &description, nullptr), cudaErrorInvalidValue);
    CHECK_OK(cudaFree(memory));
  });
  test("settings that formats do not allow", [] {
    const cudaChannelFormatDesc integer = {32, 0, 0, 0, cudaChannelFormatKindSigned};
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    cudaTextureObject_t texture = 0;
    resource.resType = cudaResourceTypeArray;
    CHECK_OK(cudaMallocArray(&resource.res.array.array, &kFloat, 4, 4));
    description.readMode = cudaReadModeNormalizedFloat;
    CHECK_ERROR(cudaCreateTextureObject(&texture, &resource, &description, nullptr), cudaErrorInvalidNormSetting);
    CHECK_OK(cudaMallocArray(&resource.res.array.array, &integer, 4, 4));
    description.readMode = cudaReadModeElementType;
    description.filterMode = cudaFilterModeLinear;
    CHECK_ERROR(cudaCreateTextureObject(&texture, &resource, &description, nullptr), cudaErrorInvalidFilterSetting);
  });
}

}  // namespace

int main() {
  arrays();
  objects();
  return finish();
}
