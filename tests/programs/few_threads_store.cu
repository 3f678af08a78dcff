// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / a store that few threads of a block make, or none
// What one thread, some, or none of a block store at one address, in blocks of any size; and warps that read the lane
// whose number a ballot gives, where there is one.
#include "check.h"

template <class T>
__global__ void of_one_part(T *out, int n) {
  const int i = threadIdx.x;
  const T v = i * n;
  if (i & 64) *out = v;
}

template <class T>
__global__ void of_one_pair(T *out, int n) {
  const int i = threadIdx.x;
  const T v = (i | 1) * n;
  if (i >> 1 == 5) *out = v;
}

template <class T>
__global__ void of_one_thread(T *out, const T *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const T v = in[i] * 3;
  if (i == n) *out = v;
}

template <class T>
__global__ void twice(T *out, const T *in, int n) {
  const int i = threadIdx.x;
  const T v = in[i] * in[i] + i;
  if (i == n) *out = v;
  if (i == n) out[1] = v + in[i];
}

template <class T>
__global__ void chosen_lane(T *out, const T *in, int n) {
  const int i = threadIdx.x;
  const T own = in[i] + i;
  const unsigned all = __activemask();
  const unsigned found = __ballot_sync(all, i >= n && i % 8 == 3);
  T first = -2, last = -3;
  if (found) first = __shfl_sync(all, own, __ffs(found) - 1);
  if (found & 0xff00ff00u) last = __shfl_sync(all, own, 31 - __clz(found & 0xff00ff00u)) * 2;
  out[i] = first * 3 + last;
}

template <class T>
std::vector<T> expected_lanes(const std::vector<T> &in, int threads, int n) {
  std::vector<T> want(threads);
  for (int i = 0; i < threads; ++i) {
    const int base = i / 32 * 32;
    T first = -2, last = -3;
    for (int lane = 31; lane >= 0; --lane) {
      const int t = base + lane;
      if (t >= threads || t < n || t % 8 != 3) continue;
      first = in[t] + t;
      if (last == -3 && 0xff00ff00u >> lane & 1) last = (in[t] + t) * 2;
    }
    want[i] = first * 3 + last;
  }
  return want;
}

template <class T>
void exercise(const char *name) {
  std::vector<T> in(1024);
  for (int i = 0; i < 1024; ++i) in[i] = static_cast<T>(i % 50 - 20);
  const T *from = upload(in);
  std::vector<T> got, want;
  const T none = 77;
  const auto keep = [&](T *out, int count) {
    const std::vector<T> some = download(out, count);
    got.insert(got.end(), some.begin(), some.end());
    cudaFree(out);
  };
  for (int threads = 1; threads <= 1024; threads = threads < 4 ? threads + 1 : threads * 2 - threads / 3) {
    for (int n : {0, 2, 70, 2000}) {
      T *out = upload(std::vector<T>{none});
      of_one_part<<<1, std::min(threads, 65)>>>(out, n);
      want.push_back(threads > 64 ? 64 * n : none);
      keep(out, 1);
      out = upload(std::vector<T>{none});
      of_one_pair<<<1, threads>>>(out, n);
      want.push_back(threads > 10 ? 11 * n : none);
      keep(out, 1);
      out = upload(std::vector<T>{none});
      of_one_thread<<<1, threads>>>(out, from, n);
      want.push_back(n < threads ? static_cast<T>(in[n] * 3) : none);
      keep(out, 1);
      out = upload(std::vector<T>{none, none});
      twice<<<1, threads>>>(out, from, n == 0 ? threads + 5 : n);
      const bool never = n == 0 || n >= threads;
      const T square = never ? 0 : static_cast<T>(in[n] * in[n] + n);
      want.push_back(never ? none : square);
      want.push_back(never ? none : static_cast<T>(square + in[n]));
      keep(out, 2);
      out = device_zeros<T>(threads);
      chosen_lane<<<1, threads>>>(out, from, n);
      const std::vector<T> lanes = expected_lanes(in, threads, n);
      want.insert(want.end(), lanes.begin(), lanes.end());
      keep(out, threads);
    }
  }
  compare(name, want, got);
}

int main() {
  exercise<double>("double");
  exercise<int>("int");
  exercise<float>("float");
  exercise<long long>("long long");
  return 0;
}
