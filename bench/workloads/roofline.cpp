// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this machine can do at the most: multiply-adds of floats a second, and bytes a second over data of a given size.
//
//   roofline BYTES [THREADS]
//
// prints {"flops": ..., "read": ..., "update": ...}: `read` adds up one array, `update` is y = a x + y over two arrays,
// of which x and y are read and y is written. One thread counts its CPU time, several count wall-clock time.
#include <array>
#include <thread>

#include "harness.h"

#if defined(__AVX512F__)
const int kVectorBytes = 64;
#elif defined(__AVX__)
const int kVectorBytes = 32;
#else
const int kVectorBytes = 16;
#endif

typedef float Vector __attribute__((vector_size(kVectorBytes)));
const size_t kLanes = kVectorBytes / sizeof(float);
const int kChains = 12;  // independent operations: more than latency times units, fewer than 16 registers
const double kSeconds = 0.02;
const size_t kMost = size_t{256} << 20;  // no cache holds more: what this much takes tells for any more

volatile float g_factor = 0.999f, g_summand = 0.1f, g_sink;

static float total(const Vector *vectors, int count) {
  float sum = 0;
  for (int i = 0; i < count; ++i) {
    for (size_t lane = 0; lane < kLanes; ++lane) sum += vectors[i][lane];
  }
  return sum;
}

// Floating-point operations done.
static double multiply_add(long repetitions) {
  const Vector factor = Vector{} + g_factor, summand = Vector{} + g_summand;
  Vector chains[kChains];
  for (int i = 0; i < kChains; ++i) chains[i] = Vector{} + static_cast<float>(i);
  for (long k = 0; k < repetitions; ++k) {
#pragma clang loop unroll(full)
    for (int i = 0; i < kChains; ++i) chains[i] = chains[i] * factor + summand;
  }
  g_sink = total(chains, kChains);
  return 2.0 * static_cast<double>(kLanes) * kChains * static_cast<double>(repetitions);
}

// Bytes read.
static double read(const Vector *data, size_t count, long repetitions) {
  Vector sums[8] = {};
  for (long k = 0; k < repetitions; ++k) {
    for (size_t i = 0; i + 8 <= count; i += 8) {
#pragma clang loop unroll(full)
      for (int j = 0; j < 8; ++j) sums[j] += data[i + j];
    }
    asm volatile("" ::: "memory");  // each repetition reads again
  }
  g_sink = total(sums, 8);
  return static_cast<double>(count / 8 * 8 * sizeof(Vector)) * static_cast<double>(repetitions);
}

// Bytes read and written.
static double update(const Vector *x, Vector *y, size_t count, long repetitions) {
  const Vector factor = Vector{} + 1e-9f;
  for (long k = 0; k < repetitions; ++k) {
#pragma clang loop unroll_count(4)
    for (size_t i = 0; i < count; ++i) y[i] = factor * x[i] + y[i];
    asm volatile("" ::: "memory");
  }
  return 3.0 * static_cast<double>(count * sizeof(Vector)) * static_cast<double>(repetitions);
}

// Units a second of `job(repetitions)`, which returns how many it did: the median of nine, as the programs are timed.
// Where neighbours share the core's units the best of them would tell of moments that no longer run has to itself.
template <class Job>
double rate(bool wall, Job job) {
  std::array<double, 9> rates;
  long repetitions = 1;
  for (size_t found = 0; found < rates.size();) {
    const double start = bench::now(wall);
    const double done = job(repetitions);
    const double seconds = bench::now(wall) - start;
    if (seconds < kSeconds / 5 && repetitions < (1L << 40)) {
      repetitions *= 2;
      continue;
    }
    rates[found++] = done / seconds;
  }
  std::nth_element(rates.begin(), rates.begin() + rates.size() / 2, rates.end());
  return rates[rates.size() / 2];
}

struct Rates {
  double flops, read, update;
};

static Rates rates_of_a_thread(size_t bytes, bool wall) {
  const size_t count = std::max<size_t>(std::min(bytes, kMost) / sizeof(Vector), 16);
  bench::Array<Vector> data(count);
  for (Vector &vector : data) vector = Vector{} + 1.0f;
  Rates rates;
  rates.flops = rate(wall, multiply_add);
  rates.read = rate(wall, [&](long times) { return read(data.data(), count, times); });
  rates.update = rate(wall, [&](long times) { return update(data.data(), data.data() + count / 2, count / 2, times); });
  return rates;
}

int main(int argc, char **argv) {
  const int threads = argc > 2 ? std::max(1, atoi(argv[2])) : 1;
  const size_t bytes = argc > 1 ? strtoull(argv[1], nullptr, 10) / threads : size_t{1} << 20;
  std::vector<Rates> found(threads);
  std::vector<std::thread> running;
  for (Rates &rates : found)
    running.emplace_back([&rates, bytes, threads] { rates = rates_of_a_thread(bytes, threads > 1); });
  for (std::thread &thread : running) thread.join();
  Rates sum = {};
  for (const Rates &rates : found) {
    sum.flops += rates.flops;
    sum.read += rates.read;
    sum.update += rates.update;
  }
  printf("{\"flops\": %.6g, \"read\": %.6g, \"update\": %.6g}\n", sum.flops, sum.read, sum.update);
}
