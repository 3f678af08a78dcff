// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Cooperative groups / reduce, scans, memcpy_async, invoke_one
//
// reduce, scans, memcpy_async, invoke_one: over tiles, wide tiles and coalesced groups, with CUDA's operators and
// others.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cstdio>
#include <cuda/barrier>

namespace cg = cooperative_groups;

struct Pair {
  float value;
  int index;
  double weight;
};

template <unsigned Size>
__global__ void reductions(double *out) {
  auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
  const int i = threadIdx.x, mixed = (i * 37) % 101 - 50;
  double *row = out + i;
  row[0 * 64] = cg::reduce(tile, mixed, cg::plus<int>());
  row[1 * 64] = cg::reduce(tile, mixed, cg::less<int>());
  row[2 * 64] = cg::reduce(tile, mixed, cg::greater<int>());
  row[3 * 64] = cg::reduce(tile, unsigned(mixed), cg::less<unsigned>());
  row[4 * 64] = cg::reduce(tile, 1u << (i % 13), cg::bit_or<unsigned>());
  row[5 * 64] = cg::reduce(tile, ~(1u << (i % 13)), cg::bit_and<unsigned>());
  row[6 * 64] = cg::reduce(tile, unsigned(i * i), cg::bit_xor<unsigned>());
  row[7 * 64] = cg::reduce(tile, mixed * 0.25f, cg::plus<float>());
  row[8 * 64] = cg::reduce(tile, mixed * 0.5, cg::greater<double>());
  row[9 * 64] = cg::reduce(tile, (long long)mixed << 33, cg::less<long long>()) >> 33;
  row[10 * 64] = 0;
  if constexpr (Size <= 32) {  // wider tiles take at most 8 bytes
    const auto larger = [](const Pair &a, const Pair &b) { return a.value > b.value ? a : b; };
    const Pair best = cg::reduce(tile, Pair{float(mixed), i, i * 0.5}, larger);
    row[10 * 64] = best.value + best.index * 100 + best.weight * 10000;
  }
}

__global__ void coalesced_reductions(double *out) {
  const int i = threadIdx.x;
  double *row = out + i;
  for (int r = 0; r < 6; ++r) row[r * 64] = 0;
  if (i % 3 != 1 && i < 30) {
    auto g = cg::coalesced_threads();
    row[0 * 64] = cg::reduce(g, i, cg::plus<int>());
    row[1 * 64] = cg::reduce(g, i * 0.5f, cg::greater<float>());
    row[2 * 64] = cg::inclusive_scan(g, i, cg::plus<int>());
    row[3 * 64] = cg::exclusive_scan(g, i, cg::plus<int>());
    row[4 * 64] = cg::inclusive_scan(g, (i * 7) % 11, cg::greater<int>());
    row[5 * 64] = cg::reduce(g, i + 1.0, [](double a, double b) { return a > b ? a : b; });
  }
}

template <unsigned Size>
__global__ void scans(double *out) {
  auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
  const int i = threadIdx.x, mixed = (i * 37) % 101 - 50;
  double *row = out + i;
  row[0 * 64] = cg::inclusive_scan(tile, mixed);
  row[1 * 64] = cg::inclusive_scan(tile, mixed, cg::less<int>());
  row[2 * 64] = cg::exclusive_scan(tile, mixed);
  row[3 * 64] = cg::exclusive_scan(tile, mixed * 0.5f, cg::plus<float>());
  row[4 * 64] = cg::inclusive_scan(tile, unsigned(i), cg::bit_xor<unsigned>());
  row[5 * 64] = cg::inclusive_scan(tile, double(i), [](double a, double b) { return a + b; });
}

__global__ void copies(const int *source, int *out) {
  __shared__ int staged[192];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, staged, source, sizeof(int) * 128);
  cg::wait(block);
  auto tile = cg::tiled_partition<32>(block);
  int *part = staged + 128 + tile.meta_group_rank() * 32;
  cg::memcpy_async(tile, part, source + tile.meta_group_rank() * 7, sizeof(int) * 29);
  cg::wait(tile);
  if (tile.thread_rank() >= 29) part[tile.thread_rank()] = 0;
  cg::memcpy_async(block, staged, cuda::aligned_size_t<16>(64), staged + 64, cuda::aligned_size_t<16>(64));
  cg::wait_prior<0>(block);
  for (int i = threadIdx.x; i < 192; i += blockDim.x) out[i] = staged[i];
}

__global__ void chosen(int *counter, int *out) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  cg::invoke_one(tile, [&] { atomicAdd(counter, 1); });
  const int ticket = cg::invoke_one_broadcast(tile, [&] { return atomicAdd(counter + 1, 10); });
  out[threadIdx.x] = ticket >= 0 && ticket % 10 == 0 && tile.all(ticket == tile.shfl(ticket, 0));
}

void print_rows(const char *name, const double *device, int rows) {
  static double host[64 * 16];
  cudaMemcpy(host, device, rows * 64 * sizeof(double), cudaMemcpyDeviceToHost);
  printf("%s:", name);
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int i = 0; i < 64; ++i) sum += host[r * 64 + i] * (i % 13 + 1);
    printf(" %.2f", sum);
  }
  printf("\n");
}

int main() {
  double *out;
  cudaMalloc(&out, 64 * 16 * sizeof(double));
  cudaMemset(out, 0, 64 * 16 * sizeof(double));
  reductions<64><<<1, 64>>>(out);
  print_rows("reduce<64>", out, 11);
  reductions<32><<<1, 64>>>(out);
  print_rows("reduce<32>", out, 11);
  reductions<8><<<1, 64>>>(out);
  print_rows("reduce<8>", out, 11);
  reductions<1><<<1, 64>>>(out);
  print_rows("reduce<1>", out, 11);
  coalesced_reductions<<<1, 64>>>(out);
  print_rows("coalesced", out, 6);
  scans<64><<<1, 64>>>(out);
  print_rows("scan<64>", out, 6);
  scans<32><<<1, 64>>>(out);
  print_rows("scan<32>", out, 6);
  scans<4><<<1, 64>>>(out);
  print_rows("scan<4>", out, 6);
  int source[128], result[192], *device, *copied;
  for (int i = 0; i < 128; ++i) source[i] = i * i % 97;
  cudaMalloc(&device, sizeof source);
  cudaMalloc(&copied, sizeof result);
  cudaMemcpy(device, source, sizeof source, cudaMemcpyHostToDevice);
  copies<<<1, 64>>>(device, copied);
  cudaMemcpy(result, copied, sizeof result, cudaMemcpyDeviceToHost);
  int sum = 0;
  for (int i = 0; i < 192; ++i) sum += result[i] * (i % 17);
  printf("copies %d\n", sum);
  cudaMemset(device, 0, sizeof source);
  chosen<<<1, 64>>>(device, copied);
  cudaMemcpy(source, device, sizeof source, cudaMemcpyDeviceToHost);
  cudaMemcpy(result, copied, sizeof result, cudaMemcpyDeviceToHost);
  sum = 0;
  for (int i = 0; i < 64; ++i) sum += result[i];
  printf("invoke_one %d, broadcast %d, right %d\n", source[0], source[1], sum);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
