// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that return before their grid ends, what runs side by side, what errors, resets, ends and forks do to work
// that is queued.
#include <sys/mman.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "fixture.h"

namespace {

cudaError_t launch_mix(unsigned *target, const unsigned *source, unsigned factor, unsigned delay, cudaStream_t stream) {
  void *arguments[] = {&target, &source, &factor, &delay};
  return cudaLaunchKernel(&stub_mix, 1, 1, arguments, 0, stream);
}
cudaError_t launch_meet(unsigned *arrived, unsigned count, cudaStream_t stream) {
  void *arguments[] = {&arrived, &count};
  return cudaLaunchKernel(&stub_meet, 1, 1, arguments, 0, stream);
}
cudaError_t launch_print(int value, cudaStream_t stream) {
  void *arguments[] = {&value};
  return cudaLaunchKernel(&stub_print, 1, 1, arguments, 0, stream);
}

// While a grid may write it.
unsigned look_at(const unsigned &word) { return __atomic_load_n(&word, __ATOMIC_RELAXED); }

constexpr unsigned kLong = 30'000'000;  // turns: tens of milliseconds

struct Memory {
  unsigned *words = nullptr;
  Memory() {
    CHECK_OK(cudaMallocHost(reinterpret_cast<void **>(&words), 4096));
    std::memset(words, 0, 4096);
  }
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  ~Memory() { CHECK_OK(cudaFreeHost(words)); }
};

struct Streams {
  cudaStream_t first = nullptr, second = nullptr;
  Streams() {
    CHECK_OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK_OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  }
  Streams(const Streams &) = delete;
  Streams &operator=(const Streams &) = delete;
  ~Streams() {
    CHECK_OK(cudaStreamDestroy(first));
    CHECK_OK(cudaStreamDestroy(second));
  }
};

void overlap() {
  test("a launch returns before its grid ends", [] {
    Memory memory;
    Streams streams;
    CHECK_OK(launch_mix(memory.words, memory.words + 1, 3, 0, streams.first));
    CHECK_OK(cudaStreamSynchronize(streams.first));  // a short one of the same shape has been seen
    CHECK_OK(launch_mix(memory.words, memory.words + 1, 3, kLong, streams.first));
    CHECK_ERROR(cudaStreamQuery(streams.first), cudaErrorNotReady);
    CHECK(look_at(memory.words[0]) == 1);
    CHECK_OK(cudaStreamSynchronize(streams.first));
    CHECK(memory.words[0] == 32);
    // Nor do many short ones make it short.
    for (int i = 0; i < 200; ++i) {
      CHECK_OK(launch_mix(memory.words + 8, memory.words + 9, 3, 0, streams.first));
      CHECK_OK(cudaStreamSynchronize(streams.first));
    }
    CHECK_OK(launch_mix(memory.words, memory.words + 1, 3, kLong, streams.first));
    CHECK(look_at(memory.words[0]) == 32);
    CHECK_OK(cudaStreamSynchronize(streams.first));
  });
  test("one of another thread, in the only stream that there is, is waited for", [] {
    Memory memory;
    std::thread([&] {
      CHECK_OK(launch_mix(memory.words, memory.words + 1, 3, 0, nullptr));
      CHECK_OK(launch_mix(memory.words, memory.words + 1, 3, kLong, nullptr));
    }).join();
    CHECK_OK(cudaDeviceSynchronize());
    CHECK(memory.words[0] == 32);
    std::atomic<bool> has_begun = false;
    std::thread other([&] {
      has_begun = true;
      for (int i = 0; i < 2000; ++i) CHECK_OK(launch_mix(memory.words, memory.words + 1, 0, 100, nullptr));
    });
    while (!has_begun) std::this_thread::yield();
    for (int i = 0; i < 2000; ++i) CHECK_OK(cudaDeviceSynchronize());
    other.join();
    CHECK_OK(cudaDeviceSynchronize());
    unsigned expected = 32;
    for (int i = 0; i < 2000; ++i) expected = expected * 31 + 1;
    CHECK(memory.words[0] == expected);
  });
  test("it goes on while the host asks, or does something else", [] {
    Memory memory;
    Streams streams;
    cudaEvent_t event = nullptr;
    CHECK_OK(cudaEventCreate(&event));
    CHECK_OK(launch_mix(memory.words, memory.words + 1, 3, kLong / 10, streams.first));
    CHECK_OK(cudaEventRecord(event, streams.first));
    while (cudaEventQuery(event) == cudaErrorNotReady) {
    }
    CHECK(memory.words[0] == 1);
    CHECK_OK(launch_mix(memory.words, memory.words + 1, 3, kLong / 10, streams.first));
    while (look_at(memory.words[0]) != 32) std::this_thread::yield();
    CHECK_OK(cudaStreamSynchronize(streams.first));
    CHECK_OK(cudaEventDestroy(event));
  });
  test("streams run side by side, and so do nodes without a path", [] {
    Memory memory;
    Streams streams;
    CHECK_OK(launch_meet(memory.words, 2, streams.first));
    CHECK_OK(launch_meet(memory.words, 2, streams.second));
    CHECK_OK(cudaStreamSynchronize(streams.first));
    CHECK_OK(cudaDeviceSynchronize());
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    unsigned *arrived = memory.words + 16, count = 3;
    void *arguments[] = {&arrived, &count};
    const cudaKernelNodeParams params = {&stub_meet, dim3(1), dim3(1), 0, arguments, nullptr};
    CHECK_OK(cudaGraphCreate(&graph, 0));
    for (int i = 0; i < 3; ++i) {
      cudaGraphNode_t node = nullptr;
      CHECK_OK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
    }
    CHECK_OK(cudaGraphInstantiate(&exec, graph));
    CHECK_OK(cudaGraphLaunch(exec, streams.first));
    CHECK_OK(cudaGraphExecDestroy(exec));
    CHECK_OK(cudaGraphDestroy(graph));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK(memory.words[0] == 2 && memory.words[16] == 3);
  });
  test("so do nodes of a conditional node's body, each time that it runs", [] {
    Memory memory;
    Streams streams;
    struct Loop {
      unsigned *arrived, *goes_on, rounds;
    } loop = {memory.words, nullptr, 0};
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    cudaGraphConditionalHandle handle = 0;
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeConditional;
    CHECK_OK(cudaGraphCreate(&graph, 0));
    CHECK_OK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    loop.goes_on = reinterpret_cast<unsigned *>(handle);
    params.conditional = {handle, cudaGraphCondTypeWhile, 1, nullptr, nullptr};
    cudaGraphNode_t node = nullptr, meeting[2];
    CHECK_OK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
    cudaGraph_t body = params.conditional.phGraph_out[0];
    unsigned count = 2;
    void *arguments[] = {&loop.arrived, &count};
    const cudaKernelNodeParams meet = {&stub_meet, dim3(1), dim3(1), 0, arguments, nullptr};
    for (cudaGraphNode_t &each : meeting) CHECK_OK(cudaGraphAddKernelNode(&each, body, nullptr, 0, &meet));
    const auto ends_round = [](void *data) {
      Loop &own = *static_cast<Loop *>(data);
      if (++own.rounds % 1000 == 0) *own.goes_on = 0;
      *own.arrived = 0;
    };
    const cudaHostNodeParams host = {ends_round, &loop};
    CHECK_OK(cudaGraphAddHostNode(&node, body, meeting, 2, &host));
    CHECK_OK(cudaGraphInstantiate(&exec, graph));
    for (int launches = 0; launches < 2; ++launches) CHECK_OK(cudaGraphLaunch(exec, streams.first));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK(loop.rounds == 2000);
    CHECK_OK(cudaGraphExecDestroy(exec));
    CHECK_OK(cudaGraphDestroy(graph));
  });
  test("so do nodes of child graphs, and of graphs that are launched into a capture", [] {
    Memory memory;
    Streams streams;
    cudaGraph_t child = nullptr, graph = nullptr, captured = nullptr;
    cudaGraphExec_t exec = nullptr, outer = nullptr;
    cudaGraphNode_t node = nullptr;
    unsigned *arrived = memory.words, count = 4;
    void *arguments[] = {&arrived, &count};
    const cudaKernelNodeParams params = {&stub_meet, dim3(1), dim3(1), 0, arguments, nullptr};
    CHECK_OK(cudaGraphCreate(&child, 0));
    CHECK_OK(cudaGraphCreate(&graph, 0));
    for (int i = 0; i < 2; ++i) CHECK_OK(cudaGraphAddKernelNode(&node, child, nullptr, 0, &params));
    for (int i = 0; i < 2; ++i) CHECK_OK(cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, child));
    CHECK_OK(cudaGraphInstantiate(&exec, graph));
    CHECK_OK(cudaGraphLaunch(exec, streams.first));
    CHECK_OK(cudaStreamSynchronize(streams.first));
    CHECK(memory.words[0] == 4);
    CHECK_OK(cudaStreamBeginCapture(streams.second, cudaStreamCaptureModeGlobal));
    CHECK_OK(cudaMemsetAsync(memory.words, 0, 4, streams.second));
    CHECK_OK(cudaGraphLaunch(exec, streams.second));
    CHECK_OK(launch_mix(memory.words + 1, memory.words, 1, 0, streams.second));
    CHECK_OK(cudaStreamEndCapture(streams.second, &captured));
    CHECK_OK(cudaGraphInstantiate(&outer, captured));
    CHECK_OK(cudaGraphLaunch(outer, streams.second));
    CHECK_OK(cudaStreamSynchronize(streams.second));
    CHECK(memory.words[0] == 4 && memory.words[1] == 5);
    for (cudaGraphExec_t each : {exec, outer}) CHECK_OK(cudaGraphExecDestroy(each));
    for (cudaGraph_t each : {child, graph, captured}) CHECK_OK(cudaGraphDestroy(each));
  });
  test("a destroyed stream does what it was given", [] {
    Memory memory;
    cudaStream_t stream = nullptr;
    CHECK_OK(cudaStreamCreate(&stream));
    for (int i = 0; i < 3; ++i) CHECK_OK(launch_mix(memory.words, memory.words + 1, 1, kLong / 100, stream));
    CHECK_OK(cudaStreamDestroy(stream));
    CHECK_ERROR(launch_mix(memory.words, memory.words + 1, 1, 0, stream), cudaErrorInvalidResourceHandle);
    CHECK_ERROR(cudaMemsetAsync(memory.words, 0, 4, stream), cudaErrorInvalidResourceHandle);
    CHECK_OK(cudaDeviceSynchronize());
    CHECK(memory.words[0] == (31 + 1) * 31 + 1);
  });
}

