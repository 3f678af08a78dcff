// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs of streams, events, graphs, host functions, copies and fills against a sequential model: each
// operation changes a cell of memory in a way that does not commute, and is submitted where the rules of CUDA order it
// behind all that it conflicts with. So memory must end as if everything had run when it was submitted. Graphs are made
// of nodes, with graphs inside and conditional ones, or captured from two streams, and launched several times.
//
//     stream_dags [COUNT [SEED]]
#include <algorithm>
#include <array>
#include <bitset>
#include <functional>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "fixture.h"

namespace {

constexpr int kOperations = 200, kCells = 12, kStreams = 6, kEvents = 4;
// Streams 0 and 1 are the legacy and the thread's own one, the next two blocking, the others not.
constexpr int kLegacy = 0, kFirstCreated = 2, kFirstNonBlocking = 4;

using Known = std::bitset<kOperations * 4>;  // operations that come before

// A cell is a word of device memory, or (the second half) of pinned memory.
struct Cell {
  int writer = -1;
  std::vector<int> readers;  // since
};

struct HostCall {
  unsigned *target;
  const unsigned *source;
  unsigned factor;
};

void mix(unsigned *target, const unsigned *source, unsigned factor) { *target = *target * 31 + *source * factor + 1; }

class Program {
 public:
  explicit Program(unsigned seed) : random_(seed) {
    CHECK_OK(cudaMalloc(reinterpret_cast<void **>(&device_), sizeof(unsigned) * kCells));
    CHECK_OK(cudaMallocHost(reinterpret_cast<void **>(&pinned_), sizeof(unsigned) * kCells));
    CHECK_OK(cudaMemset(device_, 0, sizeof(unsigned) * kCells));
    CHECK_OK(cudaDeviceSynchronize());
    std::memset(pinned_, 0, sizeof(unsigned) * kCells);
    streams_[kLegacy] = nullptr;
    streams_[1] = cudaStreamPerThread;
    for (int i = kFirstCreated; i < kStreams; ++i) create(i);
    for (cudaEvent_t &event : events_) CHECK_OK(cudaEventCreate(&event));
    for (cudaStream_t &stream : capturing_) CHECK_OK(cudaStreamCreate(&stream));
    CHECK_OK(cudaEventCreate(&joint_));
  }
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  ~Program() {
    for (int i = kFirstCreated; i < kStreams; ++i) CHECK_OK(cudaStreamDestroy(streams_[i]));
    for (cudaEvent_t event : events_) CHECK_OK(cudaEventDestroy(event));
    for (cudaStream_t stream : capturing_) CHECK_OK(cudaStreamDestroy(stream));
    for (const Graph &graph : graphs_) CHECK_OK(cudaGraphExecDestroy(graph.exec));
    CHECK_OK(cudaEventDestroy(joint_));
    CHECK_OK(cudaFree(device_));
    CHECK_OK(cudaFreeHost(pinned_));
  }

  bool run() {
    const int count = below(kOperations);
    for (int i = 0; i < count; ++i) step();
    CHECK_OK(cudaDeviceSynchronize());
    unsigned got[kCells];
    CHECK_OK(cudaMemcpy(got, device_, sizeof got, cudaMemcpyDeviceToHost));
    return std::equal(got, got + kCells, model_.begin()) &&
           std::equal(pinned_, pinned_ + kCells, model_.end() - kCells);
  }

 private:
  int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

  void create(int i) {
    const unsigned flags = i < kFirstNonBlocking ? cudaStreamDefault : cudaStreamNonBlocking;
    CHECK_OK(cudaStreamCreateWithPriority(&streams_[i], flags, -below(3)));
    known_[i] = {};
  }

  unsigned *place(int cell) { return cell < kCells ? device_ + cell : pinned_ + (cell - kCells); }

  // What is before the next operation of a stream.
  Known before(int stream) const {
    Known result = known_[stream] | host_;
    if (stream == kLegacy) {
      for (int i = 0; i < kFirstNonBlocking; ++i) result |= known_[i];
    } else if (stream < kFirstNonBlocking) {
      result |= known_[kLegacy];
    }
    return result;
  }

