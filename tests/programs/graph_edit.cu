// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Streams, events, graphs / graphs that are changed: nodes, edges, clones, switched off, parameters, user
// objects Each change of a graph, or of what was instantiated from it, shows in what the next launch adds up.
#include "check.h"

__device__ int symbol[2];

__global__ void add(int *data, int amount) { *data += amount; }

cudaGraphNode_t add_node(cudaGraph_t graph, std::vector<cudaGraphNode_t> before, int *data, int amount) {
  cudaKernelNodeParams params = {};
  void *arguments[] = {&data, &amount};
  params.func = reinterpret_cast<void *>(add);
  params.gridDim = params.blockDim = dim3(1);
  params.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  CHECK(cudaGraphAddKernelNode(&node, graph, before.data(), before.size(), &params));
  return node;
}

int launch(cudaGraphExec_t exec, int *data) {
  CHECK(cudaMemset(data, 0, sizeof(int)));
  CHECK(cudaGraphLaunch(exec, nullptr));
  return download(data, 1)[0];
}

int run(cudaGraph_t graph, int *data) {
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  int sum = launch(exec, data);
  CHECK(cudaGraphExecDestroy(exec));
  return sum;
}

void show(const char *what, cudaError_t error) {
  std::printf("%s: %s\n", what, cudaGetErrorName(error));
  cudaGetLastError();
}

struct Diamond {
  cudaGraph_t graph;
  cudaGraphNode_t top, left, right, bottom;
  explicit Diamond(int *data) {
    CHECK(cudaGraphCreate(&graph, 0));
    top = add_node(graph, {}, data, 1);
    left = add_node(graph, {top}, data, 10);
    right = add_node(graph, {top}, data, 100);
    bottom = add_node(graph, {left, right}, data, 1000);
  }
};

void edges(int *data) {
  Diamond d(data);
  cudaGraphNode_t out[4];
  size_t count = 0;
  CHECK(cudaGraphNodeGetDependencies(d.bottom, nullptr, nullptr, &count));
  report("dependencies", 2, static_cast<int>(count));
  CHECK(cudaGraphNodeGetDependencies(d.bottom, out, nullptr, &count));
  report("these", 1, out[0] == d.left && out[1] == d.right);
  for (auto &each : out) each = d.top;
  count = 4;
  CHECK(cudaGraphNodeGetDependentNodes(d.top, out, nullptr, &count));
  report("dependents", 2, static_cast<int>(count));
  report("null behind them", 1, out[0] == d.left && out[1] == d.right && out[2] == nullptr && out[3] == nullptr);
  show("no node", cudaGraphNodeGetDependencies(nullptr, out, nullptr, &count));
  show("remove", cudaGraphRemoveDependencies(d.graph, &d.left, &d.bottom, nullptr, 1));
  show("remove what is not there", cudaGraphRemoveDependencies(d.graph, &d.left, &d.bottom, nullptr, 1));
  show("add", cudaGraphAddDependencies(d.graph, &d.left, &d.bottom, nullptr, 1));
  show("add what is there", cudaGraphAddDependencies(d.graph, &d.left, &d.bottom, nullptr, 1));
  report("sum", 1111, run(d.graph, data));
  CHECK(cudaGraphDestroyNode(d.right));
  CHECK(cudaGraphGetEdges(d.graph, nullptr, nullptr, nullptr, &count));
  report("edges", 2, static_cast<int>(count));
  report("without a node", 1011, run(d.graph, data));
}

void clones(int *data) {
  Diamond d(data);
  cudaGraph_t clone, child;
  cudaGraphNode_t found = nullptr, nested;
  CHECK(cudaGraphClone(&clone, d.graph));
  CHECK(cudaGraphNodeFindInClone(&found, d.left, clone));
  report("another node", 1, found != nullptr && found != d.left);
  CHECK(cudaGraphDestroyNode(found));
  report("clone", 1101, run(clone, data));
  report("original", 1111, run(d.graph, data));
  show("no clone", cudaGraphNodeFindInClone(&found, d.left, d.graph));
  show("gone from it", cudaGraphNodeFindInClone(&found, d.left, clone));
  CHECK(cudaGraphCreate(&child, 0));
  CHECK(cudaGraphAddChildGraphNode(&nested, child, nullptr, 0, d.graph));
  report("child", 1111, run(child, data));
}

