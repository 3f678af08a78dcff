// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the two programs of a workload share: the command line, arrays, random numbers, the clock, the check of the
// result, and the line of JSON that `warploom bench` reads. Problems (data, sizes and the scalar computation that
// results are compared with) lie in a header each, beside the programs.
//
//   PROGRAM [VARIANT] [--quick] [--seconds S] [--wall]
//
// --quick makes problems small, --seconds is how long to repeat, --wall counts wall-clock time in place of the CPU time
// of the process (which neighbours on the machine disturb less, but which cores add up in).
#pragma once

#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace bench {

struct Settings {
  const char *variant = "";
  bool quick = false;
  bool wall = false;
  double seconds = 0.2;

  Settings(int argc, char **argv) {
    for (int i = 1; i < argc; ++i) {
      if (strcmp(argv[i], "--quick") == 0) {
        quick = true;
      } else if (strcmp(argv[i], "--wall") == 0) {
        wall = true;
      } else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) {
        seconds = atof(argv[++i]);
      } else {
        variant = argv[i];
      }
    }
  }

  bool is(const char *name) const { return strcmp(variant, name) == 0; }

  [[noreturn]] void unknown_variant() const {
    fprintf(stderr, "unknown variant '%s'\n", variant);
    exit(2);
  }
};

// Elements from a page boundary on, in huge pages where the system has them: what cudaMalloc gives as well.
template <class T>
class Array {
 public:
  explicit Array(size_t count) : count_(count) {
    const size_t bytes = (count * sizeof(T) + kHugePage - 1) / kHugePage * kHugePage;
    data_ = static_cast<T *>(aligned_alloc(kHugePage, bytes));
    if (data_ == nullptr) {
      fprintf(stderr, "no memory for %zu bytes\n", bytes);
      exit(2);
    }
    madvise(data_, bytes, MADV_HUGEPAGE);
    memset(static_cast<void *>(data_), 0, bytes);
  }
  ~Array() { free(data_); }
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;
  Array(Array &&other) noexcept : data_(other.data_), count_(other.count_) { other.data_ = nullptr; }

  T *data() { return data_; }
  const T *data() const { return data_; }
  size_t size() const { return count_; }
  size_t bytes() const { return count_ * sizeof(T); }
  T &operator[](size_t i) { return data_[i]; }
  const T &operator[](size_t i) const { return data_[i]; }
  T *begin() { return data_; }
  T *end() { return data_ + count_; }
  const T *begin() const { return data_; }
  const T *end() const { return data_ + count_; }

 private:
  static constexpr size_t kHugePage = size_t{2} << 20;
  T *data_;
  size_t count_;
};

// The same numbers on every machine (an xorshift generator with a multiplied output).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  uint32_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<uint32_t>((state_ * 0x2545f4914f6cdd1du) >> 32);
  }
  uint32_t below(uint32_t limit) { return static_cast<uint32_t>((uint64_t{next()} * limit) >> 32); }
  float uniform(float low, float high) { return low + (high - low) * (static_cast<float>(next() >> 8) * 0x1p-24f); }

 private:
  uint64_t state_;
};

// What one repetition has to do at the least: the roofline is drawn from it.
struct Work {
  double flops;      // additions, multiplications, comparisons, divisions and function calls count one each
  double bytes;      // read and written, each element once
  double footprint;  // bytes of all arrays: which cache holds them
  bool writes;       // whether the stream of bytes holds stores worth counting
};

// How far a result is from the scalar computation, and how far it may be.
struct Check {
  double error;
  double bound;
  bool right() const { return error <= bound; }  // false for NaN too
};

// The largest difference relative to 1 + |expected|; a value that is no number counts as infinitely wrong.
template <class T>
double largest_error(const T *got, const double *expected, size_t count) {
  double worst = 0;
  for (size_t i = 0; i < count; ++i) {
    const double error = std::fabs(static_cast<double>(got[i]) - expected[i]) / (1 + std::fabs(expected[i]));
    if (!(error <= worst)) worst = std::isnan(error) ? INFINITY : error;
  }
  return worst;
}

template <class T>
double differences(const T *got, const T *expected, size_t count) {
  size_t found = 0;
  for (size_t i = 0; i < count; ++i) found += got[i] != expected[i];
  return static_cast<double>(found);
}

inline double now(bool wall) {
  timespec time;
  clock_gettime(wall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Seconds of one repetition: the median of batches of about 20 ms, after one batch to warm up.
template <class Job>
double seconds_of(const Settings &settings, Job job) {
  const double kBatch = std::min(0.02, settings.seconds / 3);
  auto timed = [&](int repetitions) {
    const double start = now(settings.wall);
    for (int i = 0; i < repetitions; ++i) job();
    return (now(settings.wall) - start) / repetitions;
  };
  const double once = std::max(timed(1), 1e-7);
  const int repetitions = std::max(1, static_cast<int>(kBatch / once));
  const double warm = std::max(timed(repetitions), 1e-9);
  const int batches = std::clamp(static_cast<int>(settings.seconds / (warm * repetitions)), 3, 101);
  std::vector<double> times(batches);
  for (double &time : times) time = timed(repetitions);
  std::nth_element(times.begin(), times.begin() + batches / 2, times.end());
  return times[batches / 2];
}

// Runs `job` once, lets `check` look at the result, then repeats `job` and prints one line. The exit status of the
// program.
template <class Job, class Checker>
int measure(const Settings &settings, const Work &work, Job job, Checker check) {
  job();
  const Check found = check();
  const double seconds = found.right() ? seconds_of(settings, job) : 0;
  // JSON has no infinity.
  printf(
      "{\"seconds\": %.9g, \"flops\": %.17g, \"bytes\": %.17g, \"footprint\": %.17g, \"writes\": %s, "
      "\"error\": %.6g, \"bound\": %.6g, \"right\": %s}\n",
      seconds, work.flops, work.bytes, work.footprint, work.writes ? "true" : "false", std::min(found.error, 1e308),
      found.bound, found.right() ? "true" : "false");
  return found.right() ? 0 : 1;
}

#ifdef __CUDACC__

inline void require(cudaError_t status, const char *what) {
  if (status == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  exit(2);
}
#define BENCH_CUDA(call) bench::require(call, #call)

// Memory of the device, freed with the scope.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t count) : count_(count) { BENCH_CUDA(cudaMalloc(&data_, count * sizeof(T))); }
  explicit DeviceArray(const Array<T> &host) : DeviceArray(host.size()) {
    BENCH_CUDA(cudaMemcpy(data_, host.data(), host.bytes(), cudaMemcpyHostToDevice));
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;

  T *data() { return data_; }
  size_t bytes() const { return count_ * sizeof(T); }
  Array<T> to_host() const {
    Array<T> host(count_);
    BENCH_CUDA(cudaMemcpy(host.data(), data_, host.bytes(), cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  T *data_ = nullptr;
  size_t count_;
};

#endif

}  // namespace bench
