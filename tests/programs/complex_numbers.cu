// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / cuComplex
// cuComplex in float and double: construction, parts, arithmetic, conjugate, absolute value, conversions.
#include <cuComplex.h>

#include "check.h"

__global__ void in_float(const cuFloatComplex *a, const cuComplex *b, cuFloatComplex *output, float *absolute) {
  int i = threadIdx.x;
  cuFloatComplex sum = cuCaddf(a[i], b[i]), difference = cuCsubf(a[i], b[i]), product = cuCmulf(sum, difference);
  output[i] = cuCfmaf(cuConjf(product), b[i], make_cuFloatComplex(cuCimagf(a[i]), cuCrealf(a[i])));
  absolute[i] = cuCabsf(a[i]);
}

__global__ void in_double(const cuDoubleComplex *a, cuDoubleComplex *quotient, float *imaginary) {
  int i = threadIdx.x;
  quotient[i] = cuCdiv(cuCmul(a[i], make_cuDoubleComplex(2, -1)), make_cuDoubleComplex(0, 2));
  imaginary[i] = cuCimagf(cuComplexDoubleToFloat(cuCsub(a[i], cuConj(a[i]))));
}

int main() {
  const int n = 16;
  std::vector<cuFloatComplex> a(n), b(n), want(n);
  std::vector<cuDoubleComplex> d(n);
  std::vector<float> absolute(n), imaginary(n);
  std::vector<double> quotient;
  for (int i = 0; i < n; ++i) {
    a[i] = make_cuFloatComplex(3.0f * i, 4.0f * i);
    b[i] = make_cuFloatComplex(1.0f, i - 2.0f);
    absolute[i] = 5.0f * i;
    float ar = a[i].x, ai = a[i].y, br = b[i].x, bi = b[i].y;
    float pr = (ar * ar - ai * ai) - (br * br - bi * bi), pi = 2 * ar * ai - 2 * br * bi;
    want[i] = make_cuFloatComplex(pr * br + pi * bi + ai, pr * bi - pi * br + ar);
    d[i] = make_cuDoubleComplex(i, 2 * i + 4);
    imaginary[i] = 2.0f * (2 * i + 4);
    double real = 2.0 * d[i].x + d[i].y, imag = 2.0 * d[i].y - d[i].x;
    quotient.push_back(imag / 2);
    quotient.push_back(-real / 2);
  }
  cuFloatComplex *output = device_zeros<cuFloatComplex>(n);
  cuDoubleComplex *device_quotient = device_zeros<cuDoubleComplex>(n);
  float *numbers = device_zeros<float>(n);
  in_float<<<1, n>>>(upload(a), upload(b), output, numbers);
  compare("float", want, download(output, n));
  compare_near("absolute", absolute, download(numbers, n), 1e-6);
  in_double<<<1, n>>>(upload(d), device_quotient, numbers);
  std::vector<double> got;
  for (cuDoubleComplex value : download(device_quotient, n)) {
    got.push_back(value.x);
    got.push_back(value.y);
  }
  compare_near("quotient", quotient, got, 1e-14);
  compare("imaginary", imaginary, download(numbers, n));
  return 0;
}
