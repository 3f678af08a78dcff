// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thrust on its CUDA system: vectors, functors, lambdas, fancy iterators, a stream of the program's own.
// flags: --extended-lambda
#include "expect.h"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

constexpr int COUNT = 5000;

struct Saxpy {
  int a;
  __host__ __device__ int operator()(int x, int y) const { return a * x + y; }
};

struct Dot {
  template <class Pair>
  __host__ __device__ int operator()(const Pair &pair) const {
    return thrust::get<0>(pair) * thrust::get<1>(pair);
  }
};

int main() {
  thrust::host_vector<int> host(COUNT);
  for (int i = 0; i < COUNT; ++i) host[i] = i * 7919 % COUNT;
  thrust::device_vector<int> x = host, y(COUNT, 3), z(COUNT);

  thrust::transform(x.begin(), x.end(), y.begin(), z.begin(), Saxpy{2});
  expect(z[1] == 2 * 7919 % (2 * COUNT) + 3, "transform");
  expect(thrust::reduce(x.begin(), x.end()) == COUNT * (COUNT - 1) / 2, "reduce");

  cudaStream_t stream;
  cudaStreamCreate(&stream);
  thrust::sort(thrust::cuda::par.on(stream), x.begin(), x.end(), thrust::greater<int>());
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  host = x;
  bool right = true;
  for (int i = 0; i < COUNT; ++i) right = right && host[i] == COUNT - 1 - i;
  expect(right, "sort on a stream");

  thrust::inclusive_scan(y.begin(), y.end(), z.begin());
  expect(z[COUNT - 1] == 3 * COUNT, "inclusive_scan");

  const auto first = thrust::make_counting_iterator(0);
  const auto end = thrust::copy_if(first, first + COUNT, z.begin(), [] __device__(int i) { return i % 3 == 0; });
  expect(end - z.begin() == (COUNT + 2) / 3 && z[5] == 15, "copy_if");

  const auto pairs = thrust::make_zip_iterator(thrust::make_tuple(first, y.begin()));
  expect(thrust::transform_reduce(pairs, pairs + COUNT, Dot(), 0, thrust::plus<int>()) == 3 * COUNT * (COUNT - 1) / 2,
         "transform_reduce of a zip_iterator");

  thrust::transform(first, first + COUNT, x.begin(), [] __device__(int i) { return i / 10; });
  expect(thrust::unique(thrust::device, x.begin(), x.end()) - x.begin() == COUNT / 10, "unique");
  expect(x[7] == 7, "what unique keeps");
  return done();
}