void switched_off(int *data) {
  Diamond d(data);
  cudaGraphExec_t exec;
  unsigned on = 7;
  CHECK(cudaGraphInstantiate(&exec, d.graph, 0));
  CHECK(cudaGraphNodeSetEnabled(exec, d.left, 0));
  CHECK(cudaGraphNodeGetEnabled(exec, d.left, &on));
  report("off", 0, static_cast<int>(on));
  report("sum", 1101, launch(exec, data));
  CHECK(cudaGraphNodeSetEnabled(exec, d.left, 1));
  report("on again", 1111, launch(exec, data));
  show("no node", cudaGraphNodeSetEnabled(exec, nullptr, 0));
  cudaGraphNode_t empty;
  CHECK(cudaGraphAddEmptyNode(&empty, d.graph, nullptr, 0));
  cudaGraphExec_t other;
  CHECK(cudaGraphInstantiate(&other, d.graph, 0));
  show("an empty node", cudaGraphNodeSetEnabled(other, empty, 0));
  show("not in it", cudaGraphNodeSetEnabled(exec, empty, 0));
}

void host_function(void *data) { *static_cast<int *>(data) += 1; }

void parameters(int *data) {
  int calls[2] = {};
  cudaGraph_t graph;
  cudaGraphNode_t fill, call, copy, to_symbol;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaMemsetParams memset = {};
  memset.dst = data;
  memset.value = 5;
  memset.elementSize = 4;
  memset.width = memset.height = 1;
  CHECK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &memset));
  cudaHostNodeParams host = {host_function, &calls[0]};
  CHECK(cudaGraphAddHostNode(&call, graph, &fill, 1, &host));
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &call, 1, data + 1, data, 4, cudaMemcpyDeviceToDevice));
  CHECK(cudaGraphAddMemcpyNodeToSymbol(&to_symbol, graph, &copy, 1, symbol, data, 4, 4, cudaMemcpyDeviceToDevice));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphMemsetNodeGetParams(fill, &memset));
  report("value", 5, static_cast<int>(memset.value));
  memset.value = 6;
  CHECK(cudaGraphMemsetNodeSetParams(fill, &memset));
  CHECK(cudaGraphHostNodeGetParams(call, &host));
  report("host", 1, host.fn == host_function && host.userData == &calls[0]);
  host.userData = &calls[1];
  CHECK(cudaGraphExecHostNodeSetParams(exec, call, &host));
  CHECK(cudaGraphMemcpyNodeSetParams1D(copy, data + 2, data, 4, cudaMemcpyDeviceToDevice));
  show("of another type", cudaGraphMemsetNodeGetParams(call, &memset));
  CHECK(cudaGraphLaunch(exec, nullptr));
  int values[2];
  CHECK(cudaMemcpyFromSymbol(values, symbol, 8));
  // What was instantiated before a node changed keeps what it had, but for what was changed in it.
  std::printf("%d %d, %d, %d %d\n", download(data, 3)[0], download(data, 3)[1], values[1], calls[0], calls[1]);
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaDeviceSynchronize());
  std::printf("%d %d, %d %d\n", download(data, 3)[0], download(data, 3)[2], calls[0], calls[1]);
  unsigned long long flags = 7;
  CHECK(cudaGraphExecGetFlags(exec, &flags));
  report("flags", 0, static_cast<int>(flags));
}

void user_objects(int *data) {
  int gone = 0;
  Diamond d(data);
  cudaUserObject_t object;
  show("flags", cudaUserObjectCreate(&object, &gone, host_function, 1, 0));
  CHECK(cudaUserObjectCreate(&object, &gone, host_function, 1, cudaUserObjectNoDestructorSync));
  CHECK(cudaUserObjectRetain(object, 1));
  CHECK(cudaUserObjectRelease(object, 1));
  CHECK(cudaGraphRetainUserObject(d.graph, object, 1, cudaGraphUserObjectMove));
  cudaGraph_t clone;
  CHECK(cudaGraphClone(&clone, d.graph));
  CHECK(cudaGraphReleaseUserObject(d.graph, object, 1));
  CHECK(cudaDeviceSynchronize());
  report("the clone has it", 0, gone);
  CHECK(cudaGraphDestroy(clone));
  for (int wait = 0; wait < 1000 && !*const_cast<volatile int *>(&gone); ++wait) CHECK(cudaDeviceSynchronize());
  report("nobody has it", 1, *const_cast<volatile int *>(&gone));
}

int main() {
  int *data = device_zeros<int>(4);
  edges(data);
  clones(data);
  switched_off(data);
  parameters(data);
  user_objects(data);
  finish();
  return 0;
}
