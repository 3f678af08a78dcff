// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocation and copies; what an H200 answers to wrong pointers, sizes and kinds.
#include <set>
#include <vector>

#include "fixture.h"

namespace {

void *allocated(std::size_t size) {
  void *pointer = nullptr;
  CHECK_OK(cudaMalloc(&pointer, size));
  return pointer;
}

void allocation() {
  test("sizes", [] {
    void *pointer = &pointer;
    CHECK_OK(cudaMalloc(&pointer, 0));
    CHECK(pointer == nullptr);
    CHECK_ERROR(cudaMalloc(&pointer, std::size_t{1} << 60), cudaErrorMemoryAllocation);
    CHECK_ERROR(cudaMalloc(nullptr, 4), cudaErrorInvalidValue);
    CHECK_OK(cudaMallocManaged(&pointer, 0));
    CHECK(pointer == nullptr);
    for (std::size_t size : {1UL, 300UL, 70000UL, 5UL << 20}) {
      pointer = allocated(size);
      CHECK(reinterpret_cast<std::uintptr_t>(pointer) % 256 == 0);
      std::memset(pointer, 1, size);
      CHECK_OK(cudaFree(pointer));
    }
  });
  test("large blocks begin at different places of a page", [] {
    const std::size_t size = 4UL << 20;
    std::vector<void *> blocks;
    std::set<std::uintptr_t> places;
    for (int i = 0; i < 8; ++i) {
      blocks.push_back(allocated(size));
      const auto address = reinterpret_cast<std::uintptr_t>(blocks.back());
      CHECK(address % 512 == 0);
      places.insert(address % 4096);
      std::memset(blocks.back(), i, size);
    }
    CHECK(places.size() == blocks.size());
    for (void *block : blocks) CHECK_OK(cudaFree(block));
  });
  test("free", [] {
    int local = 0;
    void *pinned = nullptr, *pointer = allocated(100);
    CHECK_OK(cudaMallocHost(&pinned, 64));
    CHECK_OK(cudaFree(nullptr));
    CHECK_ERROR(cudaFree(&local), cudaErrorInvalidValue);
    CHECK_ERROR(cudaFree(static_cast<char *>(pointer) + 16), cudaErrorInvalidValue);
    CHECK_ERROR(cudaFree(pinned), cudaErrorInvalidValue);
    CHECK_ERROR(cudaFreeHost(pointer), cudaErrorInvalidValue);
    CHECK_OK(cudaFree(pointer));
    CHECK_ERROR(cudaFree(pointer), cudaErrorInvalidValue);
    CHECK_OK(cudaFreeHost(pinned));
  });
  test("the limit counts what is live", [] {
    std::size_t free_before = 0, free_after = 0, total = 0;
    CHECK_OK(cudaMemGetInfo(&free_before, &total));
    CHECK(total == 64UL << 20);  // WARPLOOM_DEVICE_MEMORY of this test
    void *pointer = allocated(60UL << 20), *second = nullptr;
    CHECK_OK(cudaMemGetInfo(&free_after, nullptr));
    CHECK(free_after <= 4UL << 20);
    CHECK_ERROR(cudaMalloc(&second, 5UL << 20), cudaErrorMemoryAllocation);
    CHECK_OK(cudaFree(pointer));
    CHECK_OK(cudaMalloc(&second, 5UL << 20));
    CHECK_OK(cudaFree(second));
  });
  test("pitch", [] {
    void *pointer = nullptr;
    std::size_t pitch = 0;
    CHECK_OK(cudaMallocPitch(&pointer, &pitch, 100, 3));
    CHECK(pitch == 512);
    CHECK_OK(cudaFree(pointer));
  });
}

void copies() {
  test("kinds", [] {
    char heap[16] = {1}, host[16] = {2};
    void *device = allocated(256), *other = allocated(256);
    CHECK_ERROR(cudaMemcpy(heap, device, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    CHECK_ERROR(cudaMemcpy(device, heap, 16, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    CHECK_ERROR(cudaMemcpy(heap, host, 16, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
    CHECK_OK(cudaMemcpy(device, other, 16, cudaMemcpyHostToDevice));
    CHECK_OK(cudaMemcpy(device, other, 16, cudaMemcpyHostToHost));
    CHECK_ERROR(cudaMemcpy(device, host, 16, static_cast<cudaMemcpyKind>(77)), cudaErrorInvalidMemcpyDirection);
    CHECK_OK(cudaMemcpy(device, host, 16, cudaMemcpyHostToDevice));
    CHECK_OK(cudaMemcpy(heap, device, 16, cudaMemcpyDefault));
    CHECK(heap[0] == 2);
    CHECK_OK(cudaFree(device));
    CHECK_OK(cudaFree(other));
  });
  test("ranges", [] {
    char host[256] = {};
    auto *device = static_cast<char *>(allocated(256));
    CHECK_ERROR(cudaMemcpy(nullptr, host, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    CHECK_OK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
    CHECK_ERROR(cudaMemcpy(device + 200, host, 100, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    CHECK_ERROR(cudaMemset(host, 0, 16), cudaErrorInvalidValue);
    CHECK_ERROR(cudaMemset(device + 200, 0, 100), cudaErrorInvalidValue);
    CHECK_OK(cudaFree(device));
    CHECK_ERROR(cudaMemcpy(host, device, 16, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    CHECK_ERROR(cudaMemcpy(host, device, 16, cudaMemcpyDefault), cudaErrorInvalidValue);
  });
  test("rows", [] {
    char host[4][8], back[4][3];
    for (int i = 0; i < 32; ++i) host[i / 8][i % 8] = static_cast<char>(i);
    void *device = nullptr;
    std::size_t pitch = 0;
    CHECK_OK(cudaMallocPitch(&device, &pitch, 8, 4));
    CHECK_OK(cudaMemcpy2D(device, pitch, host, 8, 8, 4, cudaMemcpyHostToDevice));
    CHECK_OK(cudaMemcpy2D(back, 3, static_cast<char *>(device) + 2, pitch, 3, 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 12; ++i) CHECK(back[i / 3][i % 3] == i / 3 * 8 + i % 3 + 2);
    CHECK_ERROR(cudaMemcpy2D(device, 4, host, 8, 8, 4, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
    CHECK_OK(cudaMemset2D(device, pitch, 7, 2, 3));
    CHECK_OK(cudaMemcpy2D(back, 3, device, pitch, 3, 4, cudaMemcpyDeviceToHost));
    CHECK(back[2][1] == 7 && back[2][2] == 18 && back[3][0] == 24);
    CHECK_OK(cudaFree(device));
  });
  test("boxes", [] {
    cudaPitchedPtr device = {};
    char host[2][3][10];
    for (int i = 0; i < 60; ++i) host[i / 30][i / 10 % 3][i % 10] = static_cast<char>(i);
    CHECK_OK(cudaMalloc3D(&device, make_cudaExtent(10, 3, 2)));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(host, 10, 10, 3);
    copy.dstPtr = device;
    copy.extent = make_cudaExtent(10, 3, 2);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK_OK(cudaMemcpy3D(&copy));
    CHECK(static_cast<char *>(device.ptr)[device.pitch * 5 + 4] == 54);
    CHECK_OK(cudaMemset3D(device, 9, make_cudaExtent(1, 1, 2)));
    CHECK(static_cast<char *>(device.ptr)[device.pitch * 3] == 9 && static_cast<char *>(device.ptr)[1] == 1);
    CHECK_OK(cudaFree(device.ptr));
  });
}

void pointers() {
  test("attributes", [] {
    int local = 0;
    void *device = allocated(64), *managed = nullptr;
    cudaPointerAttributes attributes;
    CHECK_OK(cudaMallocManaged(&managed, 64));
    CHECK_OK(cudaPointerGetAttributes(&attributes, &local));
    CHECK(attributes.type == cudaMemoryTypeUnregistered && attributes.device == -2 && !attributes.devicePointer);
    CHECK_OK(cudaPointerGetAttributes(&attributes, static_cast<char *>(device) + 8));
    CHECK(attributes.type == cudaMemoryTypeDevice && attributes.device == 0 && !attributes.hostPointer);
    CHECK_OK(cudaPointerGetAttributes(&attributes, managed));
    CHECK(attributes.type == cudaMemoryTypeManaged && attributes.hostPointer == managed);
    CHECK_OK(cudaFree(device));
    CHECK_OK(cudaFree(managed));
  });
  test("registered host memory", [] {
    static char block[256];
    void *device = nullptr;
    CHECK_ERROR(cudaHostGetDevicePointer(&device, block, 0), cudaErrorInvalidValue);
    CHECK_OK(cudaHostRegister(block, sizeof block, 0));
    CHECK_ERROR(cudaHostRegister(block, sizeof block, 0), cudaErrorHostMemoryAlreadyRegistered);
    CHECK_OK(cudaHostGetDevicePointer(&device, block, 0));
    CHECK_OK(cudaMemset(device, 3, 16));
    CHECK(block[15] == 3);
    CHECK_OK(cudaHostUnregister(block));
    CHECK_ERROR(cudaHostUnregister(block), cudaErrorHostMemoryNotRegistered);
  });
  test("managed memory advice, in the signatures of CUDA 12 and 13", [] {
    void *device = allocated(64), *managed = nullptr;
    int read_mostly = 0;
    CHECK_OK(cudaMallocManaged(&managed, 64));
    CHECK_OK(cudaMemAdvise(managed, 64, cudaMemAdviseSetReadMostly, 0));
    CHECK_OK(cudaMemRangeGetAttribute(&read_mostly, 4, cudaMemRangeAttributeReadMostly, managed, 64));
    CHECK(read_mostly == 1);
    CHECK_OK(cudaMemPrefetchAsync(managed, 64, cudaCpuDeviceId));
    CHECK_OK(cudaMemPrefetchAsync(managed, 64, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0));
    CHECK_ERROR(cudaMemPrefetchAsync(managed, 64, 9), cudaErrorInvalidDevice);
    CHECK_ERROR(cudaMemPrefetchAsync(device, 64, 0), cudaErrorInvalidValue);
    CHECK_OK(cudaFree(device));
    CHECK_OK(cudaFree(managed));
  });
  test("pools", [] {
    void *pointer = &pointer;
    cudaMemPool_t pool = nullptr;
    std::uint64_t used = 1;
    CHECK_OK(cudaMallocAsync(&pointer, 0, nullptr));
    CHECK(pointer == nullptr);
    CHECK_OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK_OK(cudaMallocAsync(&pointer, 1000, pool, nullptr));
    CHECK_OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK(used == 1000);
    CHECK_OK(cudaFreeAsync(pointer, nullptr));
    CHECK_OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK(used == 0);
    CHECK_ERROR(cudaMemPoolDestroy(pool), cudaErrorInvalidValue);
  });
}

}  // namespace

int main() {
  register_image();
  allocation();
  copies();
  pointers();
  return finish();
}
