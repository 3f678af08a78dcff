// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose threads wait for each other: what an engine that turns threads into loops has to be good at. Each line
// of the output is `name milliseconds checksum` (CPU time). All values are small integers, in floating point too: no
// order of additions changes a sum, so every engine must print the same checksums. bench/barrier_kernels.py compares
// two.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

const int kTile = 16;
const int kThreads = 256;
const int kBlocks = 128;
const int kCount = kBlocks * kThreads;
const int kSide = 192;  // of matrices and images

__global__ void tiled_matmul(const float *a, const float *b, float *c, int n) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  int x = threadIdx.x, y = threadIdx.y;
  int column = blockIdx.x * kTile + x, row = blockIdx.y * kTile + y;
  float sum = 0;
  for (int start = 0; start < n; start += kTile) {
    tile_a[y][x] = a[row * n + start + x];
    tile_b[y][x] = b[(start + y) * n + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void tree_reduction(const float *in, float *out) {
  __shared__ float partial[kThreads];
  int t = threadIdx.x;
  partial[t] = in[blockIdx.x * kThreads + t];
  __syncthreads();
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    if (t < stride) partial[t] += partial[t + stride];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = partial[0];
}

// Work-efficient exclusive scan of two elements a thread.
__global__ void work_efficient_scan(const int *in, int *out) {
  __shared__ int tree[2 * kThreads];
  int t = threadIdx.x, base = blockIdx.x * 2 * kThreads, offset = 1;
  tree[2 * t] = in[base + 2 * t];
  tree[2 * t + 1] = in[base + 2 * t + 1];
  for (int nodes = kThreads; nodes > 0; nodes /= 2, offset *= 2) {
    __syncthreads();
    if (t < nodes) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
  }
  if (t == 0) tree[2 * kThreads - 1] = 0;
  for (int nodes = 1; nodes <= kThreads; nodes *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < nodes) {
      int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1;
      int kept = tree[left];
      tree[left] = tree[right];
      tree[right] += kept;
    }
  }
  __syncthreads();
  out[base + 2 * t] = tree[2 * t];
  out[base + 2 * t + 1] = tree[2 * t + 1];
}

// A few steps of a five-point stencil on each tile, whose border stays as it is.
__global__ void tiled_stencil(const float *in, float *out, int n, int steps) {
  __shared__ float now[kTile][kTile], next[kTile][kTile];
  int x = threadIdx.x, y = threadIdx.y;
  int place = (blockIdx.y * kTile + y) * n + blockIdx.x * kTile + x;
  bool inside = x > 0 && x < kTile - 1 && y > 0 && y < kTile - 1;
  now[y][x] = in[place];
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    if (inside) next[y][x] = now[y - 1][x] + now[y + 1][x] + now[y][x - 1] + now[y][x + 1] - 3.0f * now[y][x];
    __syncthreads();
    if (inside) now[y][x] = next[y][x];
    __syncthreads();
  }
  out[place] = now[y][x];
}

__global__ void shuffle_reduction(const int *in, int *out) {
  __shared__ int of_warp[kThreads / 32];
  int t = threadIdx.x, value = in[blockIdx.x * kThreads + t];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset);
  if (t % 32 == 0) of_warp[t / 32] = value;
  __syncthreads();
  if (t < 32) {
    value = t < kThreads / 32 ? of_warp[t] : 0;
    for (int offset = 4; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
    if (t == 0) out[blockIdx.x] = value;
  }
}

// Keeps the odd elements of each warp's part, in order, and counts them.
__global__ void ballot_compaction(const int *in, int *out, int *counts) {
  int t = threadIdx.x, lane = t % 32, first = blockIdx.x * kThreads + t - lane;
  int value = in[first + lane];
  bool keep = value % 2 != 0;
  unsigned kept = __ballot_sync(~0u, keep);
  if (keep) out[first + __popc(kept & ((1u << lane) - 1))] = value;
  if (lane == 0) counts[first / 32] = __popc(kept);
}

__global__ void bitonic_sort(const int *in, int *out) {
  __shared__ int values[2 * kThreads];
  int t = threadIdx.x, base = blockIdx.x * 2 * kThreads;
  values[t] = in[base + t];
  values[t + kThreads] = in[base + t + kThreads];
  for (int size = 2; size <= 2 * kThreads; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      int low = 2 * t - (t & (stride - 1)), high = low + stride;
      bool up = (low & size) == 0;
      int a = values[low], b = values[high];
      if ((a > b) == up) {
        values[low] = b;
        values[high] = a;
      }
    }
  __syncthreads();
  out[base + t] = values[t];
  out[base + t + kThreads] = values[t + kThreads];
}

__global__ void shared_histogram(const int *in, int *out, int count) {
  __shared__ int bins[kThreads];
  int t = threadIdx.x;
  bins[t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * kThreads + t; i < count; i += gridDim.x * kThreads) atomicAdd(&bins[in[i] & 255], 1);
  __syncthreads();
  if (bins[t] != 0) atomicAdd(&out[t], bins[t]);
}

