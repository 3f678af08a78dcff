// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Graphs / conditional nodes
// Device code decides which graph runs, and how often: if and else, while, switch, and one inside of another.
#include "check.h"

__global__ void choose(const int *input, cudaGraphConditionalHandle handle) { cudaGraphSetConditional(handle, *input); }

__global__ void add(int *total, int amount) { *total += amount; }

// One step of the Collatz sequence; goes on until it reaches 1.
__global__ void step(int *value, int *steps, cudaGraphConditionalHandle handle) {
  *value = *value % 2 ? 3 * *value + 1 : *value / 2;
  *steps += 1;
  cudaGraphSetConditional(handle, *value != 1);
}

static void add_kernel(cudaGraph_t graph, cudaGraphNode_t *node, void *kernel, void **arguments) {
  cudaGraphNodeParams params = {cudaGraphNodeTypeKernel};
  params.kernel.func = kernel;
  params.kernel.gridDim = dim3(1);
  params.kernel.blockDim = dim3(1);
  params.kernel.kernelParams = arguments;
  CHECK(cudaGraphAddNode(node, graph, nullptr, nullptr, 0, &params));
}

static cudaGraph_t *add_conditional(cudaGraph_t graph, cudaGraphNode_t *node, const cudaGraphNode_t *after,
                                    cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type,
                                    unsigned size) {
  cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
  params.conditional.handle = handle;
  params.conditional.type = type;
  params.conditional.size = size;
  CHECK(cudaGraphAddNode(node, graph, after, nullptr, after ? 1 : 0, &params));
  return params.conditional.phGraph_out;
}

static int launch_with(cudaGraphExec_t exec, int *input, int value, int *total) {
  int result = 0;
  CHECK(cudaMemcpy(input, &value, sizeof value, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(total, 0, sizeof *total));
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaMemcpy(&result, total, sizeof result, cudaMemcpyDeviceToHost));
  return result;
}

// A kernel that sets the value from `input`, and a conditional node whose body i adds 10^i to `total`.
static cudaGraphExec_t chooser(cudaGraphConditionalNodeType type, unsigned size, int *input, int *total) {
  cudaGraph_t graph;
  cudaGraphConditionalHandle handle;
  cudaGraphNode_t first, conditional;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph));
  void *arguments[] = {&input, &handle};
  add_kernel(graph, &first, (void *)choose, arguments);
  cudaGraph_t *bodies = add_conditional(graph, &conditional, &first, handle, type, size);
  int amount = 1;
  for (unsigned i = 0; i < size; ++i, amount *= 10) {
    void *body_arguments[] = {&total, &amount};
    cudaGraphNode_t node;
    add_kernel(bodies[i], &node, (void *)add, body_arguments);
  }
  cudaGraphNodeType kind;
  CHECK(cudaGraphNodeGetType(conditional, &kind));
  std::printf("conditional node %d: ", kind == cudaGraphNodeTypeConditional);
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));  // what was instantiated keeps the handle's value
  return exec;
}

// Captured: a node of one's own between two captured kernels, and a body that is captured, too.
static void captured_while(int *value, int *steps) {
  cudaStream_t stream, body;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamCreate(&body));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, stream>>>(steps, 1000);
  cudaStreamCaptureStatus status;
  cudaGraph_t graph;
  const cudaGraphNode_t *tail;
  size_t count;
  CHECK(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &tail, nullptr, &count));
  cudaGraphConditionalHandle handle;
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  cudaGraphNode_t loop;
  cudaGraph_t inside = *add_conditional(graph, &loop, tail, handle, cudaGraphCondTypeWhile, 1);
  CHECK(cudaStreamUpdateCaptureDependencies(stream, &loop, nullptr, 1, cudaStreamSetCaptureDependencies));
  add<<<1, 1, 0, stream>>>(steps, 2000);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaStreamBeginCaptureToGraph(body, inside, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
  step<<<1, 1, 0, body>>>(value, steps, handle);
  CHECK(cudaStreamEndCapture(body, nullptr));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int start : {27, 2, 6}) std::printf("%d: %d\n", start, launch_with(exec, value, start, steps));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaStreamDestroy(body));
}

// A switch in the body of an if.
static void nested(int *input, int *total) {
  cudaGraph_t graph;
  cudaGraphConditionalHandle outer, inner;
  cudaGraphNode_t first, conditional, again, node;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&outer, graph));
  void *arguments[] = {&input, &outer};
  add_kernel(graph, &first, (void *)choose, arguments);
  cudaGraph_t body = *add_conditional(graph, &conditional, &first, outer, cudaGraphCondTypeIf, 1);
  CHECK(cudaGraphConditionalHandleCreate(&inner, body));
  void *inner_arguments[] = {&input, &inner};
  add_kernel(body, &again, (void *)choose, inner_arguments);
  cudaGraph_t *bodies = add_conditional(body, &node, &again, inner, cudaGraphCondTypeSwitch, 3);
  int amount = 5;
  void *add_arguments[] = {&total, &amount};
  add_kernel(bodies[2], &node, (void *)add, add_arguments);
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int value : {0, 1, 2}) std::printf(" %d", launch_with(exec, input, value, total));
  std::printf("\n");
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

int main() {
  int *input, *total;
  CHECK(cudaMalloc(&input, sizeof(int)));
  CHECK(cudaMalloc(&total, sizeof(int)));
  cudaGraphExec_t exec = chooser(cudaGraphCondTypeIf, 2, input, total);
  for (int value : {0, 1, 7}) std::printf(" %d", launch_with(exec, input, value, total));
  std::printf("\n");
  CHECK(cudaGraphExecDestroy(exec));
  exec = chooser(cudaGraphCondTypeSwitch, 3, input, total);
  for (int value : {0, 1, 2, 3}) std::printf(" %d", launch_with(exec, input, value, total));
  std::printf("\n");
  CHECK(cudaGraphExecDestroy(exec));
  captured_while(input, total);
  nested(input, total);
  CHECK(cudaFree(input));
  CHECK(cudaFree(total));
}
