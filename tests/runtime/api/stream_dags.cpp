// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs of streams, events, graphs, host functions, copies and fills against a sequential model: each
// operation changes a cell of memory in a way that does not commute, and is submitted where the rules of CUDA order it
// behind all that it conflicts with. So memory must end as if everything had run when it was submitted.
//
//     stream_dags [COUNT [SEED]]
#include <algorithm>
#include <array>
#include <bitset>
#include <functional>
#include <memory>
#include <random>
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
  }
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  ~Program() {
    for (int i = kFirstCreated; i < kStreams; ++i) CHECK_OK(cudaStreamDestroy(streams_[i]));
    for (cudaEvent_t event : events_) CHECK_OK(cudaEventDestroy(event));
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

  // Kernels that know of each other by edges, or touch nothing in common.
  void graph(int stream) {
    struct Node {
      int target, source;
      cudaGraphNode_t node;
    };
    const Known known = before(stream);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    CHECK_OK(cudaGraphCreate(&graph, 0));
    std::vector<Node> nodes;
    for (int i = 1 + below(8); i > 0; --i) {
      int target, source;
      if (!find(known, &target, &source)) continue;
      std::vector<cudaGraphNode_t> after;
      for (const Node &each : nodes) {
        const bool conflicts = each.target == target || each.target == source || each.source == target;
        if (conflicts || below(4) == 0) after.push_back(each.node);
      }
      unsigned *to = place(target), *from = place(source), factor = 1U + static_cast<unsigned>(below(9)),
               pause = delay();
      void *arguments[] = {&to, &from, &factor, &pause};
      const cudaKernelNodeParams params = {&stub_mix, dim3(1), dim3(1), 0, arguments, nullptr};
      cudaGraphNode_t node = nullptr;
      CHECK_OK(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &params));
      mix(&model_[target], &model_[source], factor);
      nodes.push_back({target, source, node});
    }
    CHECK_OK(cudaGraphInstantiate(&exec, graph));
    CHECK_OK(cudaGraphLaunch(exec, streams_[stream]));
    CHECK_OK(cudaGraphExecDestroy(exec));
    CHECK_OK(cudaGraphDestroy(graph));
    const int operation = enter(stream);
    for (const Node &each : nodes) writes(operation, each.target);
    for (const Node &each : nodes) reads(operation, each.source);
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
  int next_ = 0;
};

}  // namespace

int main(int count, char **arguments) {
  register_image();
  const int programs = count > 1 ? std::atoi(arguments[1]) : 50;
  const int seed = count > 2 ? std::atoi(arguments[2]) : 1;
  test("random programs end as if all had run at once", [&] {
    for (int i = 0; i < programs && failures == 0; ++i) {
      if (Program(static_cast<unsigned>(seed + i)).run()) continue;
      std::printf("the program of seed %d has ended with wrong memory\n", seed + i);
      ++failures;
    }
  });
  return finish();
}
