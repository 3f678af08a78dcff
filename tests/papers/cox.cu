// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The examples of Han et al., COX: CUDA on x86 by Exposing Warp-Level Functions to CPUs, written anew from its text.
#include "check.h"

constexpr unsigned kAll = 0xffffffffu;
constexpr int kBlock = 96;

// Code 1: the first warp alone adds up its values.

__global__ void reduce_first_warp(const int *in, int *out) {
  int value = in[threadIdx.x];
  if (threadIdx.x < 32) {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(kAll, value, offset);
  }
  out[threadIdx.x] = value;
}

int down(const std::vector<int> &values, int lane) {  // what the five steps leave in a lane of the first warp
  std::vector<int> warp(values.begin(), values.begin() + 32);
  for (int offset = 16; offset > 0; offset /= 2)
    for (int i = 0; i < 32; ++i) warp[i] += i + offset < 32 ? warp[i + offset] : warp[i];
  return warp[lane];
}

// Code 4, and the other votes.

__global__ void vote_all(int *result) {
  int tx = threadIdx.x;
  result[tx] = __all_sync(kAll, tx % 2);
}

__global__ void votes(const int *in, unsigned *result) {
  int tx = threadIdx.x, value = in[tx];
  unsigned bits = __ballot_sync(kAll, value & 1);
  unsigned any = __any_sync(kAll, value > 90), all = __all_sync(kAll, value < 98);
  result[tx] = bits ^ (any << 7) ^ (all << 9);
}

// Code 5: two collectives in a row use the same 32 places.

__global__ void two_votes(const int *in, int *result) {
  int tx = threadIdx.x, value = in[tx];
  int first = __any_sync(kAll, value == 1);
  int second = __any_sync(kAll, value == 2);
  result[tx] = first * 2 + second;
}

// Masks: two halves of a warp go different ways, and only some lanes take part.

__global__ void halves(const int *in, int *out) {
  int tx = threadIdx.x, value = in[tx];
  if ((tx & 31) < 16) {
    for (int offset = 8; offset > 0; offset /= 2) value += __shfl_xor_sync(0x0000ffffu, value, offset);
  } else {
    value -= __shfl_sync(0xffff0000u, value, 16);
  }
  out[tx] = value;
}

__global__ void odd_lanes(const int *in, unsigned *out) {
  int tx = threadIdx.x;
  if (tx & 1) out[tx] = __ballot_sync(0xaaaaaaaau, in[tx] > 50);
}

// Section 3.5: barriers of the warp inside of those of the block. `own` crosses both, `value` only those of the warp.

__global__ void two_levels(const int *in, int *out) {
  __shared__ int sums[32];
  int tx = threadIdx.x, lane = tx & 31, warp = tx >> 5;
  int own = in[tx], value = own * own;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(kAll, value, offset);
  if (lane == 0) sums[warp] = value;
  __syncthreads();
  if (warp == 0) {
    int sum = lane < (int)blockDim.x / 32 ? sums[lane] : 0;
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(kAll, sum, offset);
    if (lane == 0) sums[0] = sum;
  }
  __syncthreads();
  out[tx] = sums[0] - own;
}

// The last warp of a block is not full.

__global__ void part_warp(const int *in, int *out) {
  int tx = threadIdx.x;
  unsigned here = __activemask();
  int next = __shfl_sync(here, in[tx], (tx + 1) % 32);
  out[tx] = __popc(here) * 1000 + ((tx & 31) + 1 < __popc(here) ? next : 0);
}

void test_reductions(const std::vector<int> &input, const int *in) {
  int *out = device_zeros<int>(kBlock);
  std::vector<int> want = input;
  for (int i = 0; i < 32; ++i) want[i] = down(input, i);
  reduce_first_warp<<<1, kBlock>>>(in, out);
  compare("reduction in the first warp", want, download(out, kBlock));
  int sum = 0;
  for (int i = 0; i < kBlock; ++i) sum += input[i] * input[i];
  for (int i = 0; i < kBlock; ++i) want[i] = sum - input[i];
  two_levels<<<1, kBlock>>>(in, out);
  compare("reduction of the block", want, download(out, kBlock));
}

void test_votes(const std::vector<int> &input, const int *in) {
  int *out = device_zeros<int>(kBlock);
  vote_all<<<1, kBlock>>>(out);
  compare("all are odd", std::vector<int>(kBlock, 0), download(out, kBlock));
  unsigned *result = device_zeros<unsigned>(kBlock);
  std::vector<unsigned> want(kBlock);
  std::vector<int> want_two(kBlock);
  for (int i = 0; i < kBlock; ++i) {
    unsigned bits = 0, any = 0, all = 1, first = 0, second = 0;
    for (int lane = 0; lane < 32; ++lane) {
      int value = input[i / 32 * 32 + lane];
      bits |= static_cast<unsigned>(value & 1) << lane;
      any |= value > 90, all &= value < 98, first |= value == 1, second |= value == 2;
    }
    want[i] = bits ^ (any << 7) ^ (all << 9);
    want_two[i] = first * 2 + second;
  }
  votes<<<1, kBlock>>>(in, result);
  compare("votes", want, download(result, kBlock));
  two_votes<<<1, kBlock>>>(in, out);
  compare("two votes", want_two, download(out, kBlock));
}

void test_masks(const std::vector<int> &input, const int *in) {
  int *out = device_zeros<int>(kBlock);
  std::vector<int> want(kBlock);
  std::vector<unsigned> want_odd(kBlock);
  for (int i = 0; i < kBlock; ++i) {
    int start = i / 32 * 32, sum = 0;
    for (int lane = 0; lane < 16; ++lane) sum += input[start + lane];
    want[i] = i % 32 < 16 ? sum : input[i] - input[start + 16];
    for (int lane = 1; lane < 32; lane += 2)
      if (i & 1) want_odd[i] |= static_cast<unsigned>(input[start + lane] > 50) << lane;
  }
  halves<<<1, kBlock>>>(in, out);
  compare("halves", want, download(out, kBlock));
  unsigned *odd = device_zeros<unsigned>(kBlock);
  odd_lanes<<<1, kBlock>>>(in, odd);
  compare("odd lanes", want_odd, download(odd, kBlock));
  const int part = 70;
  std::vector<int> want_part(part);
  for (int i = 0; i < part; ++i) {
    int here = std::min(32, part - i / 32 * 32);
    want_part[i] = here * 1000 + (i % 32 + 1 < here ? input[i + 1] : 0);
  }
  part_warp<<<1, part>>>(in, out);
  compare("part of a warp", want_part, download(out, part));
}

int main() {
  std::vector<int> input = random_ints(kBlock, 100);
  const int *in = upload(input);
  test_reductions(input, in);
  test_votes(input, in);
  test_masks(input, in);
}
