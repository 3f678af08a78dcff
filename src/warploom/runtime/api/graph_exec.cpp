// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instantiated graphs: a copy of the nodes in an order that respects their dependencies, run as a whole.
#include <algorithm>
#include <chrono>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "event.h"
#include "graph.h"
#include "graph_memory.h"
#include "launch.h"

namespace warploom {
namespace {

struct ExecTable {
  std::mutex mutex;
  std::unordered_map<const CUgraphExec_st *, std::shared_ptr<CUgraphExec_st>> execs;
};

ExecTable &exec_table() {
  static ExecTable *const instance = new ExecTable;
  return *instance;
}

// The graph behind a handle; null when there is none. `take`: the handle is no more.
std::shared_ptr<CUgraphExec_st> find_exec(const CUgraphExec_st *handle, bool take = false) {
  ExecTable &table = exec_table();
  const std::lock_guard lock(table.mutex);
  const auto found = table.execs.find(handle);
  if (found == table.execs.end()) return nullptr;
  const std::shared_ptr<CUgraphExec_st> exec = found->second;
  if (take) table.execs.erase(found);
  return exec;
}

// The events that nodes of the graph wait for, or record.
void add_events(const CUgraphNode_st &node, cudaGraphNodeType type, std::vector<CUevent_st *> *events) {
  cudaEvent_t event = nullptr;
  if (type == cudaGraphNodeTypeWaitEvent) {
    if (const auto *found = std::get_if<cudaEventWaitNodeParams>(&node.parameters)) event = found->event;
  } else if (const auto *found = std::get_if<cudaEventRecordNodeParams>(&node.parameters)) {
    event = found->event;
  }
  if (CUevent_st *const known = event ? find_event(event) : nullptr) events->push_back(known);
  if (node.inner)
    for (const auto &[original, each] : node.inner->nodes) add_events(each, type, events);
  if (!node.bodies) return;
  for (const CUgraph_st *graph : node.bodies->graphs)
    for (const auto &each : graph->nodes) add_events(*each, type, events);
}

std::vector<CUevent_st *> events_of(const CUgraphExec_st &exec, cudaGraphNodeType type) {
  std::vector<CUevent_st *> events;
  for (const auto &[original, node] : exec.nodes) add_events(node, type, &events);
  return events;
}

// A short graph, all of whose steps end by themselves, and that runs each of them.
bool is_short(const Plan &plan) {
  std::chrono::nanoseconds expected{0};
  for (unsigned i = 0; i < plan.steps.size(); ++i) {
    expected += plan.expected(i);
    if (expected > kShortWork || plan.steps[i].waits() || plan.steps[i].chooses) return false;
  }
  return true;
}

cudaError_t run_at_once(const Plan &plan) {
  plan.begin();
  auto now = std::chrono::steady_clock::now();
  for (unsigned i = 0; i < plan.steps.size() && device_fault() == cudaSuccess; ++i) {
    if (const cudaError_t error = plan.run(i); error != cudaSuccess) return error;
    const auto start = std::exchange(now, std::chrono::steady_clock::now());
    plan.learn(i, now - start);
  }
  return cudaSuccess;
}

cudaError_t launch(const std::shared_ptr<CUgraphExec_st> &exec, CUstream_st *stream) {
  if (const cudaError_t error = keep_memory(*exec); error != cudaSuccess) return error;
  if (!exec->plan) exec->plan = make_plan(*exec);
  const std::vector<CUevent_st *> awaited = events_of(*exec, cudaGraphNodeTypeWaitEvent);
  const std::vector<CUevent_st *> recorded = events_of(*exec, cudaGraphNodeTypeEventRecord);
  if (exec->order.empty()) {
    if (must_wait(stream) || !has_ended(exec->last)) exec->last = push(stream, {.after = {exec->last}});
    return cudaSuccess;
  }
  if (awaited.empty() && recorded.empty() && is_short(*exec->plan) && has_ended(exec->last)) {
    if (const Turn turn(stream); turn) return run_at_once(*exec->plan);
  }
  StreamWork work{.plan = std::shared_ptr<const Plan>(exec, exec->plan.get())};
  work.after.push_back(exec->last);
  for (const CUevent_st *event : awaited) work.after.push_back(event->task);
  exec->last = push(stream, std::move(work));
  for (CUevent_st *event : recorded) expect_in_graph(event, exec->last);
  return cudaSuccess;
}

cudaError_t update(CUgraphExec_st *exec, const CUgraph_st &graph, cudaGraphExecUpdateResultInfo *info) {
  CUgraphExec_st renewed;
  *info = {cudaGraphExecUpdateSuccess, nullptr, nullptr};
  if (fill_in(&renewed, graph) != cudaSuccess || renewed.order.size() != exec->order.size()) {
    info->result = cudaGraphExecUpdateErrorTopologyChanged;
    return cudaErrorGraphExecUpdateFailure;
  }
  for (std::size_t i = 0; i < renewed.order.size(); ++i) {
    CUgraphNode_st &old_node = exec->nodes[exec->order[i]];
    const CUgraphNode_st &new_node = *renewed.order[i];
    if (old_node.type != new_node.type || old_node.dependencies.size() != new_node.dependencies.size()) {
      info->result = old_node.type != new_node.type ? cudaGraphExecUpdateErrorNodeTypeChanged
                                                    : cudaGraphExecUpdateErrorTopologyChanged;
      info->errorNode = const_cast<cudaGraphNode_t>(renewed.order[i]);
      return cudaErrorGraphExecUpdateFailure;
    }
  }
  for (std::size_t i = 0; i < renewed.order.size(); ++i) {
    CUgraphNode_st &old_node = exec->nodes[exec->order[i]];
    const CUgraphNode_st &new_node = renewed.nodes.at(renewed.order[i]);
    old_node.operation = new_node.operation;
    old_node.choice = new_node.choice;
    old_node.inner = new_node.inner;
    old_node.kernel = new_node.kernel;
    old_node.parameters = new_node.parameters;
    old_node.attributes = new_node.attributes;
  }
  exec->conditionals = renewed.conditionals;
  return cudaSuccess;
}

}  // namespace

bool is_exec(const CUgraphExec_st *exec) {
  ExecTable &table = exec_table();
  const std::lock_guard lock(table.mutex);
  return table.execs.contains(exec);
}

// A launch runs what the graph is when it is launched: before a change its launches end.
CUgraphNode_st *find_in(CUgraphExec_st *exec, cudaGraphNode_t node) {
  if (!node || !is_exec(exec)) return nullptr;
  wait_for(exec->last);
  exec->plan = nullptr;
  const auto found = exec->nodes.find(node);
  return found != exec->nodes.end() && found->second.id == node->id ? &found->second : nullptr;
}

cudaError_t replace(CUgraphNode_st *node, const std::function<cudaError_t(cudaStream_t)> &submit_to) {
  CUgraph_st scratch;
  CUgraphNode_st *made = nullptr;
  if (const cudaError_t error = capture_node(&scratch, {}, &made, submit_to); error != cudaSuccess) return error;
  if (made->type != node->type) return cudaErrorInvalidValue;
  node->operation = std::move(made->operation);
  node->kernel = made->kernel;
  return cudaSuccess;
}

cudaError_t instantiate_child(const CUgraph_st &child, CUgraphNode_st *node) {
  auto made = std::make_shared<CUgraphExec_st>();
  if (const cudaError_t error = fill_in(made.get(), child); error != cudaSuccess) return error;
  node->inner = std::move(made);
  return cudaSuccess;
}

cudaError_t fill_in(CUgraphExec_st *exec, const CUgraph_st &graph) {
  exec->order = topological_order(graph);
  if (exec->order.size() != graph.nodes.size()) return cudaErrorInvalidValue;
  exec->conditionals = graph.conditionals;
  exec->user_objects = graph.user_objects;
  note_memory(exec, graph);
  for (const CUgraphNode_st *node : exec->order) {
    CUgraphNode_st &copy = exec->nodes[node] = *node;
    cudaError_t error = cudaSuccess;
    if (node->bodies) error = instantiate_bodies(*node->bodies, &copy);
    if (node->child) error = instantiate_child(*node->child, &copy);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph, unsigned long long flags) {
  return api_call([&]() -> cudaError_t {
    if (!pGraphExec || !is_graph(graph)) return cudaErrorInvalidValue;
    if (flags & cudaGraphInstantiateFlagDeviceLaunch)
      return not_supported("cudaGraphInstantiate", "device code launches no graphs: launch them from the host");
    auto exec = std::make_unique<CUgraphExec_st>();
    if (const cudaError_t error = fill_in(exec.get(), *graph); error != cudaSuccess) return error;
    exec->flags = flags;
    *pGraphExec = exec.release();
    ExecTable &table = exec_table();
    const std::lock_guard lock(table.mutex);
    table.execs.emplace(*pGraphExec, *pGraphExec);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiate(pGraphExec, graph, flags);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec) {
  return api_call([&] {
    // A launch that has not ended keeps it.
    return find_exec(graphExec, true) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream) {
  return stream_call(stream, [&](CUstream_st *target) -> cudaError_t {
    if (!is_exec(graphExec)) return cudaErrorInvalidValue;
    if (!is_capturing(target)) return launch(find_exec(graphExec), target);
    const auto copy = std::make_shared<CUgraphExec_st>(*graphExec);
    copy->plan = nullptr;
    const cudaError_t error = capture_operation(target, cudaGraphNodeTypeGraph, nullptr);
    if (error == cudaSuccess) target->capture_tail.front()->inner = copy;
    return error;
  });
}

// Nothing has to be moved to the device before a launch.
cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream) {
  return stream_call(stream, [&](CUstream_st *) { return is_exec(graphExec) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                       const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                       cudaGraph_t childGraph) {
  return api_call([&]() -> cudaError_t {
    CUgraphNode_st made;
    if (!is_graph(childGraph)) return cudaErrorInvalidValue;
    if (const cudaError_t error = instantiate_child(*childGraph, &made); error != cudaSuccess) return error;
    made.child = {clone(*childGraph), delete_graph};
    const cudaError_t error = cudaGraphAddEmptyNode(pGraphNode, graph, pDependencies, numDependencies);
    if (error != cudaSuccess) return error;
    (*pGraphNode)->type = cudaGraphNodeTypeGraph;
    (*pGraphNode)->inner = std::move(made.inner);
    (*pGraphNode)->child = std::move(made.child);
    return cudaSuccess;
  });
}

// The graph's own copy: what is changed in it is instantiated with the graph.
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *pGraph) {
  return api_call([&]() -> cudaError_t {
    if (!node || !pGraph || node->type != cudaGraphNodeTypeGraph) return cudaErrorInvalidValue;
    if (!node->child)
      return not_supported("cudaGraphChildGraphNodeGetGraph",
                           "the graph of a captured launch is not kept: keep the one that was captured");
    *pGraph = node->child.get();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                 cudaGraph_t childGraph) {
  return api_call([&]() -> cudaError_t {
    CUgraphNode_st *const found = find_in(hGraphExec, node);
    if (!found || found->type != cudaGraphNodeTypeGraph || !is_graph(childGraph)) return cudaErrorInvalidValue;
    if (found->child && found->child->nodes.size() != childGraph->nodes.size()) return cudaErrorInvalidValue;
    return instantiate_child(*childGraph, found);
  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                cudaGraphExecUpdateResultInfo *resultInfo) {
  return api_call([&]() -> cudaError_t {
    cudaGraphExecUpdateResultInfo unused;
    if (!is_exec(hGraphExec) || !is_graph(hGraph)) return cudaErrorInvalidValue;
    wait_for(hGraphExec->last);
    hGraphExec->plan = nullptr;
    return update(hGraphExec, *hGraph, resultInfo ? resultInfo : &unused);
  });
}

// Kernels, copies and fills can be switched off; so the nodes that CUDA names.
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned int isEnabled) {
  return api_call([&] {
    CUgraphNode_st *const found = find_in(hGraphExec, hNode);
    if (!found || found->type > cudaGraphNodeTypeMemset) return cudaErrorInvalidValue;
    found->enabled = isEnabled != 0;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned int *isEnabled) {
  return api_call([&] {
    const CUgraphNode_st *const found = find_in(hGraphExec, hNode);
    if (!found || !isEnabled || found->type > cudaGraphNodeTypeMemset) return cudaErrorInvalidValue;
    *isEnabled = found->enabled;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t graphExec, unsigned long long *flags) {
  return api_call([&] {
    if (!is_exec(graphExec) || !flags) return cudaErrorInvalidValue;
    *flags = graphExec->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *instantiateParams) {
  if (!instantiateParams) return record(cudaErrorInvalidValue);
  const cudaError_t error = cudaGraphInstantiate(pGraphExec, graph, instantiateParams->flags);
  instantiateParams->errNode_out = nullptr;
  instantiateParams->result_out = cudaGraphInstantiateSuccess;
  if (error != cudaSuccess) {
    const bool cyclic = is_graph(graph) && topological_order(*graph).size() != graph->nodes.size();
    instantiateParams->result_out = cyclic ? cudaGraphInstantiateInvalidStructure : cudaGraphInstantiateError;
  }
  return error;
}

}  // extern "C"
