// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Launches / few blocks whose threads do much between barriers, on many cores
//
// Few blocks whose threads do much between barriers: several OS threads share the loop over the threads of one block.
// Private arrays, tails, rows, atomics in shared and in global memory, what the next phase reads of other threads.
#include <cstdio>
#include <cstdlib>
#include <vector>

const int kMost = 1024;

__host__ __device__ unsigned mixed(unsigned value, int trips) {
  for (int trip = 0; trip < trips; ++trip) value = value * 1664525u + 1013904223u + (value >> 13);
  return value;
}

// Tiles of numbers that all threads go through; the last vector of a block may be a part.
__global__ void tiles(const unsigned *in, unsigned *out, int n, int trips) {
  __shared__ unsigned tile[kMost];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (int start = 0; start < n; start += blockDim.x) {
    tile[threadIdx.x] = in[start + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < blockDim.x; ++j) sum += mixed(tile[j] ^ i, trips) >> 5;
    __syncthreads();
  }
  out[i] = sum;
}

// Rows of threads, each with its own number of trips and an array of its own; the next phase reads another row's.
__global__ void rows(unsigned *out, int trips) {
  __shared__ unsigned kept[32][33];
  const int x = threadIdx.x, y = threadIdx.y;
  unsigned own[4] = {1u + x, 2u + y, 3u, 4u};
  for (int trip = 0; trip < trips + (x * 7 + y) % 19; ++trip) own[trip & 3] += mixed(own[(trip + 1) & 3], trip & 7);
  kept[y][x] = own[0] ^ own[1] ^ own[2] ^ own[3];
  __syncthreads();
  unsigned last = kept[(y + 1) % blockDim.y][blockDim.x - 1 - x];
  for (int trip = 0; trip < trips; ++trip) last = mixed(last, 3) + kept[trip % blockDim.y][x];
  out[blockIdx.x * blockDim.x * blockDim.y + y * blockDim.x + x] = last;
}

// Counts in shared memory, which plain operations do while one OS thread has the block, and in global memory.
__global__ void counts(unsigned *shared_counts, unsigned *global_counts, int trips) {
  __shared__ unsigned bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int trip = 0; trip < trips; ++trip) atomicAdd(&bins[mixed(threadIdx.x + trip, 3) % 16], 1u);
  __syncthreads();
  for (int trip = 0; trip < trips; ++trip) atomicAdd(&global_counts[mixed(threadIdx.x ^ trip, 2) % 16], 1u);
  if (threadIdx.x < 16) shared_counts[blockIdx.x * 16 + threadIdx.x] = bins[threadIdx.x];
}

static std::vector<unsigned> result(unsigned *device, int count) {
  std::vector<unsigned> host(count);
  cudaMemcpy(host.data(), device, count * sizeof(unsigned), cudaMemcpyDeviceToHost);
  return host;
}

static int check_tiles(unsigned *in, unsigned *out, int blocks, int threads) {
  const int n = 2 * threads, trips = 5;
  std::vector<unsigned> numbers(n);
  for (int i = 0; i < n; ++i) numbers[i] = mixed(i, 2);
  cudaMemcpy(in, numbers.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  tiles<<<blocks, threads>>>(in, out, n, trips);
  const std::vector<unsigned> got = result(out, blocks * threads);
  int wrong = 0;
  for (int i = 0; i < blocks * threads; ++i) {
    unsigned sum = 0;
    for (const unsigned number : numbers) sum += mixed(number ^ i, trips) >> 5;
    wrong += got[i] != sum;
  }
  return wrong;
}

static int check_rows(unsigned *out, int blocks, dim3 threads) {
  const int trips = 150, width = threads.x, height = threads.y;
  rows<<<blocks, threads>>>(out, trips);
  const std::vector<unsigned> got = result(out, blocks * width * height);
  std::vector<unsigned> kept(width * height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      unsigned own[4] = {1u + x, 2u + y, 3u, 4u};
      for (int t = 0; t < trips + (x * 7 + y) % 19; ++t) own[t & 3] += mixed(own[(t + 1) & 3], t & 7);
      kept[y * width + x] = own[0] ^ own[1] ^ own[2] ^ own[3];
    }
  }
  int wrong = 0;
  for (int i = 0; i < blocks * width * height; ++i) {
    const int x = i % width, y = i / width % height;
    unsigned last = kept[(y + 1) % height * width + width - 1 - x];
    for (int t = 0; t < trips; ++t) last = mixed(last, 3) + kept[t % height * width + x];
    wrong += got[i] != last;
  }
  return wrong;
}

static int check_counts(unsigned *out, int blocks, int threads) {
  const int trips = 500;
  cudaMemset(out, 0, 16 * sizeof(unsigned));
  counts<<<blocks, threads>>>(out + 16, out, trips);
  const std::vector<unsigned> got = result(out, 16 * (blocks + 1));
  std::vector<unsigned> all(16), bins(16);
  for (int thread = 0; thread < threads; ++thread) {
    for (int trip = 0; trip < trips; ++trip) {
      ++bins[mixed(thread + trip, 3) % 16];
      all[mixed(thread ^ trip, 2) % 16] += blocks;
    }
  }
  int wrong = 0;
  for (int i = 0; i < 16 * (blocks + 1); ++i) wrong += got[i] != (i < 16 ? all[i] : bins[i % 16]);
  return wrong;
}

int main() {
  setenv("WARPLOOM_NUM_THREADS", "8", 1);
  unsigned *in = nullptr, *out = nullptr;
  cudaMalloc(&in, 2 * kMost * sizeof(unsigned));
  cudaMalloc(&out, 4 * kMost * sizeof(unsigned));
  int wrong[3] = {};
  for (int round = 0; round < 3; ++round) {
    for (const int threads : {256, 200, 33}) wrong[0] += check_tiles(in, out, 1 + round, threads);
    for (const dim3 threads : {dim3(16, 12), dim3(20, 8), dim3(32, 1)}) wrong[1] += check_rows(out, 1 + round, threads);
    for (const int threads : {256, 100}) wrong[2] += check_counts(out, 1 + round, threads);
  }
  printf("tiles: %d wrong\nrows: %d wrong\ncounts: %d wrong\n", wrong[0], wrong[1], wrong[2]);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