  bool may_read(int cell, const Known &known) const { return cells_[cell].writer < 0 || known[cells_[cell].writer]; }
  bool may_write(int cell, const Known &known) const {
    return may_read(cell, known) && std::ranges::all_of(cells_[cell].readers, [&](int each) { return known[each]; });
  }

  // The number of a new operation of the stream.
  int enter(int stream) {
    known_[stream] = before(stream);
    known_[stream].set(next_);
    return next_++;
  }
  void reads(int operation, int cell) { cells_[cell].readers.push_back(operation); }
  void writes(int operation, int cell) { cells_[cell] = {operation, {}}; }

  // Two cells for an operation, by what is known; false: none found.
  bool find(const Known &known, int *target, int *source, int first = 0, int last = 2 * kCells) {
    for (int i = 0; i < 20; ++i) {
      *target = first + below(last - first);
      *source = below(2 * kCells);
      if (*source != *target && may_write(*target, known) && may_read(*source, known)) return true;
    }
    return false;
  }

  void step() {
    if (next_ >= kOperations * 3) return;
    const int stream = below(kStreams);
    switch (below(14)) {
      case 0:
      case 1:
      case 2:
        return kernel(stream);
      case 3:
      case 4:
        return copy(stream);
      case 5:
        return fill(stream);
      case 6:
        return from_pageable(stream);
      case 7:
        return host_function(stream);
      case 8:
        return graph(stream);
      case 9:
        return record(stream);
      case 10:
      case 11:
        return wait(stream);
      case 12:
        return synchronise(stream);
      default:
        return other(stream);
    }
  }

  void kernel(int stream) {
    int target, source;
    if (!find(before(stream), &target, &source)) return;
    launch(streams_[stream], target, source, 1 + below(9), delay());
    note(enter(stream), target, source);
  }

  unsigned delay() { return below(4) == 0 ? static_cast<unsigned>(below(20000)) : 0; }

  void launch(cudaStream_t stream, int target, int source, unsigned factor, unsigned delay) {
    unsigned *to = place(target), *from = place(source);
    void *arguments[] = {&to, &from, &factor, &delay};
    CHECK_OK(cudaLaunchKernel(&stub_mix, 1, 1, arguments, 0, stream));
    mix(&model_[target], &model_[source], factor);
  }

  void note(int operation, int target, int source) {
    writes(operation, target);
    reads(operation, source);
  }

  void copy(int stream) {
    int target, source;
    if (!find(before(stream), &target, &source)) return;
    CHECK_OK(cudaMemcpyAsync(place(target), place(source), sizeof(unsigned), cudaMemcpyDefault, streams_[stream]));
    model_[target] = model_[source];
    note(enter(stream), target, source);
  }

  void fill(int stream) {
    int target, source;
    if (!find(before(stream), &target, &source)) return;
    const int value = below(200);
    CHECK_OK(cudaMemsetAsync(place(target), value, sizeof(unsigned), streams_[stream]));
    model_[target] = 0x01010101U * static_cast<unsigned>(value);
    writes(enter(stream), target);
  }

  void from_pageable(int stream) {
    int target, source;
    if (!find(before(stream), &target, &source, 0, kCells)) return;
    unsigned value = random_();
    CHECK_OK(cudaMemcpyAsync(place(target), &value, sizeof value, cudaMemcpyHostToDevice, streams_[stream]));
    model_[target] = value;
    value = 0;  // it is the program's again
    writes(enter(stream), target);
  }

  void host_function(int stream) {
    int target, source;
    if (!find(before(stream), &target, &source, kCells)) return;
    if (source < kCells) return;
    calls_.push_back(std::make_unique<HostCall>(place(target), place(source), 1U + static_cast<unsigned>(below(9))));
    HostCall *const call = calls_.back().get();
    const auto function = [](void *data) {
      const auto &asked = *static_cast<HostCall *>(data);
      mix(asked.target, asked.source, asked.factor);
    };
    CHECK_OK(cudaLaunchHostFunc(streams_[stream], function, call));
    mix(&model_[target], &model_[source], call->factor);
    note(enter(stream), target, source);
  }

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

