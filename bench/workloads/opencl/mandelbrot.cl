// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void mandelbrot(global int *out, int width, int height, int limit, float left, float top, float pixel) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  float cr = left + x * pixel, ci = top + y * pixel;
  float zr = 0, zi = 0;
  int count = 0;
  while (count < limit && zr * zr + zi * zi < 4.0f) {
    float next = zr * zr - zi * zi + cr;
    zi = 2.0f * zr * zi + ci;
    zr = next;
    ++count;
  }
  out[y * width + x] = count;
}
