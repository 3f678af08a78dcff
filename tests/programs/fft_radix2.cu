// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / fft radix2
// A radix-2 FFT of 256 points in shared memory, bit reversal by __brev, against the defining sum.
#include "check.h"

const int kPoints = 256, kBits = 8;

__global__ void fft(const float2 *input, float2 *output) {
  __shared__ float2 values[kPoints];
  for (int i = threadIdx.x; i < kPoints; i += blockDim.x) values[__brev(i) >> (32 - kBits)] = input[i];
  __syncthreads();
  for (int half = 1; half < kPoints; half *= 2) {
    int group = threadIdx.x / half, position = threadIdx.x % half;
    int top = group * 2 * half + position, bottom = top + half;
    float sine, cosine;
    sincospif(-static_cast<float>(position) / half, &sine, &cosine);
    float2 a = values[top], b = values[bottom];
    float2 turned = make_float2(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);
    values[top] = make_float2(a.x + turned.x, a.y + turned.y);
    values[bottom] = make_float2(a.x - turned.x, a.y - turned.y);
    __syncthreads();
  }
  for (int i = threadIdx.x; i < kPoints; i += blockDim.x) output[i] = values[i];
}

int main() {
  std::vector<float2> input(kPoints);
  Lcg lcg{23};
  for (float2 &value : input) value = float2{lcg.below(21) - 10.0f, lcg.below(21) - 10.0f};
  std::vector<double> want;
  for (int k = 0; k < kPoints; ++k) {
    double real = 0, imaginary = 0;
    for (int i = 0; i < kPoints; ++i) {
      double angle = -2 * 3.14159265358979323846 * ((k * i) % kPoints) / kPoints;
      real += input[i].x * std::cos(angle) - input[i].y * std::sin(angle);
      imaginary += input[i].x * std::sin(angle) + input[i].y * std::cos(angle);
    }
    want.push_back(real);
    want.push_back(imaginary);
  }
  float2 *output = device_zeros<float2>(kPoints);
  fft<<<1, kPoints / 2>>>(upload(input), output);
  std::vector<double> got;
  for (float2 value : download(output, kPoints)) {
    got.push_back(value.x);
    got.push_back(value.y);
  }
  compare_near("spectrum", want, got, 1e-3);
  return 0;
}
