// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random graphs: of nodes, with graphs inside and conditional ones, or captured from two streams.
#pragma once

#include <bitset>
#include <utility>
#include <vector>

#include "stream_model.h"

class GraphModel : protected StreamModel {
 protected:
  explicit GraphModel(unsigned seed) : StreamModel(seed) {
    for (cudaStream_t &stream : capturing_) CHECK_OK(cudaStreamCreate(&stream));
    CHECK_OK(cudaEventCreate(&joint_));
  }
  ~GraphModel() {
    for (cudaStream_t stream : capturing_) CHECK_OK(cudaStreamDestroy(stream));
    for (const Graph &graph : graphs_) CHECK_OK(cudaGraphExecDestroy(graph.exec));
    CHECK_OK(cudaEventDestroy(joint_));
  }

  void graph(int stream) {
    if (!graphs_.empty() && below(2) == 0) {
      launch_graph(stream, graphs_[static_cast<std::size_t>(below(static_cast<int>(graphs_.size())))]);
      return;
    }
    const Known known = before(stream);
    Graph made;
    cudaGraph_t graph = nullptr;
    if (below(3) == 0) {
      graph = capture(known, &made.operations);
    } else {
      CHECK_OK(cudaGraphCreate(&graph, 0));
      fill_graph(graph, known, 1, &made.operations);
    }
    CHECK_OK(cudaGraphInstantiate(&made.exec, graph));
    CHECK_OK(cudaGraphDestroy(graph));
    launch_graph(stream, made);
    if (graphs_.size() < 3) return graphs_.push_back(made);
    CHECK_OK(cudaGraphExecDestroy(made.exec));
  }

 private:
  // One of the kernels, copies, fills and host functions of a graph.
  struct Op {
    enum class Kind { kMix, kCopy, kFill } kind;
    int target, source;
    unsigned factor;
  };
  struct Graph {
    cudaGraphExec_t exec = nullptr;
    std::vector<Op> operations{};  // in one of the orders that they may run in
    int last = -1;                 // launch
    Known before_last{};
  };
  // Cells that a node of a graph writes, and those that it reads or writes.
  struct Footprint {
    std::bitset<2 * kCells> written, used;

    bool conflicts(const Footprint &other) const {
      return (written & other.used).any() || (used & other.written).any();
    }
    void add(const Footprint &other) {
      written |= other.written;
      used |= other.used;
    }
  };

  void apply(const Op &operation) {
    unsigned &target = model_[operation.target];
    switch (operation.kind) {
      case Op::Kind::kMix:
        return mix(&target, &model_[operation.source], operation.factor);
      case Op::Kind::kCopy:
        target = model_[operation.source];
        return;
      case Op::Kind::kFill:
        target = 0x01010101U * operation.factor;
    }
  }

  bool make_operation(const Known &known, Op *operation, Footprint *footprint) {
    operation->kind = static_cast<Op::Kind>(below(3));
    operation->factor = 1U + static_cast<unsigned>(below(9));
    if (!find(known, &operation->target, &operation->source)) return false;
    footprint->written.set(operation->target);
    footprint->used.set(operation->target);
    if (operation->kind != Op::Kind::kFill) footprint->used.set(operation->source);
    return true;
  }

  HostCall *host_call(const Op &operation) {
    calls_.push_back(std::make_unique<HostCall>(place(operation.target), place(operation.source), operation.factor));
    return calls_.back().get();
  }
  static void run_host_call(void *data) {
    const auto &asked = *static_cast<HostCall *>(data);
    mix(asked.target, asked.source, asked.factor);
  }

