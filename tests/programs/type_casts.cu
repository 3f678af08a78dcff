// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / conversions
// Conversions with rounding modes, reinterpreted bits, saturated float-to-int casts, halves of doubles.
#include "check.h"

const int kPer = 20;

__global__ void convert(const float *f, const double *d, long long *output) {
  float x = f[threadIdx.x];
  double y = d[threadIdx.x];
  long long *out = output + threadIdx.x * kPer;
  *out++ = __float2int_rn(x);
  *out++ = __float2int_rz(x);
  *out++ = __float2int_ru(x);
  *out++ = __float2int_rd(x);
  *out++ = __float2uint_rn(fabsf(x));
  *out++ = __float2ll_rn(x);
  *out++ = __double2int_rn(y);
  *out++ = __double2ll_rd(y);
  *out++ = static_cast<long long>(__double2ull_rz(fabs(y)));
  *out++ = __float_as_int(x);
  *out++ = __float_as_uint(x);
  *out++ = __double_as_longlong(y);
  *out++ = __double2hiint(y);
  *out++ = __double2loint(y);
  *out++ = __double_as_longlong(__hiloint2double(__double2hiint(y), __double2loint(y)));
  *out++ = __float_as_int(__int2float_rn(static_cast<int>(y) + 16777217));
  *out++ = __float_as_int(__double2float_rn(y));
  *out++ = __double_as_longlong(__longlong_as_double(__double_as_longlong(y)) * 2);
  *out++ = __float_as_int(__int_as_float(__float_as_int(x) ^ 1));
  *out++ = lrintf(x) + lround(y);
}

int main() {
  std::vector<float> f{0.0f, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.75f, 1000000.25f, 8388608.0f, -7.999f};
  std::vector<double> d{0.0, 0.5, -0.5, 1.5, 2.5, -1e6 - 0.25, 123456.789, -3.0000001, 1e9, 99.5};
  std::vector<long long> want;
  for (std::size_t i = 0; i < f.size(); ++i) {
    float x = f[i], sum = static_cast<float>(static_cast<int>(d[i]) + 16777217), narrow = static_cast<float>(d[i]);
    double y = d[i], twice = 2 * y;
    int bits, sum_bits, narrow_bits;
    long long wide, twice_bits;
    std::memcpy(&bits, &x, 4);
    std::memcpy(&sum_bits, &sum, 4);
    std::memcpy(&narrow_bits, &narrow, 4);
    std::memcpy(&wide, &y, 8);
    std::memcpy(&twice_bits, &twice, 8);
    const long long row[kPer] = {std::lrint(x),
                                 static_cast<int>(x),
                                 static_cast<int>(std::ceil(x)),
                                 static_cast<int>(std::floor(x)),
                                 std::lrint(std::fabs(x)),
                                 std::lrint(x),
                                 std::lrint(y),
                                 static_cast<long long>(std::floor(y)),
                                 static_cast<long long>(std::fabs(y)),
                                 bits,
                                 static_cast<unsigned>(bits),
                                 wide,
                                 static_cast<int>(wide >> 32),
                                 static_cast<int>(wide),
                                 wide,
                                 sum_bits,
                                 narrow_bits,
                                 twice_bits,
                                 bits ^ 1,
                                 std::lrint(x) + std::lround(y)};
    want.insert(want.end(), row, row + kPer);
  }
  long long *output = device_zeros<long long>(want.size());
  convert<<<1, f.size()>>>(upload(f), upload(d), output);
  compare("conversions", want, download(output, want.size()));
  return 0;
}
