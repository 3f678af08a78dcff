// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams, events, capture and graphs.
#include <chrono>
#include <thread>

#include "fixture.h"

namespace {

void streams() {
  test("handles", [] {
    cudaStream_t stream = nullptr;
    unsigned flags = 0;
    int priority = 1;
    CHECK_OK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -100));
    CHECK_OK(cudaStreamGetFlags(stream, &flags));
    CHECK_OK(cudaStreamGetPriority(stream, &priority));
    CHECK(flags == cudaStreamNonBlocking && priority == -5);
    for (cudaStream_t handle : {stream, cudaStream_t{}, cudaStreamLegacy, cudaStreamPerThread}) {
      CHECK_OK(cudaStreamQuery(handle));
      CHECK_OK(cudaStreamSynchronize(handle));
    }
    CHECK_OK(cudaStreamDestroy(stream));
    CHECK_ERROR(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
    CHECK_ERROR(cudaStreamDestroy(nullptr), cudaErrorInvalidResourceHandle);
    CHECK_ERROR(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
    CHECK_ERROR(cudaStreamCreateWithFlags(&stream, 77), cudaErrorInvalidValue);
  });
  test("a stream or an event that has been destroyed", [] {
    cudaStream_t stream = nullptr;
    cudaEvent_t event = nullptr, other = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    int *data = nullptr, value = -1;
    CHECK_OK(cudaMalloc(reinterpret_cast<void **>(&data), 2 * sizeof value));
    CHECK_OK(cudaMemset(data, 0, 2 * sizeof value));
    float time = 0;
    CHECK_OK(cudaStreamCreate(&stream));
    CHECK_OK(cudaEventCreate(&event));
    CHECK_OK(cudaEventCreate(&other));
    CHECK_OK(cudaGraphCreate(&graph, 0));
    CHECK_OK(cudaGraphInstantiate(&exec, graph));
    CHECK_OK(cudaStreamDestroy(stream));
    CHECK_OK(cudaEventDestroy(event));
    constexpr cudaError_t kError = cudaErrorInvalidResourceHandle;
    CHECK_ERROR(launch_add(data, 1, 1, 1, stream), kError);
    CHECK_ERROR(cudaStreamQuery(stream), kError);
    CHECK_ERROR(cudaMemsetAsync(data, 1, 4, stream), kError);
    CHECK_ERROR(cudaMemcpyAsync(data, data + 1, 4, cudaMemcpyDefault, stream), kError);
    CHECK_ERROR(cudaLaunchHostFunc(stream, [](void *) {}, nullptr), kError);
    CHECK_ERROR(cudaEventRecord(other, stream), kError);
    CHECK_ERROR(cudaStreamWaitEvent(stream, other, 0), kError);
    CHECK_ERROR(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), kError);
    CHECK_ERROR(cudaGraphLaunch(exec, stream), kError);
    CHECK_ERROR(cudaEventRecord(event, nullptr), kError);
    CHECK_ERROR(cudaEventQuery(event), kError);
    CHECK_ERROR(cudaEventSynchronize(event), kError);
    CHECK_ERROR(cudaStreamWaitEvent(nullptr, event, 0), kError);
    CHECK_ERROR(cudaEventElapsedTime(&time, event, other), kError);
    CHECK_ERROR(cudaEventDestroy(event), kError);
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_OK(cudaMemcpy(&value, data, sizeof value, cudaMemcpyDefault));
    CHECK(value == 0);
    CHECK_OK(cudaFree(data));
    CHECK_OK(cudaEventDestroy(other));
    CHECK_OK(cudaGraphExecDestroy(exec));
    CHECK_OK(cudaGraphDestroy(graph));
  });
  test("callbacks", [] {
    int calls = 0;
    CHECK_OK(cudaLaunchHostFunc(nullptr, [](void *data) { ++*static_cast<int *>(data); }, &calls));
    const auto callback = [](cudaStream_t, cudaError_t status, void *data) {
      *static_cast<int *>(data) += status == cudaSuccess ? 10 : 0;
    };
    CHECK_OK(cudaStreamAddCallback(nullptr, callback, &calls, 0));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK(calls == 11);
  });
}

void events() {
  test("times", [] {
    cudaEvent_t start = nullptr, stop = nullptr, silent = nullptr;
    float milliseconds = -1;
    CHECK_OK(cudaEventCreate(&start));
    CHECK_OK(cudaEventCreate(&stop, cudaEventBlockingSync));
    CHECK_OK(cudaEventCreateWithFlags(&silent, cudaEventDisableTiming));
    CHECK_ERROR(cudaEventElapsedTime(&milliseconds, start, stop), cudaErrorInvalidResourceHandle);
    CHECK_OK(cudaEventRecord(start));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK_OK(cudaEventRecord(stop));
    CHECK_OK(cudaEventRecord(silent));
    CHECK_OK(cudaEventSynchronize(stop));
    CHECK_OK(cudaEventElapsedTime(&milliseconds, start, stop));
    CHECK(milliseconds >= 20 && milliseconds < 2000);
    CHECK_ERROR(cudaEventElapsedTime(&milliseconds, start, silent), cudaErrorInvalidResourceHandle);
    CHECK_ERROR(cudaEventElapsedTime(nullptr, start, stop), cudaErrorInvalidValue);
    CHECK_OK(cudaEventDestroy(start));
    CHECK_ERROR(cudaEventDestroy(start), cudaErrorInvalidResourceHandle);
    CHECK_ERROR(cudaEventRecord(nullptr), cudaErrorInvalidResourceHandle);
  });
}