__global__ void tiled_transpose(const float *in, float *out, int n) {
  __shared__ float tile[32][33];
  int x = threadIdx.x, y = threadIdx.y;
  for (int i = 0; i < 32; i += 8) tile[y + i][x] = in[(blockIdx.y * 32 + y + i) * n + blockIdx.x * 32 + x];
  __syncthreads();
  for (int i = 0; i < 32; i += 8) out[(blockIdx.x * 32 + y + i) * n + blockIdx.y * 32 + x] = tile[x][y + i];
}

// One layer of a neural network: each block multiplies 16 inputs by their 16 weights and adds each unit's products.
__global__ void layer_forward(const float *input, float *weights, float *sums, int units) {
  __shared__ float node[kTile], products[kTile][kTile];
  int x = threadIdx.x, y = threadIdx.y;
  int place = (blockIdx.x * kTile + y) * units + x;
  if (x == 0) node[y] = input[blockIdx.x * kTile + y];
  __syncthreads();
  products[y][x] = weights[place];
  __syncthreads();
  products[y][x] *= node[y];
  __syncthreads();
  for (int power = 2; power <= kTile; power *= 2) {
    if (y % power == 0) products[y][x] += products[y + power / 2][x];
    __syncthreads();
  }
  weights[place] = products[y][x];
  __syncthreads();
  if (x == 0) sums[blockIdx.x * units + y] = products[0][y];
}

// -- measuring --------------------------------------------------------------------------------------------------------

int rounds = 5;

template <class T>
T *device(const std::vector<T> &values) {
  T *memory;
  cudaMalloc(&memory, values.size() * sizeof(T));
  cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return memory;
}

template <class T>
unsigned long long checksum(const T *memory, int count) {
  std::vector<T> values(count);
  cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost);
  unsigned long long sum = 1469598103934665603ull;
  for (T value : values) {
    unsigned bits;
    std::memcpy(&bits, &value, sizeof bits);
    sum = (sum ^ bits) * 1099511628211ull;
  }
  return sum;
}

// CPU time of all threads of the process: what else runs on the machine does not count.
double milliseconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

template <class T, class Launch>
void report(const char *name, const T *result, int count, Launch launch) {
  launch();
  cudaDeviceSynchronize();
  unsigned long long sum = checksum(result, count);
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    const double start = milliseconds();
    launch();
    cudaDeviceSynchronize();
    times.push_back(milliseconds() - start);
  }
  std::sort(times.begin(), times.end());
  std::printf("%s %.6f %016llx\n", name, times[times.size() / 2], sum);
}

int main(int argc, char **argv) {
  if (argc > 1) rounds = std::atoi(argv[1]);
  std::vector<int> numbers(2 * kCount);
  std::vector<float> reals(2 * kCount);
  unsigned state = 1;
  for (int i = 0; i < 2 * kCount; ++i) {
    state = state * 1664525u + 1013904223u;
    numbers[i] = state >> 16;
    reals[i] = static_cast<float>(state >> 29);
  }
  const int *in = device(numbers);
  const float *real = device(reals);
  int *out = device(std::vector<int>(2 * kCount)), *counts = device(std::vector<int>(kCount));
  float *real_out = device(std::vector<float>(2 * kCount)), *weights = device(std::vector<float>(reals));
  const int kArea = kSide * kSide;
  const dim3 tile(kTile, kTile), tiles(kSide / kTile, kSide / kTile);

  report("tiled_matmul", real_out, kArea, [&] { tiled_matmul<<<tiles, tile>>>(real, real + 1000, real_out, kSide); });
  report("tree_reduction", real_out, kBlocks, [&] { tree_reduction<<<kBlocks, kThreads>>>(real, real_out); });
  report("work_efficient_scan", out, 2 * kCount, [&] { work_efficient_scan<<<kBlocks, kThreads>>>(in, out); });
  report("tiled_stencil", real_out, kArea, [&] { tiled_stencil<<<tiles, tile>>>(real, real_out, kSide, 4); });
  report("shuffle_reduction", out, kBlocks, [&] { shuffle_reduction<<<kBlocks, kThreads>>>(in, out); });
  cudaMemset(out, 0, kCount * sizeof *out);
  report("ballot_compaction", out, kCount, [&] { ballot_compaction<<<kBlocks, kThreads>>>(in, out, counts); });
  report("bitonic_sort", out, 2 * kCount, [&] { bitonic_sort<<<kBlocks, kThreads>>>(in, out); });
  cudaMemset(out, 0, 256 * sizeof *out);
  report("shared_histogram", out, 256, [&] { shared_histogram<<<16, kThreads>>>(in, out, 2 * kCount); });
  report("tiled_transpose", real_out, kArea,
         [&] { tiled_transpose<<<dim3(kSide / 32, kSide / 32), dim3(32, 8)>>>(real, real_out, kSide); });
  report("layer_forward", real_out, kBlocks * kTile,
         [&] { layer_forward<<<kBlocks, tile>>>(real, weights, real_out, kTile); });
}
