// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Memory / arrays of structs
// Arrays of structs: members loaded, stored and updated one by one or together, copies of whole structs, bytes of
// pixels; with threads that take part and threads that do not. What no thread writes must stay, and the arrays end
// where the last thread's members end.
#include <cstdio>
#include <cstring>
#include <vector>

#include "check.h"

struct Body {
  float x, y, z;
  int id;
  float mass;
};

struct Pixel {
  unsigned char r, g, b;
};

__global__ void scale(const float4 *from, float4 *to, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float4 v = from[i];
    v.x *= by;
    v.w += v.z;
    to[i] = v;
  }
}

__global__ void move(Body *bodies, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % 3 != 1) {
    bodies[i].x += by * bodies[i].mass;
    bodies[i].z -= by;
    bodies[i].id ^= i;
  }
}

__global__ void copy(const Body *from, Body *to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[n - 1 - i];
}

__global__ void multiply(const double2 *a, const double2 *b, double2 *c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = make_double2(a[i].x * b[i].x - a[i].y * b[i].y, a[i].x * b[i].y + a[i].y * b[i].x);
}

__global__ void grey(Pixel *pixels, unsigned char *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = (77 * pixels[i].r + 150 * pixels[i].g + 29 * pixels[i].b) >> 8;
  if (out[i] & 1) pixels[i].g = 255 - pixels[i].g;
}

__global__ void evens(int *p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i < n) p[2 * i] = 2 * i + 1 < n ? p[2 * i] - p[2 * i + 1] : 7;
}

template <class T, class F>
void run(const char *name, std::vector<T> data, F body) {
  // What no thread writes is checked, too.
  const size_t bytes = data.size() * sizeof(T);
  std::vector<T> expected = data;
  T *device;
  CHECK(cudaMalloc(&device, bytes));
  CHECK(cudaMemcpy(device, data.data(), bytes, cudaMemcpyHostToDevice));
  body(device, expected);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(data.data(), device, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  printf("%s: %s\n", name, memcmp(data.data(), expected.data(), bytes) == 0 ? "right" : "WRONG");
}

int main() {
  const int n = 333, block = 64, blocks = (n + block - 1) / block;
  std::vector<float4> quads(2 * n);
  std::vector<Body> bodies(2 * n);
  std::vector<double2> numbers(3 * n);
  std::vector<Pixel> pixels(n);
  std::vector<int> words(n);
  for (int i = 0; i < 2 * n; ++i) {
    quads[i] = make_float4(i % 17, i % 5, i % 7, i % 11);
    bodies[i] = {float(i % 13), float(i % 3), float(i % 19), i, float(i % 4)};
  }
  for (int i = 0; i < 3 * n; ++i) numbers[i] = make_double2(i % 23, i % 9 - 4);
  for (int i = 0; i < n; ++i) {
    pixels[i] = {(unsigned char)(i * 7), (unsigned char)(i * 11), (unsigned char)(i * 13)};
    words[i] = i * i % 101;
  }

  run("float4", quads, [&](float4 *p, std::vector<float4> &e) {
    scale<<<blocks, block>>>(p, p + n, 3.0f, n);
    for (int i = 0; i < n; ++i) e[n + i] = make_float4(3 * e[i].x, e[i].y, e[i].z, e[i].w + e[i].z);
  });
  run("members", bodies, [&](Body *p, std::vector<Body> &e) {
    move<<<blocks, block>>>(p, 2.0f, n);
    for (int i = 0; i < n; ++i) {
      if (i % 3 == 1) continue;
      e[i].x += 2 * e[i].mass;
      e[i].z -= 2;
      e[i].id ^= i;
    }
  });
  run("copies", bodies, [&](Body *p, std::vector<Body> &e) {
    copy<<<blocks, block>>>(p, p + n, n);
    for (int i = 0; i < n; ++i) e[n + i] = e[n - 1 - i];
  });
  run("double2", numbers, [&](double2 *p, std::vector<double2> &e) {
    multiply<<<blocks, block>>>(p, p + n, p + 2 * n, n);
    for (int i = 0; i < n; ++i) {
      const double2 a = e[i], b = e[n + i];
      e[2 * n + i] = make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
    }
  });
  std::vector<unsigned char> shades(n);
  run("pixels", pixels, [&](Pixel *p, std::vector<Pixel> &e) {
    unsigned char *out;
    CHECK(cudaMalloc(&out, n));
    grey<<<blocks, block>>>(p, out, n);
    CHECK(cudaMemcpy(shades.data(), out, n, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
      const unsigned char shade = (77 * e[i].r + 150 * e[i].g + 29 * e[i].b) >> 8;
      wrong += shades[i] != shade;
      if (shade & 1) e[i].g = 255 - e[i].g;
    }
    printf("shades: %d wrong\n", wrong);
  });
  run("every second", words, [&](int *p, std::vector<int> &e) {
    evens<<<blocks, block>>>(p, n);
    for (int i = 0; i < n; i += 2) e[i] = i + 1 < n ? e[i] - e[i + 1] : 7;
  });
}
