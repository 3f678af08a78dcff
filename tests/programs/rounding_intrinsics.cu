// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / arithmetic with a rounding mode
// Arithmetic intrinsics with a rounding mode in their name are never contracted; up, down and to-zero are ordered.
#include "check.h"

__global__ void run(const float *x, const double *y, int *wrong, float *nearest) {
  float a = x[threadIdx.x], b = x[threadIdx.x + 1];
  double p = y[threadIdx.x], q = y[threadIdx.x + 1];
  nearest[threadIdx.x] = __fadd_rn(__fmul_rn(a, b), -a);
  int bad = 0;
  bad += !(__fadd_rd(a, b) <= __fadd_rn(a, b) && __fadd_rn(a, b) <= __fadd_ru(a, b));
  bad += !(__fmul_rd(a, b) <= __fmul_ru(a, b) && __fmul_rz(a, b) == __fmul_rd(a, b));
  bad += !(__fdiv_rd(a, b) <= __fdiv_rn(a, b) && __fdiv_rn(a, b) <= __fdiv_ru(a, b));
  bad += !(__fsqrt_rd(a) <= __fsqrt_ru(a)) + !(__frcp_rd(a) <= __frcp_ru(a));
  bad += !(__fmaf_rd(a, b, 1.0f) <= __fmaf_rn(a, b, 1.0f)) + (__fsub_rn(a, b) != -__fsub_rn(b, a));
  bad += !(__dadd_rd(p, q) <= __dadd_rn(p, q) && __dadd_rn(p, q) <= __dadd_ru(p, q));
  bad += !(__dmul_rz(p, q) <= __dmul_ru(p, q)) + !(__ddiv_rd(p, q) <= __ddiv_ru(p, q));
  bad += !(__dsqrt_rd(p) <= __dsqrt_ru(p)) + !(__drcp_rd(p) <= __drcp_rn(p));
  bad += __fadd_rd(1.0f, 1e-10f) != 1.0f || __fadd_ru(1.0f, 1e-10f) <= 1.0f;
  bad += __dadd_rd(1.0, -1e-20) >= 1.0 || __dadd_rz(1.0, 1e-20) != 1.0;
  if (bad != 0) atomicAdd(wrong, bad);
}

int main() {
  const int n = 90;
  std::vector<float> x(n + 1), want(n);
  std::vector<double> y(n + 1);
  Lcg lcg{70};
  for (int i = 0; i <= n; ++i) {
    x[i] = (1 + lcg.below(1 << 20)) / 977.0f;
    y[i] = (1 + lcg.below(1 << 20)) / 977.0;
  }
  for (int i = 0; i < n; ++i) {
    volatile float product = x[i] * x[i + 1];
    want[i] = product - x[i];
  }
  int *wrong = device_zeros<int>(1);
  float *nearest = device_zeros<float>(n);
  run<<<1, n>>>(upload(x), upload(y), wrong, nearest);
  compare("to nearest", want, download(nearest, n));
  report("wrong", 0, download(wrong, 1)[0]);
  return 0;
}
