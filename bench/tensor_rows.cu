// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels in the shape of a library of tensors that work along rows and columns of 1,024 x 1,024 floats, against plain
// loops of the host compiler: a sum with a row that is broadcast, sums of columns by threads of four columns each, and
// rows that become 0 on average with a variance of 1. Microseconds of processor time, the least of 50 turns.
//
//     warpcc -O3 -Xcompiler -march=native bench/tensor_rows.cu -o rows && WARPLOOM_NUM_THREADS=1 ./rows
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

constexpr int kRows = 1024, kColumns = 1024;

// Division by a number that only the launch knows: a product and a shift.
struct Divisor {
  unsigned number, factor, shift;
  Divisor() = default;
  explicit Divisor(unsigned number) : number(number), shift(0) {
    while ((1u << shift) < number) ++shift;
    factor = unsigned((1ull << 32) * ((1ull << shift) - number) / number + 1);
  }
  __device__ unsigned quotient(unsigned of) const { return (__umulhi(of, factor) + of) >> shift; }
};

// Where an element lies in each of `N` tensors, in bytes.
template <int N>
struct Places {
  unsigned at[N];
};
template <int N>
struct Axes {
  int count;
  Divisor size[8];
  unsigned stride[8][N];
  __device__ Places<N> of(unsigned index) const {
    Places<N> places{};
#pragma unroll
    for (int axis = 0; axis < 8; ++axis) {
      if (axis == count) break;
      const unsigned whole = size[axis].quotient(index), rest = index - whole * size[axis].number;
      index = whole;
      for (int k = 0; k < N; ++k) places.at[k] += rest * stride[axis][k];
    }
    return places;
  }
};

struct Add {
  char *to;
  const char *from, *other;
  Axes<3> axes;
  float factor;
  __device__ void operator()(int index) const {
    const Places<3> places = axes.of(index);
    *(float *)(to + places.at[0]) = *(float *)(from + places.at[1]) + factor * *(float *)(other + places.at[2]);
  }
};

template <int threads, int each, typename F>
__global__ void elements(int n, F function) {
  int index = threads * each * blockIdx.x + threadIdx.x;
#pragma unroll
  for (int turn = 0; turn < each; ++turn) {
    if (index < n) {
      function(index);
      index += threads;
    }
  }
}

struct alignas(16) Four {
  float at[4];
};

// Sums along an axis; `of_sum` and `of_element`: by which of the thread's numbers in x and y it is told which sum it
// works on, and where in it it begins.
struct Sums {
  int elements, sums, step, of_sum[2], of_element[2];
  unsigned stride;
  Axes<2> axes;
  const char *from;
  char *to;

  __device__ Four own(const char *start) const {
    Four total[4] = {};
    unsigned at = threadIdx.x * of_element[0] + threadIdx.y * of_element[1];
    for (; at + 3 * step < elements; at += 4 * step) {
      Four piece[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) piece[k] = ((const Four *)start)[(at + k * step) * stride / 4];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        for (int column = 0; column < 4; ++column) total[k].at[column] += piece[k].at[column];
      }
    }
    for (; at < elements; at += step) {
      const Four piece = ((const Four *)start)[at * stride / 4];
      for (int column = 0; column < 4; ++column) total[0].at[column] += piece.at[column];
    }
#pragma unroll
    for (int k = 1; k < 4; ++k) {
      for (int column = 0; column < 4; ++column) total[0].at[column] += total[k].at[column];
    }
    return total[0];
  }
};

__global__ void sum(Sums task) {
  __shared__ Four kept[128];
  const unsigned first = blockIdx.x * 32, mine = threadIdx.x + threadIdx.y * blockDim.x;
  const unsigned column = 4 * (first + threadIdx.x * task.of_sum[0] + threadIdx.y * task.of_sum[1]);
  Four total{};
  if (column < task.sums) total = task.own(task.from + task.axes.of(column).at[1]);
  kept[mine] = total;
  for (int half = blockDim.y / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.y < half) {
      for (int k = 0; k < 4; ++k) total.at[k] += kept[mine + half * blockDim.x].at[k];
      kept[mine] = total;
    }
  }
  if (column < task.sums && threadIdx.y == 0) {
    for (int k = 0; k < 4; ++k) *(float *)(task.to + task.axes.of(column + k).at[0]) = total.at[k];
  }
}

struct Moments {
  float mean, squares, count;
};
__device__ Moments with(Moments m, float value) {
  const float apart = value - m.mean, count = m.count + 1, mean = m.mean + apart * (1 / count);
  return {mean, m.squares + apart * (value - mean), count};
}
__device__ Moments both(Moments a, Moments b) {
  const float apart = b.mean - a.mean, count = a.count + b.count;
  if (count <= 0) return {0, 0, 0};
  const float part = 1 / count, of_a = a.count * part, of_b = b.count * part;
  return {of_a * a.mean + of_b * b.mean, a.squares + b.squares + apart * apart * a.count * of_b, count};
}

