// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUB and Thrust move structs of 40 bytes as words of other types, which no rule about types of memory may forbid.
#include "expect.h"

#include <cub/block/block_exchange.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/thread/thread_load.cuh>
#include <cub/thread/thread_store.cuh>
#include <cub/util_ptx.cuh>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>

#include <vector>

struct Wide {
  double weight;
  long long key;
  float part[3];
  short tag;
  unsigned char flags[4];
  __host__ __device__ bool operator==(const Wide &o) const {
    return weight == o.weight && key == o.key && part[0] == o.part[0] && part[1] == o.part[1] && part[2] == o.part[2] &&
           tag == o.tag && flags[0] == o.flags[0] && flags[3] == o.flags[3];
  }
};
static_assert(sizeof(Wide) == 40);

__host__ __device__ Wide make_wide(int i) {
  Wide made{};
  made.weight = i * 0.5;
  made.key = (i * 7919) % 1009;
  for (int n = 0; n < 3; ++n) made.part[n] = static_cast<float>(i + n);
  made.tag = static_cast<short>(-i);
  made.flags[0] = static_cast<unsigned char>(i);
  made.flags[3] = static_cast<unsigned char>(i * 3);
  return made;
}

struct Larger {
  __host__ __device__ Wide operator()(const Wide &a, const Wide &b) const { return a.key < b.key ? b : a; }
};
struct Less {
  __host__ __device__ bool operator()(const Wide &a, const Wide &b) const { return a.key < b.key; }
};

constexpr int kThreads = 128;

__global__ void shuffled(const Wide *in, Wide *down, Wide *first) {
  const int t = threadIdx.x;
  Wide mine = in[t];
  mine.weight += 1;  // in registers as its own type, when the words are read
  down[t] = cub::ShuffleDown<32>(mine, 1, 31, 0xffffffffu);
  mine.tag = static_cast<short>(mine.tag * 2);
  first[t] = cub::ShuffleIndex<32>(mine, 0, 0xffffffffu);
}

__global__ void copied(Wide *data, Wide *out) {
  const int t = threadIdx.x;
  Wide mine = make_wide(t);
  cub::ThreadStore<cub::STORE_CG>(data + t, mine);
  const Wide back = cub::ThreadLoad<cub::LOAD_CG>(data + t);
  data[t].key = 5;
  const Wide changed = cub::ThreadLoad<cub::LOAD_CA>(data + t);
  out[2 * t] = back;
  out[2 * t + 1] = changed;
}

template <cub::BlockReduceAlgorithm algorithm>
__global__ void reduced(const Wide *in, Wide *out) {
  using Reduce = cub::BlockReduce<Wide, kThreads, algorithm>;
  __shared__ typename Reduce::TempStorage storage;
  const Wide best = Reduce(storage).Reduce(in[threadIdx.x], Larger());
  if (threadIdx.x == 0) *out = best;
}

__global__ void exchanged(const Wide *in, Wide *out) {
  using Exchange = cub::BlockExchange<Wide, kThreads, 2>;
  __shared__ typename Exchange::TempStorage storage;
  Wide items[2] = {in[threadIdx.x], in[kThreads + threadIdx.x]};
  Exchange(storage).StripedToBlocked(items, items);
  out[2 * threadIdx.x] = items[0];
  out[2 * threadIdx.x + 1] = items[1];
}

// The same by hand: words of shared memory that are floats on one side and integers on the other.
__global__ void by_hand(const float *in, float *out, unsigned *bits) {
  __shared__ unsigned words[64];
  const int t = threadIdx.x;
  float *const floats = reinterpret_cast<float *>(words);
  words[t] = 1;
  floats[t] = in[t];
  bits[t] = words[t];
  words[t] ^= 0x80000000u;
  out[t] = floats[t];
  long long *const wide = reinterpret_cast<long long *>(words);
  __syncthreads();
  if (t < 32) wide[t] = wide[t] + 1;
  out[t] += floats[t];
}