struct Seen {
  cudaError_t launch, copy, query;
  std::atomic<int> calls = 0;
};

void host_functions() {
  test("host functions may not call most of the API", [] {
    Memory memory;
    static Memory *used;
    used = &memory;
    Seen seen{};
    const auto function = [](void *data) {
      Seen &result = *static_cast<Seen *>(data);
      cudaEvent_t event = nullptr;
      result.launch = launch_mix(used->words, used->words + 1, 1, 0, nullptr);
      result.copy = cudaMemcpy(used->words, used->words + 1, 4, cudaMemcpyDefault);
      result.query = cudaEventQuery(event);
      ++result.calls;
    };
    CHECK_OK(cudaLaunchHostFunc(nullptr, function, &seen));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK(seen.launch == cudaErrorNotPermitted && seen.copy == cudaErrorNotPermitted);
    CHECK(seen.query == cudaErrorInvalidResourceHandle && seen.calls == 1);
    CHECK(cudaGetLastError() == cudaSuccess);  // of this thread, whoever has run the function
  });
  test("host functions of two streams may wait for each other", [] {
    Streams streams;
    std::atomic<int> arrived = 0;
    const auto function = [](void *data) {
      auto &count = *static_cast<std::atomic<int> *>(data);
      for (++count; count < 2;) std::this_thread::yield();
    };
    CHECK_OK(cudaLaunchHostFunc(streams.first, function, &arrived));
    CHECK_OK(cudaLaunchHostFunc(streams.second, function, &arrived));
    CHECK_OK(cudaStreamSynchronize(streams.second));
    CHECK_OK(cudaStreamSynchronize(streams.first));
  });
}

