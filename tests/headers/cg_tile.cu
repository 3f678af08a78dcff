// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Cooperative groups / thread_block_tile
//
// thread_block_tile: ranks, shuffles of every size of value, votes, matches; also in divergent branches.
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

struct Wide {
  double a;
  float b;
  short c[3];
};

template <unsigned Size>
__device__ void tile_facts(int *out) {
  auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
  const int rank = tile.thread_rank(), thread = threadIdx.x;
  out[0 * 64 + thread] = rank * 100 + tile.meta_group_rank() * 10 + tile.meta_group_size();
  out[1 * 64 + thread] = tile.shfl(thread, 1);
  out[2 * 64 + thread] = tile.shfl_up(thread, 1);
  out[3 * 64 + thread] = tile.shfl_down(thread, 3);
  out[4 * 64 + thread] = tile.shfl_xor(thread, Size / 2);
  out[5 * 64 + thread] = tile.any(thread == 5) * 10 + tile.all(thread < 40);
  out[6 * 64 + thread] = tile.ballot(thread % 3 == 0);
  out[7 * 64 + thread] = tile.match_any(thread / 3);
  int same;
  const int lanes = tile.match_all(thread / static_cast<int>(Size), same);
  out[8 * 64 + thread] = lanes * 2 + (same != 0);
}

template <unsigned Size>
__global__ void facts(int *out) {
  tile_facts<Size>(out);
}

__global__ void values(double *out) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int i = threadIdx.x;
  Wide wide = {i * 1.5, i * 0.25f, {short(i), short(i + 1), short(i + 2)}};
  wide = warp.shfl_down(wide, 2);
  const char byte = warp.shfl(char(i + 1), 7);
  const double number = warp.shfl_xor(i * 0.125, 1);
  const long long integer = warp.shfl_up((long long)i << 40, 4);
  const float4 quad = warp.shfl(make_float4(i, i + 1, i + 2, i + 3), 31 - warp.thread_rank());
  out[i] = wide.a + wide.b + wide.c[0] + wide.c[1] + wide.c[2] + byte + number + double(integer >> 40) + quad.w;
}

// Tiles of a divergent branch use their own mask; a sub-tile knows its parent.
__global__ void divergent(int *out) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto quad = cg::tiled_partition<4>(warp);
  int result = 0;
  if (threadIdx.x / 4 % 2 == 0) {
    result = quad.shfl(threadIdx.x, 3) + quad.ballot(1) * 1000;
    quad.sync();
  } else if (threadIdx.x / 4 % 4 == 1) {
    for (unsigned i = 0; i < quad.meta_group_rank(); ++i) result += quad.shfl_xor(threadIdx.x, 1);
  }
  cg::thread_block_tile<4> plain = quad;
  cg::thread_group any = plain;
  out[threadIdx.x] = result * 100 + plain.meta_group_rank() * 10 + any.thread_rank();
}

template <class T>
void print_sums(const char *name, T *device, int rows, int row) {
  static T host[4096];
  cudaMemcpy(host, device, rows * row * sizeof(T), cudaMemcpyDeviceToHost);
  printf("%s:", name);
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int i = 0; i < row; ++i) sum += double(host[r * row + i]) * (i % 13 + 1);
    printf(" %.1f", sum);
  }
  printf("\n");
}

int main() {
  int *out;
  cudaMalloc(&out, 4096 * sizeof(double));
  facts<32><<<1, 64>>>(out);
  print_sums("tile<32>", out, 9, 64);
  facts<16><<<1, 64>>>(out);
  print_sums("tile<16>", out, 9, 64);
  facts<8><<<1, 64>>>(out);
  print_sums("tile<8>", out, 9, 64);
  facts<4><<<1, 64>>>(out);
  print_sums("tile<4>", out, 9, 64);
  facts<2><<<1, 64>>>(out);
  print_sums("tile<2>", out, 9, 64);
  values<<<1, 32>>>(reinterpret_cast<double *>(out));
  print_sums("values", reinterpret_cast<double *>(out), 1, 32);
  divergent<<<1, 64>>>(out);
  print_sums("divergent", out, 1, 64);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