int main() {
  std::vector<Wide> host(2 * kThreads);
  for (int i = 0; i < 2 * kThreads; ++i) host[i] = make_wide(i);
  thrust::device_vector<Wide> in(host), out(4 * kThreads);
  Wide *const data = thrust::raw_pointer_cast(in.data()), *const made = thrust::raw_pointer_cast(out.data());
  const auto got = [&] {
    expect(cudaDeviceSynchronize() == cudaSuccess, "a kernel ran");
    return std::vector<Wide>(out.begin(), out.end());
  };
  shuffled<<<1, kThreads>>>(data, made, made + kThreads);
  auto found = got();
  bool down = true, first = true;
  for (int t = 0; t < kThreads; ++t) {
    Wide from = host[t % 32 == 31 ? t : t + 1], lane0 = host[t - t % 32];
    from.weight += 1;
    lane0.weight += 1;
    lane0.tag = static_cast<short>(lane0.tag * 2);
    down = down && found[t] == from;
    first = first && found[kThreads + t] == lane0;
  }
  expect(down, "ShuffleDown");
  expect(first, "ShuffleIndex");

  thrust::device_vector<Wide> scratch(kThreads);
  copied<<<1, kThreads>>>(thrust::raw_pointer_cast(scratch.data()), made);
  found = got();
  bool same = true;
  for (int t = 0; t < kThreads; ++t) {
    Wide changed = make_wide(t);
    same = same && found[2 * t] == changed;
    changed.key = 5;
    same = same && found[2 * t + 1] == changed;
  }
  expect(same, "ThreadStore and ThreadLoad");

  Wide best = host[0];
  for (int t = 1; t < kThreads; ++t) best = Larger()(best, host[t]);
  reduced<cub::BLOCK_REDUCE_WARP_REDUCTIONS><<<1, kThreads>>>(data, made);
  reduced<cub::BLOCK_REDUCE_RAKING><<<1, kThreads>>>(data, made + 1);
  found = got();
  expect(found[0] == best, "BlockReduce by warps");
  expect(found[1] == best, "BlockReduce by raking");

  exchanged<<<1, kThreads>>>(data, made);
  found = got();
  bool exchanged_right = true;
  for (int i = 0; i < 2 * kThreads; ++i) exchanged_right = exchanged_right && found[i] == host[i];
  expect(exchanged_right, "BlockExchange");

  const auto ends = thrust::minmax_element(in.begin(), in.end(), Less());
  const Wide least = *ends.first, most = *ends.second;
  int low = 0, high = 0;
  for (int i = 1; i < 2 * kThreads; ++i) {
    if (host[i].key < host[low].key) low = i;
    if (host[high].key < host[i].key) high = i;
  }
  expect(least == host[low] && most == host[high], "minmax_element");

  std::vector<float> numbers(64);
  for (int i = 0; i < 64; ++i) numbers[i] = static_cast<float>(i) + 0.25f;
  thrust::device_vector<float> floats(numbers), negative(64);
  thrust::device_vector<unsigned> words(64);
  by_hand<<<1, 64>>>(thrust::raw_pointer_cast(floats.data()), thrust::raw_pointer_cast(negative.data()),
                     thrust::raw_pointer_cast(words.data()));
  expect(cudaDeviceSynchronize() == cudaSuccess, "by_hand ran");
  bool right = true;
  for (int i = 0; i < 64; ++i) {
    unsigned bits;
    std::memcpy(&bits, &numbers[i], sizeof bits);
    unsigned after = (bits ^ 0x80000000u) + (i % 2 == 0 ? 1 : 0);
    float sum;
    std::memcpy(&sum, &after, sizeof sum);
    right = right && words[i] == bits && negative[i] == -numbers[i] + sum;
  }
  expect(right, "words of shared memory");
  return done();
}