void output() {
  test("a launch behind one that waits for the host returns", [] {
    Memory memory;
    Streams streams;
    for (int i = 0; i < 4; ++i) {  // from now on such a grid is known to be short
      CHECK_OK(launch_mix(memory.words, memory.words + 1, 3, 0, streams.first));
      CHECK_OK(cudaStreamSynchronize(streams.first));
    }
    std::atomic<bool> may_end = false;
    const auto wait = [](void *flag) {
      while (!*static_cast<std::atomic<bool> *>(flag)) std::this_thread::yield();
    };
    CHECK_OK(cudaLaunchHostFunc(streams.first, wait, &may_end));
    for (int i = 0; i < 3; ++i) CHECK_OK(launch_mix(memory.words, memory.words + 1, 3, 0, streams.first));
    CHECK_ERROR(cudaStreamQuery(streams.first), cudaErrorNotReady);
    may_end = true;
    CHECK_OK(cudaStreamSynchronize(streams.first));
    unsigned expected = 0;
    for (int i = 0; i < 7; ++i) expected = expected * 31 + 1;
    CHECK(memory.words[0] == expected);
  });
  test("device output comes when the host synchronises", [] {
    const std::string text = captured(1, [] {
      Streams streams;
      for (int round = 0; round < 3; ++round) {
        CHECK_OK(launch_print(round, streams.first));
        std::printf("host %d\n", round);
        CHECK_OK(cudaStreamSynchronize(streams.first));
      }
    });
    CHECK(text == "host 0\ndevice 0\nhost 1\ndevice 1\nhost 2\ndevice 2\n");
  });
}

