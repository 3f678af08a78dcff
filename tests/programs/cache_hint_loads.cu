// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Memory / loads and stores with cache hints
// Loads and stores with cache hints, __ldg of vectors, volatile and const pointers: plain memory accesses in effect.
#include "check.h"

__global__ void run(const int *a, const float4 *b, const double *c, int *out, float4 *vectors, double *doubles) {
  int i = threadIdx.x;
  int sum =
      __ldg(a + i) + __ldcg(a + i) + __ldca(a + i) + __ldcs(a + i) + __ldcv(a + i) + __ldlu(const_cast<int *>(a) + i);
  __stcg(out + i, sum);
  float4 v = __ldg(&b[i]), w = __ldcs(&b[i]);
  __stcs(&vectors[i], make_float4(v.w, w.z, v.y, w.x));
  __stwt(&doubles[i], __ldg(c + i) * 2);
  __threadfence_block();
  __stwb(&doubles[i], __ldcg(&doubles[i]) + 1);
}

int main() {
  const int n = 32;
  std::vector<int> a = random_ints(n, 1000), want_a(n);
  std::vector<float4> b(n), want_b(n);
  std::vector<double> c(n), want_c(n);
  for (int i = 0; i < n; ++i) {
    want_a[i] = a[i] * 6;
    b[i] = make_float4(i, i + 0.25f, i + 0.5f, i + 0.75f);
    want_b[i] = make_float4(i + 0.75f, i + 0.5f, i + 0.25f, i);
    c[i] = i / 8.0;
    want_c[i] = i / 4.0 + 1;
  }
  int *out = device_zeros<int>(n);
  float4 *vectors = device_zeros<float4>(n);
  double *doubles = device_zeros<double>(n);
  run<<<1, n>>>(upload(a), upload(b), upload(c), out, vectors, doubles);
  compare("ints", want_a, download(out, n));
  compare("vectors", want_b, download(vectors, n));
  compare("doubles", want_c, download(doubles, n));
  return 0;
}
