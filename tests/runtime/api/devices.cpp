// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices, peers, limits, and the driver API over the same implementation. Runs with two virtual devices.
#include <cuda.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "fixture.h"

namespace {

void devices() {
  test("selection is a thread's own", [] {
    int count = 0, device = -1;
    CHECK_OK(cudaGetDeviceCount(&count));
    CHECK(count == 2);
    CHECK_OK(cudaSetDevice(1));
    std::thread([&] { cudaGetDevice(&device); }).join();
    CHECK(device == 0);
    CHECK_OK(cudaGetDevice(&device));
    CHECK(device == 1);
    CHECK_OK(cudaSetDevice(0));
    CHECK_ERROR(cudaSetDevice(99), cudaErrorInvalidDevice);
  });
  test("properties and attributes agree", [] {
    cudaDeviceProp properties;
    int value = 0;
    CHECK_OK(cudaGetDeviceProperties(&properties, 0));
    CHECK(std::strncmp(properties.name, "Warploom CPU (", 14) == 0);
    CHECK(properties.major == 8 && properties.minor == 0 && properties.warpSize == 32);
    CHECK_OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    CHECK(value == properties.multiProcessorCount && value > 0);
    CHECK_OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(value == 163 << 10);
    CHECK_ERROR(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(999), 0), cudaErrorInvalidValue);
    CHECK_ERROR(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 5), cudaErrorInvalidDevice);
    CHECK_ERROR(cudaGetDeviceProperties(&properties, 9), cudaErrorInvalidDevice);
  });
  test("limits", [] {
    std::size_t value = 0;
    CHECK_OK(cudaDeviceSetLimit(cudaLimitStackSize, 20000));
    CHECK_OK(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    CHECK(value >= 20000);
    CHECK_ERROR(cudaDeviceSetLimit(static_cast<cudaLimit>(50), 1), cudaErrorInvalidValue);
  });
  test("peers", [] {
    int can = -1;
    CHECK_OK(cudaDeviceCanAccessPeer(&can, 0, 1));
    CHECK(can == 1);
    CHECK_OK(cudaDeviceEnablePeerAccess(1, 0));
    CHECK_ERROR(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
    CHECK_ERROR(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
    CHECK_OK(cudaDeviceDisablePeerAccess(1));
    CHECK_ERROR(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
  });
}

void streams_of_devices() {
  test("events and launches belong to the device of their stream", [] {
    cudaStream_t stream = nullptr;
    cudaEvent_t event = nullptr, other = nullptr;
    int *data = nullptr, device = -1;
    float time = 0;
    CHECK_OK(cudaSetDevice(0));
    CHECK_OK(cudaStreamCreate(&stream));
    CHECK_OK(cudaEventCreate(&event));
    CHECK_OK(cudaMalloc(reinterpret_cast<void **>(&data), 128));
    CHECK_OK(cudaSetDevice(1));
    CHECK_OK(cudaEventCreate(&other));
    CHECK_ERROR(launch_add(data, 1, 1, 32, stream), cudaErrorInvalidResourceHandle);
    CHECK_ERROR(cudaEventRecord(other, stream), cudaErrorInvalidResourceHandle);
    CHECK_ERROR(cudaEventRecord(event, nullptr), cudaErrorInvalidResourceHandle);
    CHECK_OK(cudaMemsetAsync(data, 0, 128, stream));
    CHECK_OK(cudaEventRecord(event, stream));
    CHECK_OK(cudaEventRecord(other, nullptr));
    CHECK_OK(cudaStreamWaitEvent(stream, other, 0));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_ERROR(cudaEventElapsedTime(&time, event, other), cudaErrorInvalidResourceHandle);
    CHECK_OK(cudaStreamGetDevice(stream, &device));
    CHECK(device == 0);
    CHECK_OK(cudaStreamGetDevice(nullptr, &device));
    CHECK(device == 1);
    CHECK_OK(cudaSetDevice(0));
    CHECK_OK(cudaFree(data));
  });
}

// MUMmerGPU asks the driver for free memory after an allocation, without cuInit.
void runtime_starts_driver() {
  test("runtime starts driver", [] {
    std::size_t free = 0, total = 0;
    void *memory = nullptr;
    CHECK(cuMemGetInfo(&free, &total) == CUDA_ERROR_NOT_INITIALIZED);
    CHECK_OK(cudaMalloc(&memory, 4));
    CHECK(cuMemGetInfo(&free, &total) == CUDA_SUCCESS && total >= free && free > 0);
    CHECK_OK(cudaFree(memory));
  });
}

void driver() {
  test("driver", [] {
    CUdevice device = -1;
    CUcontext context = nullptr;
    CUdeviceptr memory = 0;
    unsigned host[4] = {};
    const char *name = nullptr;
    CHECK(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS);
    CHECK(cuCtxCreate(&context, 0, device) == CUDA_SUCCESS);
    CHECK(cuMemAlloc(&memory, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemAlloc(&memory, 16) == CUDA_SUCCESS && cuMemsetD32(memory, 0x12345678, 4) == CUDA_SUCCESS);
    CHECK(cuMemcpyDtoH(host, memory, 16) == CUDA_SUCCESS && host[3] == 0x12345678);
    CHECK(cuMemFree(memory) == CUDA_SUCCESS && cuMemFree(memory) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &name) == CUDA_SUCCESS);
    CHECK(std::strcmp(name, "CUDA_ERROR_OUT_OF_MEMORY") == 0);
    CHECK(cuCtxDestroy(context) == CUDA_SUCCESS);
  });
  test("driver launch of a linked kernel", [] {
    int *data = nullptr, amount = 3;
    CUfunction function = nullptr;
    CHECK_OK(cudaMalloc(reinterpret_cast<void **>(&data), 128));
    CHECK_OK(cudaMemset(data, 0, 128));
    CHECK_OK(cudaGetFuncBySymbol(&function, &stub_add));
    void *arguments[] = {&data, &amount};
    CHECK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr) == CUDA_SUCCESS);
    CHECK(cuCtxSynchronize() == CUDA_SUCCESS && data[31] == 3);
    CHECK_OK(cudaFree(data));
  });
}

std::atomic<bool> is_released = false;
void wait_for_release(void *) {
  while (!is_released) std::this_thread::yield();
}
void write_late(void *number) {
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  *static_cast<int *>(number) = 7;
}

void waiting_for_one() {
  test("a device does not wait for another one", [] {
    cudaStream_t busy = nullptr;
    void *memory = nullptr;
    CHECK_OK(cudaSetDevice(0));
    CHECK_OK(cudaStreamCreate(&busy));
    CHECK_OK(cudaLaunchHostFunc(busy, wait_for_release, nullptr));
    CHECK(cudaStreamQuery(nullptr) == cudaErrorNotReady);
    CHECK_OK(cudaSetDevice(1));
    CHECK_OK(cudaStreamQuery(nullptr));
    CHECK_OK(cudaMalloc(&memory, 64));
    CHECK_OK(cudaMemset(memory, 0, 64));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_OK(cudaFree(memory));
    is_released = true;
    CHECK_OK(cudaSetDevice(0));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_OK(cudaStreamQuery(busy));
    CHECK_OK(cudaStreamDestroy(busy));
  });
  test("a copy waits for the device whose memory it is", [] {
    int *number = nullptr, seen = 0;
    CHECK_OK(cudaSetDevice(0));
    CHECK_OK(cudaMalloc(reinterpret_cast<void **>(&number), sizeof(int)));
    CHECK_OK(cudaLaunchHostFunc(nullptr, write_late, number));
    CHECK_OK(cudaSetDevice(1));
    CHECK_OK(cudaMemcpy(&seen, number, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(seen == 7);
    CHECK_OK(cudaSetDevice(0));
    CHECK_OK(cudaLaunchHostFunc(cudaStreamPerThread, write_late, number));
    CHECK_OK(cudaSetDevice(1));
    CHECK_OK(cudaFree(number));
    CHECK_OK(cudaSetDevice(0));
    CHECK_OK(cudaStreamQuery(cudaStreamPerThread));
  });
}

}  // namespace

int main() {
  register_image();
  runtime_starts_driver();
  devices();
  streams_of_devices();
  waiting_for_one();
  driver();
  return finish();
}
