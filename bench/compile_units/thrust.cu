// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that uses Thrust's algorithms, for measuring how long it takes to compile (bench/compile_time.py).
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include <cstdio>

struct Mix {
  __host__ __device__ unsigned operator()(unsigned x) const { return (x * 2654435761u) % 1000; }
};

int main() {
  const int n = 10000;
  thrust::device_vector<unsigned> keys(n), values(n), sums(n);
  thrust::sequence(keys.begin(), keys.end());
  thrust::transform(keys.begin(), keys.end(), keys.begin(), Mix());
  thrust::sequence(values.begin(), values.end());
  thrust::sort_by_key(keys.begin(), keys.end(), values.begin());
  thrust::exclusive_scan(values.begin(), values.end(), sums.begin());
  unsigned whole = thrust::reduce(sums.begin(), sums.end());
  auto ends = thrust::unique_by_key(keys.begin(), keys.end(), values.begin());
  std::printf("%u, %d different keys\n", whole, int(ends.first - keys.begin()));
}
