// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / shuffles from lanes that the block does not have
// CUDA leaves undefined what they give. A GPU gives 0, and sums over 32 lanes in blocks of fewer rely on it. Lanes
// outside of a shuffle's width give the reader its own value, there or not.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>

#include "check.h"

namespace cg = cooperative_groups;

constexpr unsigned kAll = 0xffffffffu;
enum Kind { idx, up, down, bfly };

// -- what is wanted ---------------------------------------------------------------------------------------------------

int source_of(Kind kind, int lane, int operand, int width) {
  const int first = lane / width * width, last = first + width - 1, distance = operand & 31;
  if (kind == idx) return first + distance % width;
  if (kind == up) return lane - distance < first ? lane : lane - distance;
  const int source = kind == down ? lane + distance : lane ^ distance;
  return source > last ? lane : source;
}

// What thread `t` of a block of `values.size()` threads reads.
template <typename T>
T read_by(int t, const std::vector<T> &values, Kind kind, int operand, int width) {
  const std::size_t source = t / 32 * 32 + source_of(kind, t % 32, operand, width);
  return source < values.size() ? values[source] : T{};
}

template <typename T>
std::vector<T> shuffled(const std::vector<T> &values, Kind kind, int operand, int width = 32) {
  std::vector<T> found;
  for (std::size_t t = 0; t < values.size(); ++t) found.push_back(read_by(t, values, kind, operand, width));
  return found;
}

template <typename T>
std::vector<T> butterfly(std::vector<T> values, int width) {
  for (int step = width / 2; step > 0; step /= 2) {
    const std::vector<T> others = shuffled(values, bfly, step, width);
    for (std::size_t t = 0; t < values.size(); ++t) values[t] = values[t] + others[t];
  }
  return values;
}

// -- kernels ----------------------------------------------------------------------------------------------------------

__device__ int rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__device__ int threads() { return blockDim.x * blockDim.y * blockDim.z; }

template <typename T>
__device__ T exchanged(Kind kind, T value, int operand, int width) {
  switch (kind) {
    case idx:
      return __shfl_sync(kAll, value, operand, width);
    case up:
      return __shfl_up_sync(kAll, value, operand, width);
    case down:
      return __shfl_down_sync(kAll, value, operand, width);
    default:
      return __shfl_xor_sync(kAll, value, operand, width);
  }
}

struct Ask {
  Kind kind;
  int operand, width;
};
#define ASKS                                                                                      \
  {                                                                                               \
      {idx, 31, 32},  {idx, 0, 32},  {idx, 17, 32},  {idx, 5, 8},   {idx, 12, 16},  {up, 1, 32},  \
      {up, 3, 8},     {down, 1, 32}, {down, 16, 32}, {down, 9, 16}, {down, 2, 4},   {down, 3, 1}, \
      {bfly, 16, 32}, {bfly, 1, 32}, {bfly, 8, 8},   {bfly, 7, 16}, {bfly, 31, 32}, {bfly, 2, 4}, \
  }
const std::vector<Ask> asks = ASKS;

// Operands that the compiler knows, and a value of each thread.
template <typename T>
__global__ void known(const T *in, T *out) {
  constexpr Ask list[] = ASKS;
  const T value = in[rank()];
#pragma unroll
  for (unsigned i = 0; i < sizeof(list) / sizeof(Ask); ++i)
    out[i * threads() + rank()] = exchanged(list[i].kind, value, list[i].operand, list[i].width);
}

// One exchange whose operand and width the launch says.
template <typename T>
__global__ void told(const T *in, T *out, int operand, int width) {
  const T value = in[rank()];
  out += rank() * 5;
  out[0] = exchanged(idx, value, operand, width);
  out[1] = exchanged(up, value, operand, width);
  out[2] = exchanged(down, value, operand, width);
  out[3] = exchanged(bfly, value, operand, width);
  out[4] = exchanged(idx, value, rank() * 7 + operand, width);
}

struct Point {
  double x;
  int y;
  unsigned char z[5];
};

__host__ __device__ Point point_of(int t) {
  const unsigned char b = static_cast<unsigned char>(t * 3 + 1);
  return {t + .5, -t - 1, {b, 1, 2, 3, b}};
}

// Types that have no shuffle of their own, in tiles.
template <unsigned size>
__global__ void tiles(double *out) {
  const auto tile = cg::tiled_partition<size>(cg::this_thread_block());
  const int t = rank();
  out += t * 8;
  const unsigned char byte = tile.shfl_xor(static_cast<unsigned char>(t + 1), size / 2);
  const Point next = tile.shfl_down(point_of(t), 1);
  out[0] = cg::reduce(tile, t + 1.f, cg::plus<float>());
  out[1] = cg::reduce(tile, t + 1, cg::plus<int>());
  out[2] = tile.shfl(t + 1.f, size - 1);
  out[3] = byte;
  out[4] = next.x + next.y + next.z[0] + next.z[1] + next.z[4];
  out[5] = tile.ballot(1);
  out[6] = 2 * tile.any(t >= 0) + tile.any(t < 0) + 4 * tile.size();
  out[7] = cg::reduce(tile, static_cast<long long>(t) << 33, cg::plus<long long>());
}

