// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / denormals under -ftz=true
// flags: -ftz=true
// Denormals of float count as zeros, as inputs and as results, in kernels with doubles and in kernels without; those of
// double, and what is only copied, stay.
#include <cuda_fp16.h>

#include "check.h"

struct Line {
  char name[28];
  unsigned low, high;
};

struct Inputs {
  float d, e, t, half, m, big, one, z;  // d, e: denormal; t: 1.5 * 2^-126; m: -d
};

template <typename T>
__device__ void put(Line *o, int &n, const char *name, T value) {
  int i = 0;
  for (; name[i] && i < 27; ++i) o[n].name[i] = name[i];
  o[n].name[i] = 0;
  unsigned long long bits = 0;
  memcpy(&bits, &value, sizeof value);
  o[n].low = static_cast<unsigned>(bits);
  o[n].high = static_cast<unsigned>(bits >> 32);
  ++n;
}
#define P(e) put(o, n, #e, (e))

__device__ __noinline__ float called(float x, float y) { return x * y; }

__global__ void floats(const Inputs *in, Line *o, int *count) {
  const float d = in->d, e = in->e, t = in->t, half = in->half, m = in->m, big = in->big, one = in->one, z = in->z;
  int n = 0;
  P(d);
  P(d + z);
  P(d + d);
  P(d - e);
  P(t - e);
  P(t * half);
  P(t / 4.f);
  P(one / big);
  P(d * big);
  P(one / d);
  P(fmaf(t, half, z));
  P(fmaf(d, big, z));
  P(fmaf(t, half, d));
  P(-d);
  P(fabsf(m));
  P(fminf(d, z));
  P(fmaxf(d, z));
  P(fminf(d, e));
  P(d == z);
  P(d > z);
  P(d != e);
  P(m < z);
  P(d < t);
  P(!d);
  P(d ? 1 : 2);
  P((int)d);
  P((float)(int)one);
  P(sqrtf(d));
  P(rsqrtf(d));
  P(expf(-95.f * one));
  P(exp2f(-130.f * one));
  P(logf(d));
  P(log1pf(d));
  P(sinf(d));
  P(cosf(d));
  P(tanhf(d));
  P(atanf(d));
  P(powf(d, half));
  P(powf(2.f * one, -130.f));
  P(hypotf(d, e));
  P(ldexpf(one, -130));
  P(ldexpf(d, 10));
  P(scalbnf(one, -130));
  P(copysignf(d, m));
  P(floorf(m));
  P(ceilf(d));
  P(rintf(d));
  P(fdimf(t, e));
  P(t > d ? d : t);
  P(__shfl_sync(1, d, 0));
  P(called(t, half));
  P(__fmul_rn(t, half));
  float sum = 0;
  for (int i = 0; i < 4; ++i) sum += d;
  P(sum);
  *count = n;
}

__global__ void mixed(const Inputs *in, const double *b, const __half *h, Line *o, int *count) {
  const float d = in->d, e = in->e, t = in->t, half = in->half, m = in->m, big = in->big, one = in->one, z = in->z;
  int n = 0;
  P(b[2] + b[2]);
  P(b[2] * 0.5);
  P(b[3] * b[3]);
  P((double)d);
  P((float)b[0]);
  P((float)b[1]);
  P(d + z);
  P(d + d);
  P(d - e);
  P(t - e);
  P(t * half);
  P(one / big);
  P(d * big);
  P(one / d);
  P(fmaf(t, half, d));
  P(-d);
  P(fabsf(m));
  P(fmaxf(d, z));
  P(d == z);
  P(d != e);
  P(sqrtf(d));
  P(exp2f(-130.f * one));
  P(logf(d));
  P(ldexpf(d, 10));
  P(ceilf(d));
  P(t > d ? d : t);
  P(called(t, half));
  P(__half2float(h[0]));
  P(__hadd(h[0], h[0]));
  P(__hmul(h[0], h[1]));
  float by_ptx;
  asm("add.f32 %0, %1, %2;" : "=f"(by_ptx) : "f"(d), "f"(e));
  P(by_ptx);
  asm("mul.ftz.f32 %0, %1, %2;" : "=f"(by_ptx) : "f"(t), "f"(half));
  P(by_ptx);
  double acc = 0;
  acc += d;
  P(acc);
  float sum = 0;
  for (int i = 0; i < 4; ++i) sum += d;
  P(sum);
  *count = n;
}

// In vectors: every thread's product is denormal, or not.
__global__ void products(const float *a, const float *b, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[i] * b[i] + expf(b[i]);
}

void show(const char *kernel, const Line *lines, const int *count) {
  std::printf("%s: %s\n", kernel, cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < *count; ++i) std::printf("%-28s %08x %08x\n", lines[i].name, lines[i].low, lines[i].high);
}

int main() {
  std::vector<unsigned> raw = {0x00012345, 0x00400001, 0x00c00000, 0x3f000000,
                               0x80012345, 0x7f000000, 0x3f800000, 0x00000000};
  std::vector<double> doubles = {1e-40, -2e-39, 3e-310, 1e-160};
  std::vector<unsigned short> halves = {0x0010, 0x3800};
  auto *in = reinterpret_cast<Inputs *>(upload(raw));
  auto *h = reinterpret_cast<__half *>(upload(halves));
  double *b = upload(doubles);
  Line *lines;
  int *count;
  CHECK(cudaMallocManaged(&lines, 200 * sizeof(Line)));
  CHECK(cudaMallocManaged(&count, sizeof(int)));
  floats<<<1, 1>>>(in, lines, count);
  show("floats", lines, count);
  mixed<<<1, 1>>>(in, b, h, lines, count);
  show("mixed", lines, count);

  std::vector<float> a(256), scale(256), wanted(256);
  for (int i = 0; i < 256; ++i) {
    a[i] = std::ldexp(1.f + static_cast<float>(i) / 256.f, i % 2 ? -100 : -60);
    scale[i] = -std::ldexp(1.f, i % 3 ? 6 : 7);  // exp of -64, and of -128: denormal
    wanted[i] = a[i] * scale[i] + (i % 3 ? std::exp(scale[i]) : 0.f);
  }
  float *da = upload(a), *ds = upload(scale), *out = device_zeros<float>(256);
  products<<<2, 128>>>(da, ds, out);
  const auto got = download(out, 256);
  int wrong = 0;
  for (int i = 0; i < 256; ++i) wrong += !(std::fabs(got[i] - wanted[i]) <= 1e-6f * std::fabs(wanted[i]));
  std::printf("products: %d wrong\n", wrong);
}