  void record(int stream) {
    const int event = below(kEvents);
    CHECK_OK(cudaEventRecord(events_[event], streams_[stream]));
    enter(stream);
    recorded_[event] = known_[stream];
  }

  void wait(int stream) {
    const int event = below(kEvents);
    CHECK_OK(cudaStreamWaitEvent(streams_[stream], events_[event], 0));
    if (recorded_[event].none()) return;
    if (stream == kLegacy) enter(stream);
    known_[stream] |= recorded_[event];
  }

  void synchronise(int stream) {
    if (below(3) != 0) return wait(stream);
    const int event = below(kEvents);
    switch (below(4)) {
      case 0:
        CHECK_OK(cudaStreamSynchronize(streams_[stream]));
        host_ |= known_[stream];
        return check();
      case 1:
        CHECK_OK(cudaEventSynchronize(events_[event]));
        host_ |= recorded_[event];
        return check();
      case 2:
        while (cudaStreamQuery(streams_[stream]) == cudaErrorNotReady) {
        }
        host_ |= known_[stream];
        return check();
      default:
        if (below(4) != 0) return;
        CHECK_OK(cudaDeviceSynchronize());
        for (const Known &each : known_) host_ |= each;
        host_ |= left_;
        return check();
    }
  }

  // What the host knows to be done can be seen in pinned memory.
  void check() {
    for (int cell = kCells; cell < 2 * kCells; ++cell) {
      if (may_read(cell, host_)) CHECK(*place(cell) == model_[cell]);
    }
  }

  // A stream is destroyed with what it has to do; memory is allocated and freed in order.
  void other(int stream) {
    if (stream >= kFirstCreated && below(3) == 0) {
      CHECK_OK(cudaStreamDestroy(streams_[stream]));
      left_ |= known_[stream];
      return create(stream);
    }
    int target, source;
    unsigned *memory = nullptr;
    if (!find(before(stream), &target, &source)) return;
    const cudaStream_t handle = streams_[stream];
    CHECK_OK(cudaMallocAsync(reinterpret_cast<void **>(&memory), 256, handle));
    CHECK_OK(cudaMemcpyAsync(memory, place(source), sizeof(unsigned), cudaMemcpyDefault, handle));
    CHECK_OK(cudaMemcpyAsync(place(target), memory, sizeof(unsigned), cudaMemcpyDefault, handle));
    CHECK_OK(cudaFreeAsync(memory, handle));
    model_[target] = model_[source];
    note(enter(stream), target, source);
  }

  std::mt19937 random_;
  unsigned *device_ = nullptr, *pinned_ = nullptr;
  std::array<unsigned, 2 * kCells> model_{};
  std::array<Cell, 2 * kCells> cells_{};
  std::array<cudaStream_t, kStreams> streams_{};
  std::array<cudaEvent_t, kEvents> events_{};
  std::array<Known, kStreams> known_{};
  std::array<Known, kEvents> recorded_{};
  Known host_, left_;  // what the host knows of; what destroyed streams had to do
  std::vector<std::unique_ptr<HostCall>> calls_;
  // For captures alone.
  std::array<cudaStream_t, 2> capturing_{};
  cudaEvent_t joint_ = nullptr;
  std::vector<Graph> graphs_;
  int next_ = 0;
};

}  // namespace

int main(int count, char **arguments) {
  register_image();
  const int programs = count > 1 ? std::atoi(arguments[1]) : 50;
  const int seed = count > 2 ? std::atoi(arguments[2]) : 1;
  const auto run = [&](int number) {
    if (Program(static_cast<unsigned>(seed + number)).run()) return;
    std::printf("the program of seed %d has ended with wrong memory\n", seed + number);
    ++failures;
  };
  test("random programs end as if all had run at once", [&] {
    for (int i = 0; i < programs && failures == 0; ++i) run(i);
  });
  test("so they do side by side on threads", [&] {
    for (int i = 0; i < programs / 3 && failures == 0; ++i) {
      std::vector<std::thread> threads;
      for (int each = 0; each < 3; ++each) threads.emplace_back(run, programs + 3 * i + each);
      for (std::thread &each : threads) each.join();
    }
  });
  return finish();
}
