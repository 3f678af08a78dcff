// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element-wise kernels in the shape of a library of tensors, whose operands pass through small private arrays, against
// a plain loop of the host compiler: microseconds for 65,536 elements that lie in the cache, the least of 500 turns.
//
//     warpcc -O3 -Xcompiler -march=native bench/elementwise_speed.cu -o speed && WARPLOOM_NUM_THREADS=1 ./speed
#define KERNELS_ONLY
#include <algorithm>
#include <chrono>

#include "compile_units/elementwise.cu"

template <typename F>
double least(F run) {
  double best = 1e9;
  for (int turn = 0; turn < 500; ++turn) {
    auto begin = std::chrono::steady_clock::now();
    run();
    best = std::min(best, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

template <typename T>
__attribute__((noinline)) void loop(int n, T *to, const T *a, const T *b, T alpha) {
  for (int i = 0; i < n; ++i) to[i] = a[i] + alpha * b[i];
}

template <typename T>
int measure(const char *name) {
  const int n = 1 << 16, grid = n / tile();
  T *to, *a, *b;
  cudaMallocManaged(&to, n * sizeof(T));
  cudaMallocManaged(&a, n * sizeof(T));
  cudaMallocManaged(&b, n * sizeof(T));
  for (int i = 0; i < n; ++i) a[i] = T(i % 7), b[i] = T(i % 5);
  Pointers<3> data{{(char *)to, (char *)a, (char *)b}};
  Add<T> function{T(2)};
  int wrong = 0;
  auto check = [&] {
    for (int i = 0; i < n; ++i) wrong += to[i] != T(a[i] + 2 * b[i]), to[i] = 0;
  };
  double packs = least([&] {
    aligned_elements<4><<<grid, threads()>>>(n, function, data);
    cudaDeviceSynchronize();
  });
  check();
  double dense = least([&] {
    dense_elements<<<grid, threads()>>>(n, function, data, Dense());
    cudaDeviceSynchronize();
  });
  check();
  double plain = least([&] { loop(n, to, a, b, T(2)); });
  std::printf("%s: loop %.1f us; packs of four %.1f us, %.2f; dense %.1f us, %.2f; %d wrong\n", name, plain, packs,
              packs / plain, dense, dense / plain, wrong);
  return wrong;
}

// Sums of floats that come and go as other types, which only the launch knows; `from` and `to`: how many bytes lie
// between. Dense, and in the order of the columns of a square matrix.
void measure_casts(const char *name, Kind of_operands, int from, Kind of_result, int to) {
  const int n = 1 << 16, grid = n / tile();
  char *memory[3];
  for (char *&each : memory) {
    cudaMalloc(&each, n * 8);
    cudaMemset(each, 1, n * 8);
  }
  Pointers<3> data{{memory[0], memory[1], memory[2]}};
  Cast<3> cast{{of_result, of_operands, of_operands}, {to, from, from}};
  double dense = least([&] {
    dense_elements<<<grid, threads()>>>(n, Add<float>{1}, data, cast);
    cudaDeviceSynchronize();
  });
  const int side = 1 << 8;
  Offsets<3> where{};
  where.dims = 2;
  for (int dim = 0; dim < 2; ++dim) {
    where.sizes[dim].set(side);
    for (int k = 0; k < 3; ++k) where.strides[dim][k] = (k ? from : to) * (dim ? 1 : side);
  }
  Strided<Add<float>, Pointers<3>, Offsets<3>, Cast<3>> body{{1}, data, where, cast};
  double columns = least([&] {
    strided_elements<<<grid, threads()>>>(n, body);
    cudaDeviceSynchronize();
  });
  std::printf("%s: %.1f us; by columns %.1f us\n", name, dense, columns);
}

int main() {
  measure_casts("float from float", Kind::kFloat, 4, Kind::kFloat, 4);
  measure_casts("float from half", Kind::kHalf, 2, Kind::kFloat, 4);
  measure_casts("half from byte", Kind::kByte, 1, Kind::kHalf, 2);
  measure_casts("double from int", Kind::kInt, 4, Kind::kDouble, 8);
  measure_casts("float from float, 8 bytes apart", Kind::kFloat, 8, Kind::kFloat, 8);
  return measure<float>("float") + measure<double>("double") + measure<short>("short") != 0;
}
