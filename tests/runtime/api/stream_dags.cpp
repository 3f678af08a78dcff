// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs of streams, events, graphs, host functions, copies and fills against a sequential model: each
// operation changes a cell of memory in a way that does not commute, and is submitted where the rules of CUDA order it
// behind all that it conflicts with. So memory must end as if everything had run when it was submitted. Graphs are made
// of nodes, with graphs inside and conditional ones, or captured from two streams, and launched several times.
//
//     stream_dags [COUNT [SEED]]
#include <algorithm>
#include <thread>

#include "stream_graphs.h"

namespace {

class Program : GraphModel {
 public:
  explicit Program(unsigned seed) : GraphModel(seed) {
    streams_[kLegacy] = nullptr;
    streams_[1] = cudaStreamPerThread;
    for (int i = kFirstCreated; i < kStreams; ++i) create(i);
    for (cudaEvent_t &event : events_) CHECK_OK(cudaEventCreate(&event));
  }
  ~Program() {
    for (int i = kFirstCreated; i < kStreams; ++i) CHECK_OK(cudaStreamDestroy(streams_[i]));
    for (cudaEvent_t event : events_) CHECK_OK(cudaEventDestroy(event));
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
  void create(int i) {
    const unsigned flags = i < kFirstNonBlocking ? cudaStreamDefault : cudaStreamNonBlocking;
    CHECK_OK(cudaStreamCreateWithPriority(&streams_[i], flags, -below(3)));
    known_[i] = {};
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

  void launch(cudaStream_t stream, int target, int source, unsigned factor, unsigned delay) {
    unsigned *to = place(target), *from = place(source);
    void *arguments[] = {&to, &from, &factor, &delay};
    CHECK_OK(cudaLaunchKernel(&stub_mix, 1, 1, arguments, 0, stream));
    mix(&model_[target], &model_[source], factor);
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

  std::array<cudaEvent_t, kEvents> events_{};
  std::array<Known, kEvents> recorded_{};
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
