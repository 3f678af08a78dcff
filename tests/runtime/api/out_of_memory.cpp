// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of the host that runs out at each allocation of a call: an error of that call, which leaves nothing behind.
// Sanitizers have allocators of their own.
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define WARPLOOM_SANITIZED
#endif

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <new>

#include "fixture.h"

namespace {

// Allocations that succeed before one fails, of this thread, of all threads; negative: all do.
thread_local long allocations_left = -1;
std::atomic<long> everybodys_left = -1;

constexpr unsigned kLong = 30'000;  // turns: tens of microseconds
constexpr std::size_t kBytes = 4096;

struct World {
  unsigned *words = nullptr, *device = nullptr;
  unsigned pageable[kBytes / sizeof(unsigned)] = {};
  cudaStream_t stream = nullptr, other = nullptr;
  cudaEvent_t event = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaGraphNode_t node = nullptr;
  cudaMemPool_t pool = nullptr;
  bool is_lost = false;  // the device was reset, and all of it went with that

  World() {
    CHECK_OK(cudaMallocHost(reinterpret_cast<void **>(&words), kBytes));
    CHECK_OK(cudaMalloc(reinterpret_cast<void **>(&device), kBytes));
    std::memset(words, 0, kBytes);
    CHECK_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK_OK(cudaStreamCreate(&other));
    CHECK_OK(cudaEventCreate(&event));
    CHECK_OK(cudaGraphCreate(&graph, 0));
    CHECK_OK(add_kernel(&node, graph));
    CHECK_OK(cudaGraphInstantiate(&exec, graph));
    CHECK_OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  }
  World(const World &) = delete;
  World &operator=(const World &) = delete;
  ~World() {
    if (is_lost) return;
    CHECK_OK(cudaGraphExecDestroy(exec));
    CHECK_OK(cudaGraphDestroy(graph));
    CHECK_OK(cudaEventDestroy(event));
    CHECK_OK(cudaStreamDestroy(stream));
    CHECK_OK(cudaStreamDestroy(other));
    CHECK_OK(cudaFree(device));
    CHECK_OK(cudaFreeHost(words));
  }