// A row a block of four warps.
__global__ void normalise(int n, const float *from, const float *factor, const float *shift, float *to) {
  __shared__ Moments kept[4];
  const Four *row = (const Four *)(from + blockIdx.x * n);
  const int mine = threadIdx.x + threadIdx.y * blockDim.x, threads = blockDim.x * blockDim.y;
  Moments m{0, 0, 0};
  for (int i = mine; i < n / 4; i += threads) {
    const Four piece = row[i];
#pragma unroll
    for (int k = 0; k < 4; ++k) m = with(m, piece.at[k]);
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    m = both(m, {__shfl_down_sync(~0u, m.mean, lanes), __shfl_down_sync(~0u, m.squares, lanes),
                 __shfl_down_sync(~0u, m.count, lanes)});
  }
  if (threadIdx.x == 0) kept[threadIdx.y] = m;
  __syncthreads();
  m = both(both(kept[0], kept[1]), both(kept[2], kept[3]));
  const float scale = rsqrtf(m.squares / n + 1e-5f);
  for (int i = mine; i < n / 4; i += threads) {
    const Four piece = row[i], by = ((const Four *)factor)[i], plus = ((const Four *)shift)[i];
    Four result;
#pragma unroll
    for (int k = 0; k < 4; ++k) result.at[k] = by.at[k] * (scale * (piece.at[k] - m.mean)) + plus.at[k];
    ((Four *)(to + blockIdx.x * n))[i] = result;
  }
}

__attribute__((noinline)) void add_loop(float *to, const float *from, const float *row, float factor) {
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) to[i * kColumns + j] = from[i * kColumns + j] + factor * row[j];
  }
}
__attribute__((noinline)) void sum_loop(float *to, const float *from) {
  std::fill(to, to + kColumns, 0.f);
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) to[j] += from[i * kColumns + j];
  }
}
__attribute__((noinline)) void normalise_loop(float *to, const float *from, const float *factor, const float *shift) {
  for (int i = 0; i < kRows; ++i, from += kColumns, to += kColumns) {
    float sums[16] = {}, squares[16] = {}, sum = 0, square = 0;
    for (int j = 0; j < kColumns; j += 16) {
      for (int k = 0; k < 16; ++k) sums[k] += from[j + k], squares[k] += from[j + k] * from[j + k];
    }
    for (int k = 0; k < 16; ++k) sum += sums[k], square += squares[k];
    const float mean = sum / kColumns, scale = 1 / std::sqrt(square / kColumns - mean * mean + 1e-5f);
    for (int j = 0; j < kColumns; ++j) to[j] = factor[j] * (scale * (from[j] - mean)) + shift[j];
  }
}

double now() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e6 * time.tv_sec + 1e-3 * time.tv_nsec;
}

template <typename F>
double least(F run) {
  double best = 1e9;
  for (int turn = 0; turn < 50; ++turn) {
    const double begin = now();
    run();
    cudaDeviceSynchronize();
    best = std::min(best, now() - begin);
  }
  return best;
}

float *numbers(int count) {
  float *made;
  cudaMallocManaged(&made, count * sizeof(float));
  for (int i = 0; i < count; ++i) made[i] = float(i * 7919LL % 1013);
  return made;
}

template <typename F, typename G>
int compare(const char *name, const float *got, float *want, int count, F kernel, G loop) {
  const double ours = least(kernel), plain = least(loop);
  int wrong = 0;
  for (int i = 0; i < count; ++i) wrong += std::fabs(got[i] - want[i]) > 1e-3f * (1 + std::fabs(want[i]));
  std::printf("%s: %.0f us, loop %.0f us, %.2f; %d wrong\n", name, ours, plain, ours / plain, wrong);
  return wrong;
}

int main() {
  const int n = kRows * kColumns;
  float *from = numbers(n), *to = numbers(n), *want = numbers(n), *row = numbers(kColumns), *other = numbers(kColumns);
  const unsigned pitch = kColumns * sizeof(float);
  Add task{(char *)to, (char *)from, (char *)row, {2, {Divisor(kColumns), Divisor(kRows)}, {}}, 3};
  for (int k = 0; k < 3; ++k) task.axes.stride[0][k] = sizeof(float), task.axes.stride[1][k] = k < 2 ? pitch : 0;
  int wrong = compare(
      "add a row", to, want, n, [&] { elements<128, 4><<<n / 512, 128>>>(n, task); },
      [&] { add_loop(want, from, row, 3); });
  Sums sums{kRows, kColumns, 4, {1, 0}, {0, 1}, kColumns, {1, {Divisor(kColumns)}, {{4, 4}}}, (char *)from, (char *)to};
  wrong += compare(
      "sums of columns", to, want, kColumns, [&] { sum<<<kColumns / 128, dim3(32, 4)>>>(sums); },
      [&] { sum_loop(want, from); });
  wrong += compare(
      "normalise rows", to, want, n, [&] { normalise<<<kRows, dim3(32, 4)>>>(kColumns, from, row, other, to); },
      [&] { normalise_loop(want, from, row, other); });
  return wrong != 0;
}
