// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Device libraries / nvstd::function
//
// nvstd::function on the host and on the device: lambdas, functions, small and large function objects with copies that
// are counted, members, empty ones.
#include <nvfunctional>

#include <cstdio>

__host__ __device__ int triple(int x) { return 3 * x; }

// Counts its copies and ends in `*alive`.
template <int Words>
struct Counted {
  int *alive;
  int words[Words];
  __host__ __device__ Counted(int *count, int first) : alive(count) {
    for (int i = 0; i < Words; ++i) words[i] = first + i;
    ++*alive;
  }
  __host__ __device__ Counted(const Counted &other) : alive(other.alive) {
    for (int i = 0; i < Words; ++i) words[i] = other.words[i];
    ++*alive;
  }
  __host__ __device__ ~Counted() { --*alive; }
  __host__ __device__ int operator()(int x) const { return words[Words - 1] + x; }
};

struct Pair {
  int x, y;
  __host__ __device__ int weigh(int by) const { return x * by + y; }
};

template <int Words>
__host__ __device__ int counted(int first) {
  int alive = 0, result;
  {
    nvstd::function<int(int)> f = Counted<Words>(&alive, first), g = f, h;
    h = g;
    g = nullptr;
    result = f(1) + h(2) * 10 + alive * 1000;
    f.swap(g);
    result += (f == nullptr) * 100000 + (g != nullptr) * 1000000 + g(0);
    h = static_cast<nvstd::function<int(int)> &&>(g);
    result += alive * 10000000 + static_cast<bool>(g);
  }
  return alive == 0 ? result : -1;
}

__host__ __device__ void run(int i, int *out) {
  int offset = i;
  nvstd::function<int(int)> f;
  out[0] = static_cast<bool>(f) * 2 + (f == nullptr) + (nullptr != f);
  f = [=](int x) { return x + offset; };
  out[1] = f(40);
  f = triple;
  out[2] = f(i);
  nvstd::function<void(int)> store = [&offset](int x) { offset = x; };
  store(77);
  out[3] = offset;
  int (*none)(int) = nullptr;
  f = none;
  out[4] = static_cast<bool>(f);
  out[5] = counted<1>(i);
  out[6] = counted<40>(i);
  const Pair pair{i, 5};
  const nvstd::function<int(const Pair &, int)> weigh = &Pair::weigh;
  out[7] = weigh(pair, 6);
  const nvstd::function<double(float)> widen = [](int x) { return x * 2; };
  out[8] = static_cast<int>(widen(3.9f) * 10);
  nvstd::function<int(int)> chain = triple;
  for (int n = 0; n < 3; ++n) chain = [chain](int x) { return chain(x) + 1; };
  out[9] = chain(i);
}

constexpr int kResults = 10;

__global__ void on_device(int *out) { run(threadIdx.x, out + threadIdx.x * kResults); }

// One function object picks what a thread does.
__global__ void choose(int *out) {
  nvstd::function<int(int)> f;
  if (threadIdx.x % 2) {
    f = [](int x) { return x * x; };
  } else {
    f = triple;
  }
  out[threadIdx.x] = f(threadIdx.x);
}

int main() {
  constexpr int n = 64;
  static int out[n * kResults];
  int *device, host[kResults], wrong = 0;
  cudaMalloc(&device, sizeof out);
  on_device<<<1, n>>>(device);
  cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) {
    run(i, host);
    for (int k = 0; k < kResults; ++k) wrong += host[k] != out[i * kResults + k];
  }
  for (int k = 0; k < kResults; ++k) printf("%d ", out[7 * kResults + k]);
  printf("\n%d differ from the host\n", wrong);
  choose<<<1, n>>>(device);
  cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
  printf("%d %d %d %d\n", out[0], out[5], out[6], out[63]);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