  cudaError_t launch(cudaStream_t where, unsigned delay) const {
    unsigned *to = where == other ? words + 16 : words, *from = to + 1, factor = 1;  // streams side by side
    void *arguments[] = {&to, &from, &factor, &delay};
    return cudaLaunchKernel(&stub_mix, 1, 1, arguments, 0, where);
  }
  cudaError_t add_kernel(cudaGraphNode_t *made, cudaGraph_t to_graph) const {
    unsigned *to = words + 8, *from = to + 1, factor = 1, delay = 0;
    void *arguments[] = {&to, &from, &factor, &delay};
    const cudaKernelNodeParams params = {&stub_mix, dim3(1), dim3(1), 0, arguments, nullptr};
    return cudaGraphAddKernelNode(made, to_graph, nullptr, 0, &params);
  }
};

void nothing(void *) {}

// A call, tried with all of its allocations but one; it may be made again when it has failed.
struct Call {
  const char *name;
  std::function<cudaError_t()> run;
  std::function<void()> prepare = [] {};
  std::function<void()> undo = [] {};   // when it has succeeded
  std::function<void()> clear = [] {};  // in any case
};

// How often memory ran out.
int try_all_allocations(const Call &call, int rounds = 1) {
  int failed = 0;
  for (int after = 0;; ++after) {
    call.prepare();
    allocations_left = after;
    const cudaError_t error = call.run();
    const bool has_run_out = allocations_left == 0 && error != cudaSuccess;
    const bool had_enough = allocations_left > 0;
    allocations_left = -1;
    if (error != cudaSuccess && error != cudaErrorMemoryAllocation) {
      std::printf("%s: %s after %d allocations\n", call.name, cudaGetErrorName(error), after);
      ++failures;
    }
    cudaGetLastError();
    if (error == cudaSuccess) call.undo();
    call.clear();
    CHECK_OK(cudaDeviceSynchronize());
    failed += has_run_out ? 1 : 0;
    // What is kept for later calls has been allocated by now.
    if (had_enough && --rounds == 0) return failed;
    if (after > 500) {
      std::printf("%s: allocates without end\n", call.name);
      ++failures;
      return failed;
    }
  }
}

cudaError_t capture(const World &world, cudaGraph_t *graph) {
  *graph = nullptr;
  cudaError_t error = cudaStreamBeginCapture(world.stream, cudaStreamCaptureModeRelaxed);
  if (error != cudaSuccess) return error;
  const auto note = [&](cudaError_t next) { error = error == cudaSuccess ? next : error; };
  note(world.launch(world.stream, 0));
  note(cudaMemcpyAsync(world.device, world.words, 64, cudaMemcpyDefault, world.stream));
  note(cudaLaunchHostFunc(world.stream, nothing, nullptr));
  note(cudaGraphLaunch(world.exec, world.stream));
  note(cudaEventRecord(world.event, world.stream));
  note(cudaStreamWaitEvent(world.other, world.event, 0));
  note(cudaMemsetAsync(world.device, 1, 64, world.other));
  note(cudaEventRecord(world.event, world.other));
  note(cudaStreamWaitEvent(world.stream, world.event, 0));
  const long left = allocations_left;
  allocations_left = -1;  // an end ends it in any case
  const cudaError_t ended = cudaStreamEndCapture(world.stream, graph);
  allocations_left = left;
  if (error == cudaSuccess) note(ended);
  if (error != cudaSuccess && *graph != nullptr) {
    CHECK_OK(cudaGraphDestroy(*graph));
  }
  return error;
}

std::vector<Call> calls_of(World &world) {
  static cudaStream_t stream;
  static cudaEvent_t event;
  static cudaGraph_t graph;
  static cudaGraphExec_t exec;
  static cudaGraphNode_t node;
  static void *memory;
  static cudaArray_t array;
  const auto busy = [&world] { CHECK_OK(world.launch(world.stream, kLong)); };
  const auto new_graph = [] { CHECK_OK(cudaGraphCreate(&graph, 0)); };
  const auto drop_graph = [] { CHECK_OK(cudaGraphDestroy(graph)); };
  const auto drop_exec = [] { CHECK_OK(cudaGraphExecDestroy(exec)); };
  const auto free_memory = [] { CHECK_OK(cudaFree(memory)); };
  return {
      {"cudaStreamCreate", [] { return cudaStreamCreate(&stream); }, [] {},
       [] { CHECK_OK(cudaStreamDestroy(stream)); }},
      {"cudaEventCreate", [] { return cudaEventCreate(&event); }, [] {}, [] { CHECK_OK(cudaEventDestroy(event)); }},
      {"a launch", [&] { return world.launch(world.stream, 0); }},
      {"a launch that is queued", [&] { return world.launch(world.stream, kLong); }, busy},
      {"a copy", [&] { return cudaMemcpyAsync(world.device, world.words, 64, cudaMemcpyDefault, world.stream); }, busy},
      {"a copy from pageable memory",
       [&] { return cudaMemcpyAsync(world.device, world.pageable, kBytes, cudaMemcpyDefault, world.stream); }, busy},
      {"a copy in rows",
       [&] { return cudaMemcpy2DAsync(world.device, 64, world.words, 128, 64, 8, cudaMemcpyDefault, world.stream); },
       busy},
      {"a fill", [&] { return cudaMemsetAsync(world.device, 1, kBytes, world.stream); }, busy},
      {"cudaLaunchHostFunc", [&] { return cudaLaunchHostFunc(world.stream, nothing, nullptr); }},
      {"cudaStreamAddCallback",
       [&] { return cudaStreamAddCallback(world.stream, [](cudaStream_t, cudaError_t, void *) {}, nullptr, 0); }},
      {"cudaEventRecord", [&] { return cudaEventRecord(world.event, world.stream); }, busy},
      {"cudaStreamWaitEvent", [&] { return cudaStreamWaitEvent(world.other, world.event, 0); },
       [&] {
         CHECK_OK(world.launch(world.stream, kLong));
         CHECK_OK(cudaEventRecord(world.event, world.stream));
       }},
      {"cudaStreamSynchronize", [&] { return cudaStreamSynchronize(world.stream); }, busy},
      {"cudaEventSynchronize", [&] { return cudaEventSynchronize(world.event); },
       [&] {
         CHECK_OK(world.launch(world.stream, kLong));
         CHECK_OK(cudaEventRecord(world.event, world.stream));
       }},
      {"cudaDeviceSynchronize", [] { return cudaDeviceSynchronize(); }, busy},
      {"cudaMalloc", [] { return cudaMalloc(&memory, kBytes); }, [] {}, free_memory},
      {"cudaMallocManaged", [] { return cudaMallocManaged(&memory, kBytes); }, [] {}, free_memory},
      {"cudaMallocHost", [] { return cudaMallocHost(&memory, kBytes); }, [] {}, [] { CHECK_OK(cudaFreeHost(memory)); }},
      {"cudaHostRegister", [&] { return cudaHostRegister(world.pageable, kBytes, 0); }, [] {},
       [&] { CHECK_OK(cudaHostUnregister(world.pageable)); }},
      {"cudaMallocAsync", [&] { return cudaMallocAsync(&memory, kBytes, world.stream); }, busy,
       [&] { CHECK_OK(cudaFreeAsync(memory, world.stream)); }},
      {"cudaMallocArray",
       [] {
         const cudaChannelFormatDesc texel = {32, 0, 0, 0, cudaChannelFormatKindFloat};
         return cudaMallocArray(&array, &texel, 16, 16);
       },
       [] {}, [] { CHECK_OK(cudaFreeArray(array)); }},
      {"cudaGraphCreate", [] { return cudaGraphCreate(&graph, 0); }, [] {}, drop_graph},
      {"a kernel node", [&] { return world.add_kernel(&node, world.graph); }, [] {},
       [] { CHECK_OK(cudaGraphDestroyNode(node)); }},
      {"a host node",
       [&] {
         const cudaHostNodeParams params = {nothing, nullptr};
         return cudaGraphAddHostNode(&node, world.graph, &world.node, 1, &params);
       },
       [] {}, [] { CHECK_OK(cudaGraphDestroyNode(node)); }},
      {"a copy node",
       [&] {
         return cudaGraphAddMemcpyNode1D(&node, world.graph, &world.node, 1, world.device, world.words, 64,
                                         cudaMemcpyDefault);
       },
       [] {}, [] { CHECK_OK(cudaGraphDestroyNode(node)); }},
      {"a fill node",
       [&] {
         const cudaMemsetParams params = {world.device, 0, 1, 1, 64, 1};
         return cudaGraphAddMemsetNode(&node, world.graph, &world.node, 1, &params);
       },
       [] {}, [] { CHECK_OK(cudaGraphDestroyNode(node)); }},
      {"a child graph node", [&] { return cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, world.graph); },
       new_graph, [] {}, drop_graph},
      {"cudaGraphClone", [&] { return cudaGraphClone(&graph, world.graph); }, [] {}, drop_graph},
      {"cudaGraphInstantiate", [&] { return cudaGraphInstantiate(&exec, world.graph); }, [] {}, drop_exec},
      {"cudaGraphLaunch", [] { return cudaGraphLaunch(exec, nullptr); },
       [&] { CHECK_OK(cudaGraphInstantiate(&exec, world.graph)); }, [] {}, drop_exec},
      {"cudaGraphLaunch that is queued", [&] { return cudaGraphLaunch(world.exec, world.stream); }, busy},
      {"a capture", [&] { return capture(world, &graph); }, [] {}, drop_graph},
      {"cudaMemPoolCreate",
       [] {
         cudaMemPoolProps props = {};
         props.allocType = cudaMemAllocationTypePinned;
         props.location = {cudaMemLocationTypeDevice, 0};
         return cudaMemPoolCreate(reinterpret_cast<cudaMemPool_t *>(&memory), &props);
       },
       [] {}, [] { CHECK_OK(cudaMemPoolDestroy(static_cast<cudaMemPool_t>(memory))); }},
  };
}

