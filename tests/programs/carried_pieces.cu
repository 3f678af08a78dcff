// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Memory / pieces of several numbers in loops
// Loops that carry a number for each field of float4 and the like, which threads leave together and one by one.
#include "check.h"

template <typename T, int count>
struct alignas(sizeof(T) * count) Piece {
  T number[count];
};

// Each field has a sum of its own; threads leave the loop at different times, some never come to it.
template <typename T, int count>
__global__ void sums(const T *in, T *out, unsigned end, unsigned step) {
  unsigned at = threadIdx.x;
  if (threadIdx.x % 5 == 3) return;
  T sum[count] = {};
  while (at * count + count - 1 < end) {
    const auto piece = reinterpret_cast<const Piece<T, count> *>(in)[at];
#pragma unroll
    for (int i = 0; i < count; ++i) sum[i] += piece.number[i];
    at += step;
  }
#pragma unroll
  for (int i = 0; i < count; ++i) out[threadIdx.x * count + i] = sum[i];
}

// Two numbers a field, a field that something else looks at as well, and a start that is not the same for all.
__global__ void mixed(const int4 *in, int *out, int trips) {
  int4 sum = {static_cast<int>(threadIdx.x), 1, 2, 3}, most = {-9, -9, -9, -9};
  int seen = 0;
  for (int trip = 0; trip < trips; ++trip) {
    const int4 piece = in[trip * blockDim.x + threadIdx.x];
    sum.x += piece.x, sum.y += piece.y, sum.z += piece.z, sum.w += piece.w;
    most.x = max(most.x, piece.x), most.y = max(most.y, piece.y);
    most.z = max(most.z, piece.z), most.w = max(most.w, piece.w);
    if (piece.z > 5) seen += piece.z;
  }
  const int numbers[9] = {sum.x, sum.y, sum.z, sum.w, most.x, most.y, most.z, most.w, seen};
  for (int i = 0; i < 9; ++i) out[threadIdx.x * 9 + i] = numbers[i];
}

// Fields that change places, and one that depends on another: these are not alike.
__global__ void crossed(const float4 *in, float *out, int end) {
  float4 sum = {0, 0, 0, 0};
  for (int at = threadIdx.x; at < end; at += blockDim.x) {
    const float4 piece = in[at];
    sum = make_float4(sum.y + piece.x, sum.x + piece.y, sum.z + piece.z, sum.w - piece.z * piece.w);
  }
  reinterpret_cast<float4 *>(out)[threadIdx.x] = sum;
}

// A loop in a loop: what the inner one gives is what the outer one carries.
__global__ void nested(const float4 *in, float *out, int rows, int end) {
  float4 sum = {0, 0, 0, 0};
  for (int row = 0; row < rows; ++row) {
    for (int at = threadIdx.x; at < end; at += blockDim.x) {
      const float4 piece = in[row * end + at];
      sum.x += piece.x, sum.y += piece.y, sum.z += piece.z, sum.w += piece.w;
    }
    sum.x *= 0.5f, sum.y *= 0.5f, sum.z *= 0.5f, sum.w *= 0.5f;
  }
  reinterpret_cast<float4 *>(out)[threadIdx.x] = sum;
}

// Rows of threads that end at different places and go on in different steps.
__global__ void rows(const float4 *in, float *out, unsigned end) {
  unsigned at = threadIdx.x;
  const unsigned last = end - threadIdx.y * 17;
  float4 sum = {0, 0, 0, 0};
  while (at * 4 + 3 < last) {
    const float4 piece = in[at];
    sum.x += piece.x, sum.y += piece.y, sum.z += piece.z, sum.w += piece.w;
    at += blockDim.x + threadIdx.y;
  }
  reinterpret_cast<float4 *>(out)[threadIdx.y * blockDim.x + threadIdx.x] = sum;
}

template <typename T>
std::vector<T> numbers(int count) {
  std::vector<T> found(count);
  for (int i = 0; i < count; ++i) found[i] = static_cast<T>(i * 7 % 13 - 4);
  return found;
}