struct Captured {
  cudaStream_t first = nullptr, second = nullptr;
  cudaEvent_t fork = nullptr, join = nullptr;
  int *data = nullptr;
  int host[32] = {};

  Captured() {
    CHECK_OK(cudaStreamCreate(&first));
    CHECK_OK(cudaStreamCreate(&second));
    CHECK_OK(cudaEventCreate(&fork));
    CHECK_OK(cudaEventCreate(&join));
    CHECK_OK(cudaMalloc(reinterpret_cast<void **>(&data), sizeof host));
    CHECK_OK(cudaMemset(data, 0, sizeof host));
  }
};

void capture() {
  test("fork and join become a graph that runs again", [] {
    Captured c;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    std::size_t nodes = 0;
    CHECK_OK(cudaStreamBeginCapture(c.first, cudaStreamCaptureModeGlobal));
    CHECK_OK(launch_add(c.data, 1, 1, 32, c.first));
    CHECK_OK(cudaEventRecord(c.fork, c.first));
    CHECK_OK(cudaStreamWaitEvent(c.second, c.fork));
    CHECK_OK(launch_add(c.data, 10, 1, 16, c.second));
    CHECK_OK(cudaEventRecord(c.join, c.second));
    CHECK_OK(cudaStreamWaitEvent(c.first, c.join));
    CHECK_OK(cudaMemcpyAsync(c.host, c.data, sizeof c.host, cudaMemcpyDeviceToHost, c.first));
    CHECK_OK(cudaStreamEndCapture(c.first, &graph));
    CHECK(c.data[0] == 0);  // nothing has run
    CHECK_OK(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(nodes == 3);
    CHECK_OK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    CHECK_OK(cudaGraphDestroy(graph));
    for (int i = 0; i < 3; ++i) CHECK_OK(cudaGraphLaunch(exec, c.first));
    CHECK_OK(cudaStreamSynchronize(c.first));
    CHECK(c.host[0] == 33 && c.host[31] == 3);
    CHECK_OK(cudaGraphExecDestroy(exec));
  });
  test("what a capture does not allow", [] {
    Captured c;
    cudaGraph_t graph = nullptr;
    CHECK_ERROR(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
    CHECK_OK(cudaStreamBeginCapture(c.first, cudaStreamCaptureModeGlobal));
    CHECK_ERROR(cudaStreamSynchronize(c.first), cudaErrorStreamCaptureUnsupported);
    CHECK_ERROR(cudaStreamEndCapture(c.first, &graph), cudaErrorStreamCaptureInvalidated);
    CHECK(graph == nullptr);
    CHECK_OK(cudaStreamBeginCapture(c.first, cudaStreamCaptureModeGlobal));
    CHECK_OK(cudaEventRecord(c.fork, c.first));
    CHECK_OK(cudaStreamWaitEvent(c.second, c.fork));
    CHECK_OK(launch_add(c.data, 10, 1, 16, c.second));
    CHECK_ERROR(cudaStreamEndCapture(c.first, &graph), cudaErrorStreamCaptureUnjoined);
    CHECK_ERROR(cudaEventQuery(c.fork), cudaErrorCapturedEvent);
  });
}

void graphs() {
  test("nodes by hand, changed after instantiation", [] {
    Captured c;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    cudaGraphNode_t fill = nullptr, add = nullptr, copy = nullptr;
    int amount = 5;
    void *arguments[] = {&c.data, &amount};
    cudaKernelNodeParams kernel = {&stub_add, dim3(1), dim3(32), 0, arguments, nullptr};
    const cudaMemsetParams clear = {c.data, 0, 0, 4, 32, 1};
    CHECK_OK(cudaGraphCreate(&graph, 0));
    CHECK_OK(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, c.host, c.data, 128, cudaMemcpyDeviceToHost));
    CHECK_OK(cudaGraphAddKernelNode(&add, graph, nullptr, 0, &kernel));
    CHECK_OK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &clear));
    CHECK_OK(cudaGraphAddDependencies(graph, &fill, &add, 1));
    CHECK_OK(cudaGraphAddDependencies(graph, &add, &copy, 1));
    CHECK_OK(cudaGraphInstantiate(&exec, graph));
    CHECK_OK(cudaGraphLaunch(exec, nullptr));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK(c.host[0] == 5 && c.host[31] == 5);
    amount = 6;
    CHECK_OK(cudaGraphExecKernelNodeSetParams(exec, add, &kernel));
    CHECK_OK(cudaGraphLaunch(exec, nullptr));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK(c.host[0] == 6);
    CHECK_OK(cudaGraphAddDependencies(graph, &copy, &fill, 1));
    CHECK_ERROR(cudaGraphInstantiate(&exec, graph), cudaErrorInvalidValue);  // a cycle
  });
}

}  // namespace

int main() {
  register_image();
  streams();
  events();
  capture();
  graphs();
  return finish();
}
