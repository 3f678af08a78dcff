// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Graphs / memory nodes, captured cudaMallocAsync
// Memory that a graph allocates and frees: by nodes, by capture, and freed outside of it; what is counted as used, of
// which a GPU has blocks of 32 MiB until the memory is trimmed. A node after a free has the same memory again.
#include "check.h"

__global__ void fill(int *p, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = value + i;
}

__global__ void sum_pairs(const int *p, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = p[i] + p[n - 1 - i];
}

static unsigned long long used() {
  unsigned long long value = 0;
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &value));
  return value;
}

static void by_nodes(int *result) {
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t allocation, kernels[2], free;
  cudaMemAllocNodeParams memory = {};
  memory.bytesize = 100 * sizeof(int);
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location.type = cudaMemLocationTypeDevice;
  CHECK(cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &memory));
  int *scratch = static_cast<int *>(memory.dptr), n = 100, value = 7;
  void *fill_arguments[] = {&scratch, &n, &value}, *sum_arguments[] = {&scratch, &result, &n};
  cudaKernelNodeParams launch = {(void *)fill, dim3(2), dim3(64), 0, fill_arguments, nullptr};
  CHECK(cudaGraphAddKernelNode(&kernels[0], graph, &allocation, 1, &launch));
  launch.func = (void *)sum_pairs;
  launch.kernelParams = sum_arguments;
  CHECK(cudaGraphAddKernelNode(&kernels[1], graph, &kernels[0], 1, &launch));
  CHECK(cudaGraphAddMemFreeNode(&free, graph, &kernels[1], 1, scratch));
  cudaGraphNodeType type;
  CHECK(cudaGraphNodeGetType(allocation, &type));
  std::printf("alloc node %d", type == cudaGraphNodeTypeMemAlloc);
  CHECK(cudaGraphNodeGetType(free, &type));
  std::printf(", free node %d\n", type == cudaGraphNodeTypeMemFree);
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));  // what was instantiated keeps the memory
  for (int i = 0; i < 2; ++i) CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaGraphExecDestroy(exec));
}

static void by_capture(int *result) {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  int *scratch = nullptr;
  CHECK(cudaMallocAsync((void **)&scratch, 100 * sizeof(int), stream));
  fill<<<2, 64, 0, stream>>>(scratch, 100, 1000);
  sum_pairs<<<2, 64, 0, stream>>>(scratch, result, 100);
  cudaGraph_t graph;
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("used while it is kept: %d", used() >= 100 * sizeof(int));
  std::printf(", a second launch: %s", cudaGetErrorName(cudaGraphLaunch(exec, stream)));
  CHECK(cudaGetLastError() == cudaErrorInvalidValue ? cudaSuccess : cudaErrorUnknown);
  int last = 0;
  CHECK(cudaMemcpy(&last, scratch + 99, sizeof last, cudaMemcpyDeviceToHost));
  CHECK(cudaFreeAsync(scratch, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaFreeAsync(scratch, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf(", last %d\n", last);
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaStreamDestroy(stream));
}

// Two streams, the second of which is destroyed before the capture ends, and memory that the next allocation may have.
static void again_in_one_graph(int *result) {
  cudaStream_t stream, other;
  cudaEvent_t event;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamCreate(&other));
  CHECK(cudaEventCreate(&event));
  int *first = nullptr, *second = nullptr, *meanwhile = nullptr;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMallocAsync((void **)&first, 100 * sizeof(int), stream));
  CHECK(cudaEventRecord(event, stream));
  CHECK(cudaStreamWaitEvent(other, event, 0));
  fill<<<2, 64, 0, other>>>(first, 100, 3);
  CHECK(cudaMallocAsync((void **)&meanwhile, 100 * sizeof(int), stream));
  CHECK(cudaEventRecord(event, other));
  CHECK(cudaStreamWaitEvent(stream, event, 0));
  CHECK(cudaStreamDestroy(other));
  CHECK(cudaFreeAsync(first, stream));
  CHECK(cudaMallocAsync((void **)&second, 100 * sizeof(int), stream));
  fill<<<2, 64, 0, stream>>>(second, 100, 500);
  sum_pairs<<<2, 64, 0, stream>>>(second, result, 100);
  CHECK(cudaFreeAsync(meanwhile, stream));
  cudaGraph_t graph;
  CHECK(cudaStreamEndCapture(stream, &graph));
  std::printf("the same again: %d %d\n", first == second, first == meanwhile);
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    int last = 0;
    CHECK(cudaMemcpy(&last, second + 99, sizeof last, cudaMemcpyDeviceToHost));
    std::printf("used %d, last %d\n", used() >= 100 * sizeof(int), last);
    CHECK(cudaFree(second));
  }
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaEventDestroy(event));
  CHECK(cudaStreamDestroy(stream));
}

int main() {
  int *result, host[100];
  CHECK(cudaMalloc(&result, sizeof host));
  by_nodes(result);
  CHECK(cudaMemcpy(host, result, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("%d %d\n", host[0], host[99]);
  by_capture(result);
  CHECK(cudaMemcpy(host, result, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("%d %d\n", host[0], host[99]);
  again_in_one_graph(result);
  CHECK(cudaMemcpy(host, result, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("%d %d\n", host[0], host[99]);
  CHECK(cudaDeviceGraphMemTrim(0));
  std::printf("used at the end: %llu\n", used());
  CHECK(cudaFree(result));
}
