// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instantiated graphs: a copy of the nodes in an order that respects their dependencies, run as a whole.
#include <algorithm>
#include <mutex>
#include <unordered_set>

#include "graph.h"

namespace warploom {
namespace {

struct ExecTable {
  std::mutex mutex;
  std::unordered_set<const CUgraphExec_st *> execs;
};

ExecTable &exec_table() {
  static ExecTable *const instance = new ExecTable;
  return *instance;
}

bool is_exec(const CUgraphExec_st *exec) {
  ExecTable &table = exec_table();
  const std::lock_guard lock(table.mutex);
  return table.execs.contains(exec);
}

// Replaces a node's operation by the one that `submit_to` submits; its type must stay.
template <class Submit>
cudaError_t replace(CUgraphNode_st *node, Submit &&submit_to) {
  CUgraph_st scratch;
  CUgraphNode_st *made = nullptr;
  if (const cudaError_t error = capture_node(&scratch, {}, &made, submit_to); error != cudaSuccess) return error;
  if (made->type != node->type) return cudaErrorInvalidValue;
  node->operation = std::move(made->operation);
  node->kernel = made->kernel;
  return cudaSuccess;
}

// The body of an entry point that changes a node of an instantiated graph.
template <class Submit>
cudaError_t replace_in(CUgraphExec_st *exec, cudaGraphNode_t node, Submit &&submit_to) {
  return api_call([&]() -> cudaError_t {
    if (!is_exec(exec)) return cudaErrorInvalidValue;
    const auto found = exec->nodes.find(node);
    return found != exec->nodes.end() ? replace(&found->second, submit_to) : cudaErrorInvalidValue;
  });
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
    old_node.kernel = new_node.kernel;
  }
  exec->conditionals = renewed.conditionals;
  return cudaSuccess;
}

}  // namespace

cudaError_t fill_in(CUgraphExec_st *exec, const CUgraph_st &graph) {
  exec->order = topological_order(graph);
  if (exec->order.size() != graph.nodes.size()) return cudaErrorInvalidValue;
  exec->conditionals = graph.conditionals;
  for (const CUgraphNode_st *node : exec->order) {
    CUgraphNode_st &copy = exec->nodes[node] = *node;
    if (!node->bodies) continue;
    const cudaError_t error = instantiate_bodies(*node->bodies, &copy.operation);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t run_nodes(const CUgraphExec_st &exec) {
  for (const auto &conditional : exec.conditionals)
    if (conditional->assign_initial) conditional->value = conditional->initial;
  for (const CUgraphNode_st *node : exec.order) {
    const cudaError_t error = exec.nodes.at(node).operation();
    if (error != cudaSuccess) return error;
    if (device_fault() != cudaSuccess) break;  // the next call reports it, as after any launch
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
      return not_supported("cudaGraphInstantiate", "graphs cannot be launched from the device");
    auto exec = std::make_unique<CUgraphExec_st>();
    if (const cudaError_t error = fill_in(exec.get(), *graph); error != cudaSuccess) return error;
    *pGraphExec = exec.release();
    ExecTable &table = exec_table();
    const std::lock_guard lock(table.mutex);
    table.execs.insert(*pGraphExec);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiate(pGraphExec, graph, flags);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec) {
  return api_call([&] {
    ExecTable &table = exec_table();
    const std::lock_guard lock(table.mutex);
    if (table.execs.erase(graphExec) == 0) return cudaErrorInvalidValue;
    delete graphExec;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream) {
  return stream_call(stream, [&](CUstream_st *target) -> cudaError_t {
    if (!is_exec(graphExec)) return cudaErrorInvalidValue;
    if (!is_capturing(target)) {
      wait_for_stream(target);
      return run_nodes(*graphExec);
    }
    const auto copy = std::make_shared<CUgraphExec_st>(*graphExec);
    return capture_operation(target, cudaGraphNodeTypeGraph, [copy] { return run_nodes(*copy); });
  });
}

// Nothing has to be moved to the device before a launch.
cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream) {
  return stream_call(stream, [&](CUstream_st *) { return is_exec(graphExec) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                       const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                       cudaGraph_t childGraph) {
  const cudaError_t error = cudaGraphAddEmptyNode(pGraphNode, graph, pDependencies, numDependencies);
  if (error != cudaSuccess) return error;
  return api_call([&]() -> cudaError_t {
    if (!is_graph(childGraph)) return cudaErrorInvalidValue;
    const auto copy = std::make_shared<CUgraphExec_st>();
    if (const cudaError_t failure = fill_in(copy.get(), *childGraph); failure != cudaSuccess) return failure;
    (*pGraphNode)->type = cudaGraphNodeTypeGraph;
    (*pGraphNode)->operation = [copy] { return run_nodes(*copy); };
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                cudaGraphExecUpdateResultInfo *resultInfo) {
  return api_call([&]() -> cudaError_t {
    cudaGraphExecUpdateResultInfo unused;
    if (!is_exec(hGraphExec) || !is_graph(hGraph)) return cudaErrorInvalidValue;
    return update(hGraphExec, *hGraph, resultInfo ? resultInfo : &unused);
  });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams *pNodeParams) {
  return api_call([&]() -> cudaError_t {
    if (!node || !pNodeParams) return cudaErrorInvalidValue;
    return replace(node, [&](cudaStream_t stream) { return submit_kernel(stream, *pNodeParams); });
  });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams *pNodeParams) {
  return replace_in(hGraphExec, node, [&](cudaStream_t stream) {
    return pNodeParams ? submit_kernel(stream, *pNodeParams) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void *dst,
                                               const void *src, size_t count, cudaMemcpyKind kind) {
  return replace_in(hGraphExec, node,
                    [&](cudaStream_t stream) { return cudaMemcpyAsync(dst, src, count, kind, stream); });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const cudaMemsetParams *pNodeParams) {
  return replace_in(hGraphExec, node, [&](cudaStream_t stream) {
    return pNodeParams ? submit_memset(stream, *pNodeParams) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                           const cudaHostNodeParams *pNodeParams) {
  return replace_in(hGraphExec, node, [&](cudaStream_t stream) {
    return pNodeParams ? cudaLaunchHostFunc(stream, pNodeParams->fn, pNodeParams->userData) : cudaErrorInvalidValue;
  });
}

}  // extern "C"