__global__ void halves(float2 *out) {
  const half2 value = __floats2half2_rn(rank() + 1.f, -rank() - 1.f);
  out[rank()] = __half22float2(__hadd2(__shfl_xor_sync(kAll, value, 16), __shfl_down_sync(kAll, value, 4)));
}

// A sum by shuffles in each round of a loop whose length the warp's lanes have in common, and one among those lanes
// that a condition leaves: the mask names lanes that the block may lack, and no others that stay away.
__global__ void loops(const int *in, int *out, int rounds) {
  int sum = in[rank()], among = 0, counted = 0;
  for (int round = 0; round < rounds + rank() / 32; ++round) sum += __shfl_xor_sync(kAll, sum, 16 >> round % 5) + round;
  if (rank() % 2 == 0) {
    among = in[rank()];
    for (int step = 16; step > 1; step /= 2) among += __shfl_down_sync(0x55555555u, among, step);
    among += __shfl_sync(0x55555555u, 100, 30);
  } else {
    counted = __reduce_add_sync(0xaaaaaaaau, 1) + __popc(__match_any_sync(0xaaaaaaaau, 7));
  }
  out[rank() * 2] = sum;
  out[rank() * 2 + 1] = among + counted;
}

// The sum of a block, as many programs have it.
__global__ void block_sum(const float *in, float *out) {
  __shared__ float of_warp[32];
  const int lane = rank() % 32, warp = rank() / 32;
  float sum = in[blockIdx.x * threads() + rank()];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(kAll, sum, step);
  if (lane == 0) of_warp[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = lane < (threads() + 31) / 32 ? of_warp[lane] : 0.f;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(kAll, sum, step);
    if (lane == 0) out[blockIdx.x] = sum;
  }
}

// Groups of those lanes that there are.
__global__ void coalesced(const int *in, int *out) {
  const int value = in[rank()];
  if (value % 3 == 0) return;
  const auto group = cg::coalesced_threads();
  out[rank()] = cg::reduce(group, value, cg::plus<int>()) + group.shfl(value, group.size() - 1);
}

// -- comparisons ------------------------------------------------------------------------------------------------------

template <typename T>
void launch_known(dim3 block, const T *in, T *out) {
  known<<<1, block>>>(in, out);
}
// Blocks that the compiler knows.
template <>
void launch_known(dim3 block, const unsigned *in, unsigned *out) {
  const unsigned count = block.x * block.y * block.z;
  if (count == 16)
    known<<<1, 16>>>(in, out);
  else if (count == 25)
    known<<<1, dim3(5, 5)>>>(in, out);
  else if (count == 48)
    known<<<1, 48>>>(in, out);
  else
    known<<<1, block>>>(in, out);
}

template <typename T>
void test_type(const char *name, dim3 block) {
  const int count = block.x * block.y * block.z;
  std::vector<T> in, want;
  for (int t = 0; t < count; ++t) in.push_back(static_cast<T>((t + 1) * 1234567891LL % 99991 + 1));
  T *values = upload(in), *out = device_zeros<T>(count * std::max(asks.size(), std::size_t{8}));
  launch_known(block, values, out);
  for (const Ask &ask : asks) {
    const auto found = shuffled(in, ask.kind, ask.operand, ask.width);
    want.insert(want.end(), found.begin(), found.end());
  }
  std::printf(" ");
  compare(name, want, download(out, want.size()));

  bool agree = true;
  for (int width = 1; width <= 32; width *= 2) {
    for (int operand : {0, 1, 6, 16, 19, 31}) {
      told<<<1, block>>>(values, out, operand, width);
      const auto got = download(out, count * 5);
      for (int t = 0; t < count; ++t) {
        const T each[] = {read_by(t, in, idx, operand, width), read_by(t, in, up, operand, width),
                          read_by(t, in, down, operand, width), read_by(t, in, bfly, operand, width),
                          read_by(t, in, idx, t * 7 + operand, width)};
        agree = agree && std::memcmp(each, &got[t * 5], sizeof each) == 0;
      }
    }
  }
  std::printf("  %s as the launch says: %s\n", name, agree ? "ok" : "MISMATCH");
  CHECK(cudaFree(values));
  CHECK(cudaFree(out));
}