void calls() {
  test("memory that runs out at any allocation of a call is an error of that call", [] {
    World world;
    int failed = 0;
    for (const Call &call : calls_of(world)) failed += try_all_allocations(call);
#ifndef WARPLOOM_SANITIZED
    CHECK(failed > 60);
#endif
    std::size_t nodes = 0;
    CHECK_OK(cudaGraphGetNodes(world.graph, nullptr, &nodes));
    CHECK(nodes == 1);
    CHECK_OK(world.launch(world.stream, 0));
    CHECK_OK(cudaDeviceSynchronize());
  });
  test("and leaves nothing behind", [] {
    World world;
    const std::vector<Call> all = calls_of(world);
    for (const Call &call : all) {
      try_all_allocations(call);
      // Threads of the queue take and give back memory meanwhile: what is lost is lost each time.
      std::size_t least = SIZE_MAX;
      for (int time = 0; time < 4 && least > 20'000; ++time) {
        const std::size_t before = mallinfo2().uordblks;
        for (int i = 0; i < 20; ++i) try_all_allocations(call);
        const std::size_t after = mallinfo2().uordblks;
        least = std::min(least, after > before ? after - before : 0);
      }
      if (least > 20'000) std::printf("%s: %zu bytes\n", call.name, least), ++failures;
    }
  });
}

// Whoever runs what is queued allocates as well.
void threads() {
  test("memory that runs out on any thread is an error of the device at most", [] {
    for (long after = 0; after < 120; ++after) {
      World world;
      everybodys_left = after;
      for (int i = 0; i < 3; ++i) {
        static_cast<void>(world.launch(world.stream, kLong));
        static_cast<void>(world.launch(world.other, kLong));
        static_cast<void>(cudaGraphLaunch(world.exec, world.stream));
      }
      const cudaError_t status = cudaDeviceSynchronize();
      everybodys_left = -1;
      CHECK(status == cudaSuccess || status == cudaErrorMemoryAllocation);
      cudaGetLastError();
      const cudaError_t end = cudaDeviceSynchronize();
      CHECK(end == cudaSuccess || end == cudaErrorMemoryAllocation);
      if (end != cudaSuccess) {  // an error of the device stays until it is reset
        world.is_lost = true;
        CHECK_OK(cudaDeviceReset());
      }
      cudaGetLastError();
    }
  });
}

void cycles() {
  test("1,000 streams, events, graphs and launches leave nothing behind", [] {
    World world;
    std::size_t before = 0;
    for (int i = 0; i < 1100; ++i) {
      if (i == 100) before = mallinfo2().uordblks;
      cudaEvent_t event = nullptr;
      cudaStream_t first = nullptr, second = nullptr;
      cudaGraphExec_t exec = nullptr;
      CHECK_OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
      CHECK_OK(cudaStreamCreateWithPriority(&second, cudaStreamDefault, -(i % 3)));
      CHECK_OK(cudaEventCreate(&event));
      CHECK_OK(cudaGraphInstantiate(&exec, world.graph));
      CHECK_OK(world.launch(first, 3000));
      CHECK_OK(cudaEventRecord(event, first));
      CHECK_OK(cudaStreamWaitEvent(second, event, 0));
      CHECK_OK(world.launch(second, 3000));
      CHECK_OK(cudaGraphLaunch(exec, second));
      if (i % 3 == 0) CHECK_OK(cudaDeviceSynchronize());
      CHECK_OK(cudaGraphExecDestroy(exec));
      CHECK_OK(cudaEventDestroy(event));
      CHECK_OK(cudaStreamDestroy(first));
      CHECK_OK(cudaStreamDestroy(second));
      CHECK_OK(cudaStreamSynchronize(nullptr));
    }
    CHECK_OK(cudaDeviceSynchronize());
    const std::size_t after = mallinfo2().uordblks;
    CHECK(after < before + 100'000);
  });
}

}  // namespace

#ifndef WARPLOOM_SANITIZED
void *operator new(std::size_t size) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  if (everybodys_left.load() >= 0 && everybodys_left.fetch_sub(1) == 0) throw std::bad_alloc();
  if (void *const made = std::malloc(size)) return made;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
#endif

int main() {
  register_image();
  cycles();
  calls();
  threads();
  return finish();
}
