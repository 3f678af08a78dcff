// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: --expt-relaxed-constexpr
// feature: Templates / operands in small private arrays of tuples, unrolled loops that end early, any type
// Element-wise kernels as a library of tensors writes them: what four turns load goes through arrays of tuples; sources
// and results are of types that only the launch knows, at strides that only the launch knows.
#include <cstring>
#include <tuple>

#include "check.h"
#include "run_time_kinds.h"

constexpr int kTurns = 4, kThreads = 64, kTile = kTurns * kThreads;

struct View {
  char *at;
  int kind, step;
};

template <typename T>
__global__ void mixed(int n, T alpha, View to, View a, View b) {
  std::tuple<T, T> arguments[kTurns];
  T results[kTurns];
  int base = kTile * blockIdx.x, left = n - base, at = threadIdx.x;
#pragma unroll
  for (int k = 0; k < kTurns; ++k) {
    if (at >= left) break;
    unsigned place = unsigned(base + at);
    std::get<0>(arguments[k]) = fetch<T>(a.kind, a.at + a.step * place);
    std::get<1>(arguments[k]) = fetch<T>(b.kind, b.at + b.step * place);
    at += kThreads;
  }
#pragma unroll
  for (int k = 0; k < kTurns; ++k) {
    if (int(threadIdx.x) + k * kThreads < left) {
      results[k] = std::get<0>(arguments[k]) + alpha * std::get<1>(arguments[k]);
    }
  }
  at = threadIdx.x;
#pragma unroll
  for (int k = 0; k < kTurns; ++k) {
    if (at >= left) break;
    put<T>(to.kind, to.at + to.step * unsigned(base + at), results[k]);
    at += kThreads;
  }
}

template <typename T>
struct alignas(2 * sizeof(T)) Pair {
  T item[2];
};

template <typename T>
__global__ void packed(T alpha, T *to, const T *from) {
  T mine[kTurns], results[kTurns];
  auto *packs = reinterpret_cast<const Pair<T> *>(from) + blockIdx.x * (kTile / 2);
#pragma unroll
  for (int turn = 0; turn < 2; ++turn) {
    Pair<T> pair = packs[threadIdx.x + turn * kThreads];
    for (int k = 0; k < 2; ++k) mine[turn * 2 + k] = pair.item[k];
  }
  for (int k = 0; k < kTurns; ++k) results[k] = mine[k] * alpha;
#pragma unroll
  for (int turn = 0; turn < 2; ++turn) {
    Pair<T> pair;
    for (int k = 0; k < 2; ++k) pair.item[k] = results[turn * 2 + k];
    reinterpret_cast<Pair<T> *>(to)[blockIdx.x * (kTile / 2) + threadIdx.x + turn * kThreads] = pair;
  }
}

const int kSizes[] = {1, 2, 4, 8, 4, 8};

template <typename T>
int check_mixed(int n, T alpha, int kind_to, int kind_a, int kind_b, int gap) {
  const int kinds[] = {kind_to, kind_a, kind_b};
  View views[3];
  for (int v = 0; v < 3; ++v) {
    int step = kSizes[kinds[v]] * (1 + gap);
    void *data;
    cudaMallocManaged(&data, n * step + 8);
    memset(data, 0x5a, n * step + 8);
    views[v] = {(char *)data, kinds[v], step};
    for (int i = 0; i < n && v; ++i) put<int>(kinds[v], views[v].at + step * i, (i * 7 + v * 5) % 11);
  }
  mixed<T><<<(n + kTile - 1) / kTile, kThreads>>>(n, alpha, views[0], views[1], views[2]);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    T x = fetch<T>(kind_a, views[1].at + views[1].step * i), y = fetch<T>(kind_b, views[2].at + views[2].step * i);
    char expected[8];
    memset(expected, 0x5a, 8);
    put<T>(kind_to, expected, T(x + alpha * y));
    wrong += memcmp(expected, views[0].at + views[0].step * i, kSizes[kind_to]) != 0;
  }
  wrong += views[0].at[n * views[0].step] != 0x5a;  // what lies behind stays as it was
  for (View each : views) cudaFree(each.at);
  return wrong;
}

template <typename T>
int check_packed(T alpha) {
  T *to, *from;
  const int n = 3 * kTile;
  cudaMallocManaged(&to, n * sizeof(T));
  cudaMallocManaged(&from, n * sizeof(T));
  for (int i = 0; i < n; ++i) from[i] = T(i % 23);
  packed<T><<<3, kThreads>>>(alpha, to, from);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += to[i] != T(from[i] * alpha);
  cudaFree(to);
  cudaFree(from);
  return wrong;
}

int main() {
  int wrong = 0;
  for (int n : {1, 63, 257, 1000}) {
    for (int gap = 0; gap < 2; ++gap) {
      for (int kind = kByte; kind <= kDouble; ++kind) {
        wrong += check_mixed<float>(n, 2, kind, (kind + 1) % 6, (kind + 4) % 6, gap);
        wrong += check_mixed<short>(n, 3, (kind + 3) % 6, kind, (kind + 5) % 6, gap);
      }
    }
  }
  printf("mixed: %d wrong\n", wrong);
  printf("packed: %d wrong\n", check_packed<short>(3) + check_packed<float>(.5f) + check_packed<double>(.25));
}