template <unsigned size>
void test_tiles(dim3 block) {
  const int count = block.x * block.y * block.z;
  std::vector<float> ones;
  std::vector<long long> shifted;
  std::vector<unsigned char> bytes;
  std::vector<Point> points;
  for (int t = 0; t < count; ++t) {
    ones.push_back(t + 1.f);
    shifted.push_back(static_cast<long long>(t) << 33);
    bytes.push_back(static_cast<unsigned char>(t + 1));
    points.push_back(point_of(t));
  }
  const auto sums = butterfly(ones, size);
  const auto shifted_sums = butterfly(shifted, size);
  std::vector<double> want;
  for (int t = 0; t < count; ++t) {
    const int first = t / static_cast<int>(size) * static_cast<int>(size), last = std::min<int>(first + size, count);
    const Point next = read_by(t, points, down, 1, size);
    double there = 0;
    for (int other = first; other < last; ++other) there += other + 1;
    want.insert(want.end(),
                {sums[t], there, read_by(t, ones, idx, size - 1, size),
                 static_cast<double>(read_by(t, bytes, bfly, size / 2, size)),
                 next.x + next.y + next.z[0] + next.z[1] + next.z[4], static_cast<double>((1ull << (last - first)) - 1),
                 2. + 4 * size, static_cast<double>(shifted_sums[t])});
  }
  double *out = device_zeros<double>(want.size());
  tiles<size><<<1, block>>>(out);
  std::printf("  tiles of %u ", size);
  compare("lanes", want, download(out, want.size()));
  CHECK(cudaFree(out));
}

void test_rest(dim3 block) {
  const int count = block.x * block.y * block.z;
  std::vector<half2> pairs;
  std::vector<int> in;
  for (int t = 0; t < count; ++t) {
    pairs.push_back(__floats2half2_rn(t + 1.f, -t - 1.f));
    in.push_back(t * 5 % 31 + 1);
  }
  std::vector<float> want;
  for (int t = 0; t < count; ++t) {
    const float sum = __low2float(read_by(t, pairs, bfly, 16, 32)) + __low2float(read_by(t, pairs, down, 4, 32));
    want.insert(want.end(), {sum, 0.f - sum});
  }
  float2 *sums = device_zeros<float2>(count);
  halves<<<1, block>>>(sums);
  std::printf("  half2 ");
  compare("lanes", want, download(&sums->x, want.size()));

  std::vector<int> expected;
  std::vector<int> even(in);
  for (int step = 16; step > 1; step /= 2) {
    const auto others = shuffled(even, down, step);
    for (int t = 0; t < count; ++t) even[t] += others[t];
  }
  for (int t = 0; t < count; ++t) {
    std::vector<int> sums_of_round(in);
    for (int round = 0; round < 7 + t / 32; ++round) {
      const auto others = shuffled(sums_of_round, bfly, 16 >> round % 5);
      for (int other = 0; other < count; ++other) sums_of_round[other] += others[other] + round;
    }
    const int first = t / 32 * 32, odd = (std::min(first + 32, count) - first) / 2;
    expected.push_back(sums_of_round[t]);
    expected.push_back(t % 2 == 0 ? even[t] + (first + 30 < count ? 100 : 0) : 2 * odd);
  }
  int *values = upload(in), *out = device_zeros<int>(count * 2);
  loops<<<1, block>>>(values, out, 7);
  std::printf("  loops, branches ");
  compare("lanes", expected, download(out, expected.size()));

  std::vector<float> blocks, totals(3, 0.f);
  for (int i = 0; i < 3 * count; ++i) {
    blocks.push_back(i % 97 + 1);
    totals[i / count] += blocks.back();
  }
  float *block_values = upload(blocks), *block_sums = device_zeros<float>(3);
  block_sum<<<3, block>>>(block_values, block_sums);
  std::printf("  sum of a block ");
  compare("blocks", totals, download(block_sums, 3));

  std::vector<int> grouped;
  for (int t = 0; t < count; ++t) {
    int sum = 0, last = 0;
    for (int other = t / 32 * 32; other < std::min(t / 32 * 32 + 32, count); ++other) {
      if (in[other] % 3 != 0) sum += last = in[other];
    }
    grouped.push_back(in[t] % 3 == 0 ? 0 : sum + last);
  }
  CHECK(cudaMemset(out, 0, count * sizeof(int)));
  coalesced<<<1, block>>>(values, out);
  std::printf("  coalesced ");
  compare("lanes", grouped, download(out, grouped.size()));
  for (void *each : {static_cast<void *>(sums), static_cast<void *>(values), static_cast<void *>(out),
                     static_cast<void *>(block_values), static_cast<void *>(block_sums)})
    CHECK(cudaFree(each));
}

int main() {
  for (dim3 block :
       {dim3(1), dim3(4), dim3(16), dim3(20), dim3(5, 5), dim3(36), dim3(48), dim3(3, 4, 5), dim3(40, 2), dim3(100)}) {
    std::printf("%u x %u x %u threads\n", block.x, block.y, block.z);
    test_type<int>("int", block);
    test_type<unsigned>("unsigned, blocks that are known", block);
    test_type<long long>("long long", block);
    test_type<float>("float", block);
    test_type<double>("double", block);
    test_tiles<32>(block);
    test_tiles<16>(block);
    test_tiles<8>(block);
    test_rest(block);
  }
  return 0;
}
