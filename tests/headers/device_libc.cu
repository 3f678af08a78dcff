// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / C and C++ library in device code
//
// The C and C++ library in device code, among ordinary host use of the same names.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <limits>
#include <new>
#include <random>
#include <thread>
#include <vector>
using namespace std;

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual float area() const = 0;
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};

__global__ void strings() {
  char text[32] = "warploom", copy[32];
  memset(copy, 0, sizeof copy);
  memcpy(copy, text, 5);
  printf("%s %5.2f|%-6d|%c|%%|%lld|%x|%e\n", copy, 3.14159, 42, 'z', 1ll << 40, 255u, 12345.678);
}

__global__ void heap() {
  int *numbers = (int *)malloc(100 * sizeof(int));
  for (int i = 0; i < 100; ++i) numbers[i] = i;
  int sum = 0;
  for (int i = 0; i < 100; ++i) sum += numbers[i];
  free(numbers);
  Shape *shape = new Square(3.0f);
  double *values = new double[8];
  values[7] = 0.5;
  alignas(Square) char room[sizeof(Square)];
  Shape *placed = new (room) Square(2.0f);
  printf("%d %g %g %g\n", sum, shape->area(), values[7], placed->area());
  assert(sum == 4950);
  placed->~Shape();
  delete shape;
  delete[] values;
}

__global__ void overloads(float f, double d, int i, long l, unsigned u) {
  int exponent;
  float whole;
  double dwhole;
  float a = sin(f) + std::sin(f) + sqrt(f) + std::pow(f, 2.0f) + abs(-f) + std::abs(-f) + fabs(f) + frexp(f, &exponent);
  double b = sin(d) + std::exp(d) + pow(d, 2) + fabs(d) + abs(-d) + std::modf(d, &dwhole) + modf(f, &whole) + sin(i);
  printf("%.5f %.5f %d %g %g\n", a, b, exponent, whole, dwhole);
  printf("%d %ld %lld %ld\n", abs(-i), abs(-l), llabs(-7ll), labs(-l));
  printf("%d %u %g %g %g\n", min(i, 3), max(i, u), min(f, d), max(f, 1.0f), fmaxf(nanf(""), 2.0f));
  printf("%d%d%d%d%d\n", isnan(f), isinf(d / 0.0), isfinite(f), signbit(-f), std::isnan(nan("")));
  printf("%d %g\n", std::max(i, 9), std::min(d, 0.25));
  float s, c;
  sincosf(f, &s, &c);
  double ds, dc;
  sincos(d, &ds, &dc);
  printf("%.5f %.5f %.5f %.5f %.5f\n", s, c, ds, dc, exp10f(f));
  printf("%.5f %.5f %.5f %.5f\n", rsqrtf(f), rsqrt(d), __expf(f), __powf(f, 2.0f));
  printf("%.5f %d %d %g\n", ldexp(f, 3), ilogb(d), (int)lround(d), remquo(f, 0.3f, &exponent));
}

int main() {
  vector<int> v = {3, 1, 2};
  sort(v.begin(), v.end());
  int *p = (int *)malloc(sizeof(int));
  *p = abs(-v[0]);
  printf("%d %.5f %g %d\n", *p, sqrt(2.0f), min(2.0, 1.0), max(1, 2));
  printf("%.5f %.5f %.5f\n", rsqrtf(4.0f), sinpi(0.5), (double)normcdff(0.0f));
  free(p);
  assert(v[2] == 3);
  strings<<<1, 1>>>();
  heap<<<1, 1>>>();
  cudaDeviceSynchronize();
  overloads<<<1, 1>>>(0.7f, 1.3, 5, 6, 7);
  return cudaDeviceSynchronize();
}
