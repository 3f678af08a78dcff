// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUB and Thrust move structs of 40 bytes as words of other types, which no rule about types of memory may forbid.
#include "expect.h"

#include <cub/block/block_reduce.cuh>
#include <cub/thread/thread_load.cuh>
#include <cub/util_ptx.cuh>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>

#include <cstring>
#include <vector>

struct Wide {
  int id;
  float value[8];
  int tag;
};
static_assert(sizeof(Wide) == 40);

__host__ __device__ Wide made(int i) {
  Wide wide;
  wide.id = (i * 7919) % 1009;
  for (int n = 0; n < 8; ++n) wide.value[n] = static_cast<float>(i + n) * 0.5f;
  wide.tag = i * 7 % 50;
  return wide;
}

__host__ __device__ float total(const Wide &wide) {
  float sum = static_cast<float>(wide.tag);
  for (float each : wide.value) sum += each;
  return sum;
}

struct Sum {
  __host__ __device__ Wide operator()(const Wide &a, const Wide &b) const {
    Wide sum = a;
    for (int n = 0; n < 8; ++n) sum.value[n] += b.value[n];
    sum.tag = a.tag > b.tag ? a.tag : b.tag;
    sum.id += b.id;
    return sum;
  }
};

struct Less {
  __host__ __device__ bool operator()(const Wide &a, const Wide &b) const { return a.id < b.id; }
};

constexpr int kThreads = 128;

// The struct is changed in registers as its own type, and read as its own type when its words have come.
__global__ void shuffled(const Wide *in, float *out) {
  Wide mine = in[threadIdx.x];
  mine.value[0] += 1;
  const Wide next = cub::ShuffleDown<32>(mine, 1, 31, 0xffffffffu);
  out[threadIdx.x] = total(next);
}

__global__ void loaded(Wide *data, float *out) {
  const int t = threadIdx.x;
  data[t] = made(t);
  const Wide whole = cub::ThreadLoad<cub::LOAD_CG>(data + t);
  data[t].value[3] = 100;
  const Wide changed = cub::ThreadLoad<cub::LOAD_VOLATILE>(data + t);
  out[t] = total(whole) + 2 * total(changed);
}

__global__ void reduced(const Wide *in, Wide *out) {
  using Reduce = cub::BlockReduce<Wide, kThreads>;
  __shared__ typename Reduce::TempStorage storage;
  const Wide sum = Reduce(storage).Reduce(in[threadIdx.x], Sum());
  if (threadIdx.x == 0) *out = sum;
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
}

int main() {
  std::vector<Wide> host(2 * kThreads);
  for (int i = 0; i < 2 * kThreads; ++i) host[i] = made(i);
  thrust::device_vector<Wide> in(host), place(kThreads);
  thrust::device_vector<float> sums(kThreads);
  Wide *const data = thrust::raw_pointer_cast(in.data()), *const where = thrust::raw_pointer_cast(place.data());
  float *const out = thrust::raw_pointer_cast(sums.data());

  shuffled<<<1, kThreads>>>(data, out);
  bool right = cudaDeviceSynchronize() == cudaSuccess;
  for (int t = 0; t < kThreads; ++t) {
    Wide from = host[t % 32 == 31 ? t : t + 1];
    from.value[0] += 1;
    right = right && sums[t] == total(from);
  }
  expect(right, "ShuffleDown");

  loaded<<<1, kThreads>>>(where, out);
  right = cudaDeviceSynchronize() == cudaSuccess;
  for (int t = 0; t < kThreads; ++t) {
    Wide changed = made(t);
    changed.value[3] = 100;
    right = right && sums[t] == total(made(t)) + 2 * total(changed);
  }
  expect(right, "ThreadLoad");

  Wide wanted = host[0];
  for (int t = 1; t < kThreads; ++t) wanted = Sum()(wanted, host[t]);
  reduced<<<1, kThreads>>>(data, where);
  expect(cudaDeviceSynchronize() == cudaSuccess, "BlockReduce ran");
  const Wide sum = place[0];
  expect(sum.id == wanted.id && sum.tag == wanted.tag && total(sum) == total(wanted), "BlockReduce");

  const auto ends = thrust::minmax_element(in.begin(), in.end(), Less());
  const Wide least = *ends.first, most = *ends.second;
  int low = 0, high = 0;
  for (int i = 1; i < 2 * kThreads; ++i) {
    if (host[i].id < host[low].id) low = i;
    if (host[high].id < host[i].id) high = i;
  }
  expect(std::memcmp(&least, &host[low], sizeof least) == 0, "the least element");
  expect(std::memcmp(&most, &host[high], sizeof most) == 0, "the largest element");

  std::vector<float> numbers(64);
  for (int i = 0; i < 64; ++i) numbers[i] = static_cast<float>(i) + 0.25f;
  thrust::device_vector<float> floats(numbers), negative(64);
  thrust::device_vector<unsigned> words(64);
  by_hand<<<1, 64>>>(thrust::raw_pointer_cast(floats.data()), thrust::raw_pointer_cast(negative.data()),
                     thrust::raw_pointer_cast(words.data()));
  right = cudaDeviceSynchronize() == cudaSuccess;
  for (int i = 0; i < 64; ++i) {
    unsigned bits;
    std::memcpy(&bits, &numbers[i], sizeof bits);
    right = right && words[i] == bits && negative[i] == -numbers[i];
  }
  expect(right, "words of shared memory");
  return done();
}