  cudaGraphNode_t add_node(cudaGraph_t graph, const std::vector<cudaGraphNode_t> &after, const Op &operation) {
    unsigned *to = place(operation.target), *from = place(operation.source), factor = operation.factor, pause = delay();
    cudaGraphNode_t node = nullptr;
    if (operation.kind == Op::Kind::kCopy) {
      CHECK_OK(
          cudaGraphAddMemcpyNode1D(&node, graph, after.data(), after.size(), to, from, sizeof *to, cudaMemcpyDefault));
    } else if (operation.kind == Op::Kind::kFill) {
      const cudaMemsetParams params = {to, 0, factor, 1, sizeof *to, 1};
      CHECK_OK(cudaGraphAddMemsetNode(&node, graph, after.data(), after.size(), &params));
    } else if (operation.target >= kCells && operation.source >= kCells && below(2) == 0) {
      const cudaHostNodeParams params = {run_host_call, host_call(operation)};
      CHECK_OK(cudaGraphAddHostNode(&node, graph, after.data(), after.size(), &params));
    } else {
      void *arguments[] = {&to, &from, &factor, &pause};
      const cudaKernelNodeParams params = {&stub_mix, dim3(1), dim3(1), 0, arguments, nullptr};
      CHECK_OK(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &params));
    }
    return node;
  }

  // A graph inside the node: a child, or one of the bodies of a conditional node, of which none or one is run.
  cudaGraphNode_t add_inner(cudaGraph_t graph, const std::vector<cudaGraphNode_t> &after, const Known &known, int depth,
                            std::vector<Op> *operations, Footprint *footprint) {
    cudaGraphNode_t node = nullptr;
    if (depth > 1 || below(2) == 0) {
      cudaGraph_t child = nullptr;
      CHECK_OK(cudaGraphCreate(&child, 0));
      *footprint = fill_graph(child, known, depth, operations);
      CHECK_OK(cudaGraphAddChildGraphNode(&node, graph, after.data(), after.size(), child));
      CHECK_OK(cudaGraphDestroy(child));
      return node;
    }
    const unsigned chosen = static_cast<unsigned>(below(4));
    const bool is_if = below(2) == 0;
    cudaGraphConditionalHandle handle = 0;
    CHECK_OK(cudaGraphConditionalHandleCreate(&handle, graph, chosen, cudaGraphCondAssignDefault));
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = is_if ? cudaGraphCondTypeIf : cudaGraphCondTypeSwitch;
    params.conditional.size = is_if ? 2 : 3;
    CHECK_OK(cudaGraphAddNode(&node, graph, after.data(), nullptr, after.size(), &params));
    const unsigned run = is_if ? (chosen != 0 ? 0 : 1) : chosen;
    for (unsigned i = 0; i < params.conditional.size; ++i) {
      std::vector<Op> skipped;
      std::vector<Op> *const own = i == run ? operations : &skipped;
      footprint->add(fill_graph(params.conditional.phGraph_out[i], known, depth, own));
    }
    return node;
  }

  // Nodes that know of each other by edges, or touch nothing in common.
  Footprint fill_graph(cudaGraph_t graph, const Known &known, int depth, std::vector<Op> *operations) {
    std::vector<std::pair<Footprint, cudaGraphNode_t>> nodes;
    Footprint all;
    for (int i = 1 + below(8); i > 0; --i) {
      Footprint footprint;
      std::vector<cudaGraphNode_t> after;
      const auto find_edges = [&] {
        for (const auto &[each, node] : nodes)
          if (footprint.conflicts(each) || below(4) == 0) after.push_back(node);
      };
      cudaGraphNode_t node = nullptr;
      if (depth < 3 && below(5) == 0) {
        // What is in it is not known yet: behind all.
        for (const auto &[each, before] : nodes) after.push_back(before);
        node = add_inner(graph, after, known, depth + 1, operations, &footprint);
      } else {
        Op operation{};
        if (!make_operation(known, &operation, &footprint)) continue;
        find_edges();
        node = add_node(graph, after, operation);
        operations->push_back(operation);
      }
      nodes.emplace_back(footprint, node);
      all.add(footprint);
    }
    return all;
  }

  void submit(cudaStream_t stream, const Op &operation) {
    unsigned *to = place(operation.target), *from = place(operation.source), factor = operation.factor, pause = delay();
    void *arguments[] = {&to, &from, &factor, &pause};
    if (operation.kind == Op::Kind::kCopy) {
      CHECK_OK(cudaMemcpyAsync(to, from, sizeof *to, cudaMemcpyDefault, stream));
    } else if (operation.kind == Op::Kind::kFill) {
      CHECK_OK(cudaMemsetAsync(to, static_cast<int>(factor), sizeof *to, stream));
    } else if (operation.target >= kCells && operation.source >= kCells && below(2) == 0) {
      CHECK_OK(cudaLaunchHostFunc(stream, run_host_call, host_call(operation)));
    } else {
      CHECK_OK(cudaLaunchKernel(&stub_mix, 1, 1, arguments, 0, stream));
    }
  }

  // What two streams are given, the second between a fork and a join, where nothing of the one meets the other's.
  cudaGraph_t capture(const Known &known, std::vector<Op> *operations) {
    cudaGraph_t graph = nullptr;
    Footprint branches[2];
    CHECK_OK(cudaStreamBeginCapture(capturing_[0], cudaStreamCaptureModeRelaxed));
    bool is_forked = false;
    for (int i = 1 + below(12); i >= 0; --i) {
      if (is_forked && (i == 0 || below(4) == 0)) {
        CHECK_OK(cudaEventRecord(joint_, capturing_[1]));
        CHECK_OK(cudaStreamWaitEvent(capturing_[0], joint_, 0));
        is_forked = false;
      } else if (!is_forked && i > 1 && below(3) == 0) {
        CHECK_OK(cudaEventRecord(joint_, capturing_[0]));
        CHECK_OK(cudaStreamWaitEvent(capturing_[1], joint_, 0));
        branches[0] = branches[1] = {};
        is_forked = true;
      }
      Op operation{};
      Footprint footprint;
      const int branch = is_forked ? below(2) : 0;
      if (i == 0 || !make_operation(known, &operation, &footprint)) continue;
      if (is_forked && footprint.conflicts(branches[1 - branch])) continue;
      branches[branch].add(footprint);
      submit(capturing_[branch], operation);
      operations->push_back(operation);
    }
    CHECK_OK(cudaStreamEndCapture(capturing_[0], &graph));
    return graph;
  }

  // A graph's launches run one after the other.
  void launch_graph(int stream, Graph &graph) {
    Known known = before(stream);
    if (graph.last >= 0) {
      known |= graph.before_last;
      known.set(graph.last);
    }
    const bool may_run = std::ranges::all_of(graph.operations, [&](const Op &each) {
      return may_write(each.target, known) && may_read(each.source, known);
    });
    if (!may_run) return;
    CHECK_OK(cudaGraphLaunch(graph.exec, streams_[stream]));
    graph.last = enter(stream);
    known_[stream] |= known;
    graph.before_last = known_[stream];
    for (const Op &each : graph.operations) apply(each);
    for (const Op &each : graph.operations) writes(graph.last, each.target);
    for (const Op &each : graph.operations) reads(graph.last, each.source);
  }

  // For captures alone.
  std::array<cudaStream_t, 2> capturing_{};
  cudaEvent_t joint_ = nullptr;
  std::vector<Graph> graphs_;
};
