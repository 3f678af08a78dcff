// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Memory / Accesses: pieces of rows whose sizes the launch says, aligned structures
// Threads that take pieces of a row, find their place by dividing an index by sizes that the launch says, and compute
// on each number of a piece alike: for sizes that rows of threads fit into, and for others.
#include <cstdio>
#include <vector>

struct alignas(16) Four {
  int at[4];
};
struct Three {
  short at[3];
};

// Sizes and distances of up to four axes; the first one is the fastest.
struct Axes {
  int count;
  unsigned size[4], distance[4][2];
};

__device__ void place(const Axes &axes, unsigned index, unsigned (&at)[2]) {
  at[0] = at[1] = 0;
  for (int axis = 0; axis < 4; ++axis) {
    if (axis == axes.count) break;
    const unsigned here = index % axes.size[axis];
    index /= axes.size[axis];
    at[0] += here * axes.distance[axis][0];
    at[1] += here * axes.distance[axis][1];
  }
}

// to = from + 3 * other, whose places are found by the axes.
__global__ void add(int n, Axes axes, const int *from, const int *other, int *to) {
  int index = blockIdx.x * 4 * blockDim.x + threadIdx.x;
#pragma unroll
  for (int turn = 0; turn < 4; ++turn) {
    if (index < n) {
      unsigned at[2];
      place(axes, index, at);
      to[index] = from[at[0]] + 3 * other[at[1]];
      index += blockDim.x;
    }
  }
}

// Each thread adds up four columns; `axes` says where they begin.
__global__ void add_up(int rows, int columns, int pitch, Axes axes, const char *from, int *to) {
  const unsigned column = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (column >= columns) return;
  unsigned at[2];
  place(axes, column, at);
  const Four *piece = reinterpret_cast<const Four *>(from + at[0]);
  Four sum{};
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k < 4; ++k) sum.at[k] += piece->at[k];
    piece = reinterpret_cast<const Four *>(reinterpret_cast<const char *>(piece) + 4 * pitch);
  }
  for (int k = 0; k < 4; ++k) to[column + k] = sum.at[k];
}

__global__ void scale(int n, int by, const Four *from, const Four *add, Four *to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Four piece = from[i], result;
  if (add) {
    for (int k = 0; k < 4; ++k) result.at[k] = piece.at[k] * by + add[i % 8].at[k];
  } else {
    for (int k = 0; k < 4; ++k) result.at[k] = piece.at[k] < by ? piece.at[k] : by;
  }
  to[i] = result;
}

__global__ void turn(int n, short by, const Three *from, Three *to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Three piece = from[i];
  Three result;
  for (int k = 0; k < 3; ++k) result.at[k] = piece.at[k] * by;
  to[i] = result;
}

template <typename T>
T *numbers(int count) {
  T *made;
  cudaMallocManaged(&made, count * sizeof(T));
  for (int i = 0; i < count; ++i) made[i] = T((i * 7919LL) % 1013);
  return made;
}

int wrong = 0;

void check_add(int rows, int columns, int threads, bool by_column) {
  const int n = rows * columns;
  int *from = numbers<int>(n), *other = numbers<int>(n), *to = numbers<int>(n);
  const unsigned width = columns, height = rows;
  Axes axes{2, {width, height}, {{1, by_column ? 0u : 1u}, {width, by_column ? 1u : 0u}}};
  add<<<(n + 4 * threads - 1) / (4 * threads), threads>>>(n, axes, from, other, to);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i) wrong += to[i] != from[i] + 3 * other[by_column ? i / columns : i % columns];
  for (int *each : {from, other, to}) cudaFree(each);
}

// Columns lie `apart` pieces from each other.
void check_sums(int rows, int columns, unsigned apart, int threads) {
  const int pitch = columns * apart;
  int *from = numbers<int>(rows * pitch), *to = numbers<int>(columns);
  const unsigned width = columns;
  Axes axes{2, {width, 7}, {{4 * apart, 0}, {0, 0}}};
  add_up<<<(columns / 4 + threads - 1) / threads, threads>>>(rows, columns, pitch, axes, (const char *)from, to);
  cudaDeviceSynchronize();
  for (int column = 0; column < columns; ++column) {
    int sum = 0;
    for (int row = 0; row < rows; ++row) sum += from[row * pitch + column / 4 * 4 * apart + column % 4];
    wrong += to[column] != sum;
  }
  cudaFree(from), cudaFree(to);
}

void check_pieces(int n, int threads) {
  Four *from = (Four *)numbers<int>(4 * n), *add = (Four *)numbers<int>(32), *to = (Four *)numbers<int>(4 * n);
  for (Four *added : {add, (Four *)nullptr}) {
    scale<<<(n + threads - 1) / threads, threads>>>(n, 5, from, added, to);
    cudaDeviceSynchronize();
    for (int i = 0; i < 4 * n; ++i) {
      const int value = from[i / 4].at[i % 4];
      wrong += to[i / 4].at[i % 4] != (added ? value * 5 + add[i / 4 % 8].at[i % 4] : value < 5 ? value : 5);
    }
  }
  Three *three = (Three *)numbers<short>(3 * n), *turned = (Three *)numbers<short>(3 * n);
  turn<<<(n + threads - 1) / threads, threads>>>(n, -3, three, turned);
  cudaDeviceSynchronize();
  for (int i = 0; i < 3 * n; ++i) wrong += turned[i / 3].at[i % 3] != short(three[i / 3].at[i % 3] * -3);
}

int main() {
  for (int columns : {1, 7, 16, 33, 100, 512, 1000, 1024}) {
    for (int threads : {32, 100, 128}) {
      check_add(5, columns, threads, false);
      check_add(5, columns, threads, true);
    }
  }
  printf("broadcasts: %d wrong\n", wrong);
  for (int columns : {4, 64, 100, 512}) {
    for (unsigned apart : {1u, 2u, 3u}) {
      check_sums(9, columns, apart, 32);
      check_sums(1, columns, apart, 50);
    }
  }
  printf("sums of columns: %d wrong\n", wrong);
  for (int n : {1, 31, 64, 1000}) check_pieces(n, 64), check_pieces(n, 96);
  printf("pieces: %d wrong\n", wrong);
  return wrong != 0;
}