void faults() {
  test("a fault ends what is queued behind it, and what waits for that", [] {
    unsigned *words = nullptr;
    CHECK_OK(cudaMallocHost(reinterpret_cast<void **>(&words), 4096));
    std::memset(words, 0, 4096);
    cudaStream_t first = nullptr, second = nullptr;
    CHECK_OK(cudaStreamCreate(&first));
    CHECK_OK(cudaStreamCreate(&second));
    Seen seen{};
    cudaError_t status = cudaSuccess;
    CHECK_OK(launch_meet(words, 2, second));
    CHECK_OK(launch_mix(words + 8, words + 9, 1, kLong, first));
    CHECK_OK(cudaLaunchKernel(&stub_trap, 1, 1, nullptr, 0, first));
    CHECK_OK(launch_meet(words, 2, first));
    CHECK_OK(cudaLaunchHostFunc(first, [](void *data) { ++static_cast<Seen *>(data)->calls; }, &seen));
    const auto callback = [](cudaStream_t, cudaError_t error, void *data) {
      *static_cast<cudaError_t *>(data) = error;
    };
    CHECK_OK(cudaStreamAddCallback(first, callback, &status, 0));
    CHECK_ERROR(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    CHECK_ERROR(launch_mix(words, words + 1, 1, 0, first), cudaErrorLaunchFailure);
    CHECK(seen.calls == 0 && status == cudaErrorLaunchFailure && words[0] <= 1 && words[8] == 1);
    CHECK_OK(cudaDeviceReset());
    CHECK_OK(cudaDeviceSynchronize());
  });
  test("a reset ends a grid that only waits", [] {
    unsigned *words = nullptr;
    cudaStream_t stream = nullptr;
    CHECK_OK(cudaMallocHost(reinterpret_cast<void **>(&words), 4096));
    std::memset(words, 0, 4096);
    CHECK_OK(cudaStreamCreate(&stream));
    CHECK_OK(launch_meet(words, 2, stream));
    CHECK_OK(launch_mix(words + 1, words + 2, 1, 0, stream));
    CHECK_OK(cudaDeviceReset());
    CHECK_ERROR(cudaStreamQuery(stream), cudaErrorInvalidResourceHandle);
    CHECK_OK(cudaDeviceSynchronize());
  });
}

// What a child of fork() ends with; -1: it does not end.
int status_of(pid_t child) {
  for (int i = 0; i < 3000; ++i) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return -1;
}

void processes() {
  test("100 forks, each with work queued on both sides", [] {
    Memory memory;
    Streams streams;
    for (int i = 0; i < 100; ++i) {
      CHECK_OK(launch_mix(memory.words, memory.words + 1, 1, 2000, streams.first));
      const pid_t child = fork();
      if (child == 0) {
        unsigned value = 7;
        launch_mix(&value, &value, 1, 2000, streams.second);
        const bool is_right = cudaDeviceSynchronize() == cudaSuccess && value == 7 * 32 + 1;
        _exit(is_right ? 0 : 1);
      }
      CHECK(status_of(child) == 0);
      CHECK_OK(cudaStreamSynchronize(streams.first));
    }
  });
  test("a program that ends finishes what is queued, but for grids that only wait", [] {
    void *const shared = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    auto *const words = static_cast<unsigned *>(shared);
    const pid_t child = fork();
    if (child == 0) {
      Streams *const streams = new Streams;
      CHECK_OK(cudaHostRegister(shared, 4096, 0));
      CHECK_OK(launch_meet(words, 2, streams->first));
      for (int i = 0; i < 3; ++i) CHECK_OK(launch_mix(words + 1, words + 2, 1, kLong / 100, streams->second));
      std::exit(0);
    }
    CHECK(status_of(child) == 0);
    CHECK(words[0] == 1 && words[1] == (31 + 1) * 31 + 1);
    munmap(shared, 4096);
  });
  test("CUDA_LAUNCH_BLOCKING=1", [] {
    const pid_t child = fork();
    if (child == 0) {
      setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
      execl("/proc/self/exe", "stream_queue", "blocking", nullptr);
      _exit(2);
    }
    CHECK(status_of(child) == 0);
  });
}

int run_blocking() {
  Memory memory;
  Streams streams;
  CHECK_OK(launch_mix(memory.words, memory.words + 1, 1, kLong / 10, streams.first));
  CHECK_OK(cudaStreamQuery(streams.first));
  return finish();
}

}  // namespace

int main(int count, char **) {
  register_image();
  if (count > 1) return run_blocking();
  overlap();
  host_functions();
  output();
  processes();
  faults();
  return finish();
}
