// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preloaded into a program of Rodinia or HeCBench: measures its computational part. A region is a parallel construct of
// OpenMP (of the outermost level; with -DTARGET_REGIONS a target construct, which the host runs) or the launch of a
// kernel and its end. At exit three numbers of seconds go to the end of file REGION_TIMES: in regions by the clock, in
// regions by processor time, and from the first region's begin to the last one's end; then the number of regions. The
// time of day is fixed, as programs draw their inputs from it.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

struct Dim3 {
  unsigned x, y, z;
};

double seconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Times {
  double clock = 0, processor = 0, first = 0, last = 0;
  long regions = 0;
  bool inside = false;

  ~Times() {
    const char *path = std::getenv("REGION_TIMES");
    if (!path || !regions) return;
    if (FILE *file = std::fopen(path, "a")) {
      std::fprintf(file, "%.9f %.9f %.9f %ld\n", clock, processor, last - first, regions);
      std::fclose(file);
    }
  }
};

Times times;

template <class Body>
void measured(Body body) {
  if (times.inside) return body();
  times.inside = true;
  double clock = seconds(CLOCK_MONOTONIC), processor = seconds(CLOCK_PROCESS_CPUTIME_ID);
  if (!times.regions++) times.first = clock;
  body();
  times.last = seconds(CLOCK_MONOTONIC);
  times.clock += times.last - clock;
  times.processor += seconds(CLOCK_PROCESS_CPUTIME_ID) - processor;
  times.inside = false;
}

template <class Function>
Function next(Function, const char *name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

template <class Launch, class... Arguments>
int launched(Launch launch, Arguments... arguments) {
  static const auto wait = reinterpret_cast<int (*)()>(dlsym(RTLD_NEXT, "cudaDeviceSynchronize"));
  int result = 0;
  wait();  // for copies that run beside
  measured([&] {
    result = launch(arguments...);
    wait();
  });
  return result;
}

}  // namespace

extern "C" {

int cudaLaunchKernel(const void *kernel, Dim3 grid, Dim3 block, void **arguments, size_t shared, void *stream) {
  static const auto launch = next(&cudaLaunchKernel, "cudaLaunchKernel");
  return launched(launch, kernel, grid, block, arguments, shared, stream);
}

int cudaLaunchCooperativeKernel(const void *kernel, Dim3 grid, Dim3 block, void **arguments, size_t shared,
                                void *stream) {
  static const auto launch = next(&cudaLaunchCooperativeKernel, "cudaLaunchCooperativeKernel");
  return launched(launch, kernel, grid, block, arguments, shared, stream);
}

#ifdef TARGET_REGIONS
constexpr unsigned kNoWait = 1;  // a flag of libgomp's: the construct is a task, which runs later

void GOMP_target_ext(int device, void (*body)(void *), size_t mapped, void **hosts, size_t *sizes,
                     unsigned short *kinds, unsigned flags, void **depends, void **arguments) {
  static const auto start = next(&GOMP_target_ext, "GOMP_target_ext");
  measured([&] { start(device, body, mapped, hosts, sizes, kinds, flags & ~kNoWait, depends, arguments); });
}
#else
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags) {
  static const auto start = next(&GOMP_parallel, "GOMP_parallel");
  measured([&] { start(body, data, threads, flags); });
}
#endif

time_t time(time_t *result) noexcept {
  if (result) *result = 7;
  return 7;
}
}
