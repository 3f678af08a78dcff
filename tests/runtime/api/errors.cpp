// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Last errors, faults of the device, names and texts, entry points that are not implemented.
#include <thread>

#include "fixture.h"

namespace {

// What a program sees of a kernel that ends with a fault, in the order in which an H200 shows it.
void check_fault(const void *stub, cudaError_t expected) {
  void *pointer = nullptr;
  int number = 0;
  captured(STDERR_FILENO, [&] {
    CHECK(cudaLaunchKernel(stub, 1, 1, nullptr, 0, nullptr) == cudaSuccess);
    CHECK(cudaGetLastError() == cudaSuccess);  // nobody has asked the device yet
    CHECK(cudaDeviceSynchronize() == expected);
    CHECK(cudaPeekAtLastError() == expected && cudaGetLastError() == expected);
    CHECK(cudaGetLastError() == cudaSuccess);
  });
  CHECK_ERROR(cudaMalloc(&pointer, 4), expected);
  CHECK_ERROR(cudaFree(nullptr), expected);
  CHECK_OK(cudaGetDeviceCount(&number));
  CHECK_OK(cudaSetDevice(0));
  CHECK(cudaLaunchKernel(&stub_bounded, 1, 1, nullptr, 0, nullptr) == expected && cudaGetLastError() == expected);
  CHECK_OK(cudaDeviceReset());
  CHECK_OK(cudaMalloc(&pointer, 4));
  CHECK_OK(cudaFree(pointer));
}

}  // namespace

int main() {
  register_image();
  test("a last error is read once, by its own thread", [] {
    CHECK(cudaSetDevice(99) == cudaErrorInvalidDevice);
    std::thread([] { CHECK(cudaGetLastError() == cudaSuccess); }).join();
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidDevice);
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
    CHECK(cudaGetLastError() == cudaSuccess);
  });
  test("success does not clear it", [] {
    CHECK(cudaSetDevice(-1) == cudaErrorInvalidDevice);
    CHECK(cudaFree(nullptr) == cudaSuccess);
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
  });
  test("device assert", [] { check_fault(&stub_assert, cudaErrorAssert); });
  test("device trap", [] { check_fault(&stub_trap, cudaErrorLaunchFailure); });
  test("a reset frees everything", [] {
    void *pointer = nullptr;
    cudaEvent_t event = nullptr;
    CHECK_OK(cudaMalloc(&pointer, 4));
    CHECK_OK(cudaEventCreate(&event));
    CHECK_OK(cudaDeviceReset());
    CHECK_ERROR(cudaFree(pointer), cudaErrorInvalidValue);
    CHECK_ERROR(cudaEventQuery(event), cudaErrorInvalidResourceHandle);
  });
  test("names and texts", [] {
    CHECK(std::strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation") == 0);
    CHECK(std::strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0);
    CHECK(std::strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0);
    CHECK(std::strcmp(cudaGetErrorName(static_cast<cudaError_t>(77)), "unrecognized error code") == 0);
  });
  test("what is not implemented says so", [] {
    cudaGraph_t graph;
    CHECK_OK(cudaGraphCreate(&graph, 0));
    const std::string text = captured(STDERR_FILENO, [&] {
      cudaGraphExec_t exec;
      CHECK_ERROR(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagDeviceLaunch), cudaErrorNotSupported);
    });
    CHECK(text.find("cudaGraphInstantiate") != std::string::npos && text.find('\n') == text.size() - 1);
    CHECK_OK(cudaGraphDestroy(graph));
  });
  return finish();
}
