// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / k means
// Lloyd's algorithm on integer points: nearest centre per thread, sums by shared then global atomics, host loop to
// rest.
#include "check.h"

const int kCentres = 5;

__global__ void assign(const int2 *points, int n, const int2 *centres, int *owner, int *sums) {
  __shared__ int local[3 * kCentres];
  if (threadIdx.x < 3 * kCentres) local[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int best = 0, least = 1 << 30;
    for (int c = 0; c < kCentres; ++c) {
      int dx = points[i].x - centres[c].x, dy = points[i].y - centres[c].y;
      if (dx * dx + dy * dy < least) {
        least = dx * dx + dy * dy;
        best = c;
      }
    }
    owner[i] = best;
    atomicAdd(&local[3 * best], points[i].x);
    atomicAdd(&local[3 * best + 1], points[i].y);
    atomicAdd(&local[3 * best + 2], 1);
  }
  __syncthreads();
  if (threadIdx.x < 3 * kCentres) atomicAdd(&sums[threadIdx.x], local[threadIdx.x]);
}

void assign_on_host(const std::vector<int2> &points, const std::vector<int2> &centres, std::vector<int> *owner,
                    std::vector<int> *sums) {
  sums->assign(3 * kCentres, 0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    int best = 0, least = 1 << 30;
    for (int c = 0; c < kCentres; ++c) {
      int dx = points[i].x - centres[c].x, dy = points[i].y - centres[c].y;
      if (dx * dx + dy * dy < least) {
        least = dx * dx + dy * dy;
        best = c;
      }
    }
    (*owner)[i] = best;
    (*sums)[3 * best] += points[i].x;
    (*sums)[3 * best + 1] += points[i].y;
    (*sums)[3 * best + 2] += 1;
  }
}

std::vector<int2> moved(const std::vector<int> &sums, std::vector<int2> centres) {
  for (int c = 0; c < kCentres; ++c)
    if (sums[3 * c + 2] > 0) centres[c] = int2{sums[3 * c] / sums[3 * c + 2], sums[3 * c + 1] / sums[3 * c + 2]};
  return centres;
}

int main() {
  const int n = 700;
  std::vector<int2> points(n);
  Lcg lcg{15};
  for (int2 &point : points) point = int2{lcg.below(1000), lcg.below(1000)};
  std::vector<int2> want_centres(points.begin(), points.begin() + kCentres), centres = want_centres;
  std::vector<int> want_owner(n), sums;
  int2 *device_points = upload(points), *device_centres = upload(centres);
  int *owner = device_zeros<int>(n), *device_sums = device_zeros<int>(3 * kCentres);
  for (int round = 0; round < 12; ++round) {
    assign_on_host(points, want_centres, &want_owner, &sums);
    want_centres = moved(sums, want_centres);
    CHECK(cudaMemset(device_sums, 0, 3 * kCentres * sizeof(int)));
    assign<<<(n + 63) / 64, 64>>>(device_points, n, device_centres, owner, device_sums);
    centres = moved(download(device_sums, 3 * kCentres), centres);
    CHECK(cudaMemcpy(device_centres, centres.data(), kCentres * sizeof(int2), cudaMemcpyHostToDevice));
  }
  compare("centres", want_centres, centres);
  compare("owners", want_owner, download(owner, n));
  for (int2 centre : want_centres) std::printf("(%d, %d) ", centre.x, centre.y);
  std::printf("\n");
  return 0;
}