constexpr int THREADS = 70;

template <typename T, int count>
void check_sums(const char *what, unsigned end, unsigned step) {
  const auto in = numbers<T>(1024);
  std::vector<T> want(THREADS * count, 0);
  for (int t = 0; t < THREADS; ++t)
    for (unsigned at = t; t % 5 != 3 && at * count + count - 1 < end; at += step)
      for (int i = 0; i < count; ++i) want[t * count + i] += in[at * count + i];
  T *input = upload(in), *output = device_zeros<T>(want.size());
  sums<T, count><<<1, THREADS>>>(input, output, end, step);
  compare(what, want, download(output, want.size()));
}

void check_mixed(int trips) {
  const auto in = numbers<int>(4 * THREADS * trips);
  std::vector<int> want;
  for (int t = 0; t < THREADS; ++t) {
    int found[9] = {t, 1, 2, 3, -9, -9, -9, -9, 0};
    for (int trip = 0; trip < trips; ++trip) {
      const int *piece = &in[4 * (trip * THREADS + t)];
      for (int i = 0; i < 4; ++i) found[i] += piece[i], found[4 + i] = std::max(found[4 + i], piece[i]);
      if (piece[2] > 5) found[8] += piece[2];
    }
    want.insert(want.end(), found, found + 9);
  }
  int *input = upload(in), *output = device_zeros<int>(want.size());
  mixed<<<1, THREADS>>>(reinterpret_cast<int4 *>(input), output, trips);
  compare("mixed", want, download(output, want.size()));
}

void check_floats(int rows, int end) {
  const auto in = numbers<float>(4 * rows * end);
  std::vector<float> crossing, nesting;
  for (int t = 0; t < THREADS; ++t) {
    float sum[4] = {}, other[4] = {};
    for (int at = t; at < end; at += THREADS) {
      const float *piece = &in[4 * at];
      const float first = sum[0];
      sum[0] = sum[1] + piece[0], sum[1] = first + piece[1], sum[2] += piece[2], sum[3] -= piece[2] * piece[3];
    }
    for (int row = 0; row < rows; ++row)
      for (int i = 0; i < 4; ++i) {
        for (int at = t; at < end; at += THREADS) other[i] += in[4 * (row * end + at) + i];
        other[i] *= 0.5f;
      }
    crossing.insert(crossing.end(), sum, sum + 4);
    nesting.insert(nesting.end(), other, other + 4);
  }
  float *input = upload(in), *output = device_zeros<float>(crossing.size());
  crossed<<<1, THREADS>>>(reinterpret_cast<float4 *>(input), output, end);
  compare("crossed", crossing, download(output, crossing.size()));
  nested<<<1, THREADS>>>(reinterpret_cast<float4 *>(input), output, rows, end);
  compare("nested", nesting, download(output, nesting.size()));
}

void check_rows(unsigned end) {
  const dim3 shape(48, 3);
  const auto in = numbers<float>(1024);
  std::vector<float> want(4 * shape.x * shape.y, 0);
  for (unsigned t = 0; t < shape.x * shape.y; ++t)
    for (unsigned x = t % shape.x, y = t / shape.x, at = x; at * 4 + 3 < end - y * 17; at += shape.x + y)
      for (int i = 0; i < 4; ++i) want[4 * t + i] += in[4 * at + i];
  float *input = upload(in), *output = device_zeros<float>(want.size());
  rows<<<1, shape>>>(reinterpret_cast<float4 *>(input), output, end);
  compare("rows", want, download(output, want.size()));
}

int main() {
  for (unsigned end : {0u, 3u, 100u, 1001u}) {
    check_sums<float, 4>("floats by four", end, THREADS);
    check_sums<double, 2>("doubles by two", end, THREADS);
    check_sums<short, 8>("shorts by eight", end, 7);
    check_sums<int, 4>("ints by four", end, 3);
  }
  check_mixed(1);
  check_mixed(6);
  check_floats(3, 40);
  check_floats(2, 211);
  for (unsigned end : {40u, 250u, 1023u}) check_rows(end);
  return 0;
}
