// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / one value on both sides of a barrier, with products and sums fused
// Conditions on products and sums hold on both sides of barriers or on none, and what they are computed from is stored
// with them: whether a product and a sum are fused is decided once.
#include "check.h"

template <class T>
__global__ void both_sides(T *o, int *a, int *b, T *c, T h, T c1, T c2, T lim) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  const T p = t * h, u = p + c1, v = p + c2;
  const bool in = u < lim;
  o[t] = v;
  a[t] = in;
  s[t] = t;
  __syncthreads();
  const int other = s[blockDim.x - 1 - t];
  b[t] = in + (other < 0);
  if (in) c[t] = u;
}

// A thread that does not store before the barrier must not read behind it.
template <class T>
__global__ void skipped(T *out, const T *x, T h, T c1, T lim) {
  __shared__ T s[256];
  const int t = threadIdx.x;
  const T p = x[t] * h, q = p * p - c1;
  const bool in = p + q < lim;
  s[t] = -1;
  __syncthreads();
  if (in) s[t] = p + q;
  out[t] = q;
  __syncthreads();
  const T next = s[(t + 1) % blockDim.x];
  if (in) out[t] = s[t] + (next > lim ? next : 0);
}

// Loops around barriers that end by such a condition, the same for all threads.
template <class T>
__global__ void rounds(T *out, const T *x, T h, T lim) {
  __shared__ T s[256];
  const int t = threadIdx.x;
  T sum = 0;
  s[t] = x[t];
  for (int i = 0; i < 9; ++i) {
    const T p = i * h, u = p + x[i], w = p + x[i + 1];
    if (u < lim) sum += s[(t + i) % blockDim.x];
    __syncthreads();
    if (u < lim)
      s[t] = sum * h + w;
    else
      s[t] = -u;
    __syncthreads();
    out[t * 9 + i] = u < lim ? s[t] - (sum * h + w) : s[t] + u;
  }
}

template <class T>
void exercise(const char *name, T step) {
  const int n = 256;
  std::vector<T> x(n);
  for (int i = 0; i < n; ++i) x[i] = static_cast<T>((i * 37 % 101) * 0.0371);
  T *values = device_zeros<T>(n), *later = device_zeros<T>(n), *from = upload(x), *many = device_zeros<T>(9 * n);
  int *before = device_zeros<int>(n), *behind = device_zeros<int>(n);
  int differ = 0, read = 0;
  double rest = 0;
  for (int k = 0; k < 60; ++k) {
    const T h = static_cast<T>(0.1) + k * step, c1 = static_cast<T>(0.7), lim = h * (k + 20) + c1;
    both_sides<<<1, n>>>(values, before, behind, later, h, c1, static_cast<T>(1.3), lim);
    const std::vector<int> a = download(before, n), b = download(behind, n);
    for (int i = 0; i < n; ++i) differ += a[i] != b[i];
    const T c2 = x[k + 5] * h * (x[k + 5] * h), edge = x[k + 5] * h + (x[k + 5] * h * (x[k + 5] * h) - c2);
    skipped<<<1, n>>>(values, from, h, c2, edge);
    for (const T each : download(values, n)) read += each == -1;
    rounds<<<1, n>>>(many, from, h, x[k % 9] + k % 9 * h);
    for (const T each : download(many, 9 * n)) rest += each < 0 ? -each : each;
  }
  report(name, 0, differ + read);
  if (rest > 1e-9) std::printf("%s: rounds left %g\n", name, rest);
}

int main() {
  exercise<float>("float", 0.0137f);
  exercise<double>("double", 0.0137);
  return 0;
}
