// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / stencil in steps, tiles with halo
// Steps of a stencil in tiles with a halo: blocks at every edge and inside, a condition that a loop carries around
// barriers and that threads keep after it. Checked against the host, exactly.
#include <cstdio>
#include <vector>
__global__ void k(int steps, const int *in, int *out, int w, int h) {
  __shared__ int a[8][8], b[8][8];
  int tx = threadIdx.x, ty = threadIdx.y, inner = 8 - 2 * steps;
  int x = inner * (int)blockIdx.x - steps + tx, y = inner * (int)blockIdx.y - steps + ty;
  bool in_range = x >= 0 && x < w && y >= 0 && y < h;
  if (in_range) a[ty][tx] = in[y * w + x];
  __syncthreads();
  bool on = false;
  for (int s = 0; s < steps; ++s) {
    on = in_range && tx > s && tx < 7 - s && ty > s && ty < 7 - s;
    if (on) {
      int l = x > 0 ? a[ty][tx - 1] : 0, r = x + 1 < w ? a[ty][tx + 1] : 0, u = y > 0 ? a[ty - 1][tx] : 0,
          d = y + 1 < h ? a[ty + 1][tx] : 0;
      b[ty][tx] = a[ty][tx] * 3 + l - r + 2 * u - d;
    }
    __syncthreads();
    if (s == steps - 1) break;
    if (on) a[ty][tx] = b[ty][tx];
    __syncthreads();
  }
  if (on) out[y * w + x] = b[ty][tx];
}
int main() {
  int bad = 0;
  for (int steps = 0; steps <= 3; ++steps)
    for (int w : {1, 5, 8, 9, 17, 40, 64}) {
      int h = w == 5 ? 33 : w;
      std::vector<int> in(w * h), got(w * h), now, next;
      for (int i = 0; i < w * h; ++i) in[i] = i * 7919 % 1013;
      now = in;
      for (int s = 0; s < steps; ++s) {
        next = now;
        for (int y = 0; y < h; ++y)
          for (int x = 0; x < w; ++x)
            next[y * w + x] = now[y * w + x] * 3 + (x ? now[y * w + x - 1] : 0) - (x + 1 < w ? now[y * w + x + 1] : 0) +
                              2 * (y ? now[(y - 1) * w + x] : 0) - (y + 1 < h ? now[(y + 1) * w + x] : 0);
        now.swap(next);
      }
      if (!steps) now.assign(w * h, -1);
      int *a, *b;
      cudaMalloc(&a, w * h * 4);
      cudaMalloc(&b, w * h * 4);
      cudaMemcpy(a, in.data(), w * h * 4, cudaMemcpyHostToDevice);
      cudaMemset(b, 255, w * h * 4);
      int inner = 8 - 2 * steps;
      k<<<dim3((w + inner - 1) / inner, (h + inner - 1) / inner), dim3(8, 8)>>>(steps, a, b, w, h);
      cudaMemcpy(got.data(), b, w * h * 4, cudaMemcpyDeviceToHost);
      int d = 0;
      for (int i = 0; i < w * h; ++i) d += got[i] != now[i];
      if (d) printf("steps %d w %d: %d differ\n", steps, w, d), ++bad;
      cudaFree(a);
      cudaFree(b);
    }
  puts(bad ? "bad" : "ok");
}
