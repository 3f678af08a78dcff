// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The 31 kernels of table 1 of Han et al., COX: CUDA on x86 by Exposing Warp-Level Functions to CPUs, each written anew
// for what the table says of its features. A line of output a kernel; all numbers are integers that the host checks.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>

#include <numeric>
#include <vector>

namespace cg = cooperative_groups;

constexpr int kSize = 1000, kBlock = 96, kGrid = 4;

// ---- conjugate gradients: vectors, dot products and products with a sparse matrix, over a grid that synchronises

__device__ int grid_stride() { return gridDim.x * blockDim.x; }
__device__ int global_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

__device__ void init_vectors(int *r, int *x, int n) {
  for (int i = global_index(); i < n; i += grid_stride()) r[i] = i % 7 - 3, x[i] = 0;
}
__global__ void initVectors(int *r, int *x, int n) { init_vectors(r, x, n); }

// warp cooperative group
__device__ void dot(const int *a, const int *b, int n, int *result, const cg::thread_block &block) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  block.sync();
  int mine = 0;
  for (int i = global_index(); i < n; i += grid_stride()) mine += a[i] * b[i];
  const cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  for (int offset = tile.size() / 2; offset > 0; offset /= 2) mine += tile.shfl_down(mine, offset);
  if (tile.thread_rank() == 0) atomicAdd(&sum, mine);
  block.sync();
  if (threadIdx.x == 0) atomicAdd(result, sum);
}
__global__ void gpuDotProduct(const int *a, const int *b, int n, int *result) {
  dot(a, b, n, result, cg::this_thread_block());
}

__device__ void sparse_product(const int *rows, const int *columns, const int *values, const int *x, int *y, int n) {
  for (int i = global_index(); i < n; i += grid_stride()) {
    int sum = 0;
    for (int at = rows[i]; at < rows[i + 1]; ++at) sum += values[at] * x[columns[at]];
    y[i] = sum;
  }
}
__global__ void gpuSpMV(const int *rows, const int *columns, const int *values, const int *x, int *y, int n) {
  sparse_product(rows, columns, values, x, y, n);
}

__global__ void r1_div_x(const int *r1, const int *x, int *result) {
  if (threadIdx.x == 0 && blockIdx.x == 0) *result = *r1 / *x;
}
__global__ void a_minus(const int *a, int *negative) {
  if (threadIdx.x == 0 && blockIdx.x == 0) *negative = -*a;
}

// grid sync: steps that need the whole result of the last one
__global__ void gpuConjugateGradient(const int *rows, const int *columns, const int *values, int *x, int *y, int n,
                                     int *result) {
  const cg::grid_group grid = cg::this_grid();
  init_vectors(x, y, n);
  grid.sync();
  for (int step = 0; step < 3; ++step) {
    sparse_product(rows, columns, values, x, y, n);
    grid.sync();
    dot(x, y, n, result + step, cg::this_thread_block());
    grid.sync();
    for (int i = global_index(); i < n; i += grid_stride()) x[i] = (y[i] + result[step]) % 11;
    grid.sync();
  }
}

// multi grid sync: the grids of all devices, of which there is one
__global__ void multigpuConjugateGradient(const int *rows, const int *columns, const int *values, int *x, int *y, int n,
                                          int *result) {
  const cg::multi_grid_group grids = cg::this_multi_grid();
  init_vectors(x, y, n);
  grids.sync();
  for (int step = 0; step < 3; ++step) {
    sparse_product(rows, columns, values, x, y, n);
    grids.sync();
    dot(x, y, n, result + step, cg::this_thread_block());
    grids.sync();
    for (int i = global_index(); i < n; i += grid_stride()) x[i] = (y[i] + result[step] * grids.num_grids()) % 11;
    grids.sync();
  }
}

// ---- matrix products

constexpr int kTile = 8, kEdge = 24;

__device__ void product(const int *a, const int *b, int *c, int n) {
  __shared__ int as[kTile][kTile], bs[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  int sum = 0;
  for (int at = 0; at < n; at += kTile) {
    as[threadIdx.y][threadIdx.x] = a[row * n + at + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(at + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
template <int kWidth>
__global__ void MatrixMulCUDA(const int *a, const int *b, int *c) {
  product(a, b, c, kWidth);
}
__global__ void matrixMul(const int *a, const int *b, int *c, int n) { product(a, b, c, n); }
__global__ void matrixMultiplyKernel(const int *a, const int *b, int *c, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

__global__ void copyp2p(int4 *to, const int4 *from, int n) {
  for (int i = global_index(); i < n; i += grid_stride()) to[i] = from[i];
}

// ---- reductions: 0 to 3 synchronise a block cooperative group, 4 to 6 end in warps

template <class Add>
__device__ void reduce_block(const int *in, int *out, int n, Add add) {
  extern __shared__ int part[];
  const cg::thread_block block = cg::this_thread_block();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? in[i] : 0;
  block.sync();
  add(part, block);
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
__global__ void reduce0(const int *in, int *out, int n) {
  reduce_block(in, out, n, [](int *part, const cg::thread_block &block) {
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
      if (threadIdx.x % (2 * s) == 0) part[threadIdx.x] += part[threadIdx.x + s];
      block.sync();
    }
  });
}
__global__ void reduce1(const int *in, int *out, int n) {
  reduce_block(in, out, n, [](int *part, const cg::thread_block &block) {
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
      const unsigned at = 2 * s * threadIdx.x;
      if (at < blockDim.x) part[at] += part[at + s];
      block.sync();
    }
  });
}
__global__ void reduce2(const int *in, int *out, int n) {
  reduce_block(in, out, n, [](int *part, const cg::thread_block &block) {
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
      if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
      block.sync();
    }
  });
}

// The rest of a reduction in the first warp.
__device__ void finish_in_warp(int sum, const int *part, int *out, const cg::thread_block &block) {
  const cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  if (threadIdx.x < 32) {
    if (blockDim.x >= 64) sum += part[threadIdx.x + 32];
    for (int offset = tile.size() / 2; offset > 0; offset /= 2) sum += tile.shfl_down(sum, offset);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
  }
}
__device__ int halves_until(unsigned last, int sum, int *part, const cg::thread_block &block) {
  part[threadIdx.x] = sum;
  block.sync();
  for (unsigned s = blockDim.x / 2; s > last; s /= 2) {
    if (threadIdx.x < s) part[threadIdx.x] = sum = sum + part[threadIdx.x + s];
    block.sync();
  }
  return sum;
}
__device__ int two_of(const int *in, int n) {
  const unsigned i = blockIdx.x * blockDim.x * 2 + threadIdx.x;
  int sum = i < static_cast<unsigned>(n) ? in[i] : 0;
  if (i + blockDim.x < static_cast<unsigned>(n)) sum += in[i + blockDim.x];
  return sum;
}
__global__ void reduce3(const int *in, int *out, int n) {
  extern __shared__ int part[];
  const cg::thread_block block = cg::this_thread_block();
  const int sum = halves_until(0, two_of(in, n), part, block);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
__global__ void reduce4(const int *in, int *out, int n) {
  extern __shared__ int part[];
  const cg::thread_block block = cg::this_thread_block();
  const int sum = halves_until(32, two_of(in, n), part, block);
  finish_in_warp(sum, part, out, block);
}
template <unsigned kThreads>
__global__ void reduce5(const int *in, int *out, int n) {
  extern __shared__ int part[];
  const cg::thread_block block = cg::this_thread_block();
  int sum = two_of(in, n);
  part[threadIdx.x] = sum;
  block.sync();
  if (kThreads >= 128 && threadIdx.x < 64) part[threadIdx.x] = sum = sum + part[threadIdx.x + 64];
  block.sync();
  finish_in_warp(sum, part, out, block);
}
template <unsigned kThreads, bool kPower>
__global__ void reduce6(const int *in, int *out, int n) {
  extern __shared__ int part[];
  const cg::thread_block block = cg::this_thread_block();
  int sum = 0;
  for (unsigned i = blockIdx.x * kThreads * 2 + threadIdx.x; i < static_cast<unsigned>(n);
       i += kThreads * 2 * gridDim.x) {
    sum += in[i];
    if (kPower || i + kThreads < static_cast<unsigned>(n)) sum += in[i + kThreads];
  }
  part[threadIdx.x] = sum;
  block.sync();
  if (kThreads >= 128 && threadIdx.x < 64) part[threadIdx.x] = sum = sum + part[threadIdx.x + 64];
  block.sync();
  finish_in_warp(sum, part, out, block);
}

// ---- scans with warp shuffles

__device__ int scan_of_warp(int value) {
  const int lane = threadIdx.x % 32;
  for (int delta = 1; delta < 32; delta *= 2) {
    const int below = __shfl_up_sync(0xffffffff, value, delta);
    if (lane >= delta) value += below;
  }
  return value;
}
// A block for each row of 4 values a thread.
__global__ void shfl_intimage_rows(const int4 *in, int4 *out) {
  __shared__ int sums[32];
  const int at = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x / 32;
  int4 v = in[at];
  v.y += v.x, v.z += v.y, v.w += v.z;
  const int inclusive = scan_of_warp(v.w);
  if (threadIdx.x % 32 == 31) sums[warp] = inclusive;
  __syncthreads();
  int before = inclusive - v.w;
  for (int w = 0; w < warp; ++w) before += sums[w];
  out[at] = make_int4(v.x + before, v.y + before, v.z + before, v.w + before);
}
// Columns: each warp scans 32 rows of a column after a transposition through shared memory.
__global__ void shfl_vertical_shfl(int *image, int width, int height) {
  __shared__ int tile[32][33];
  const int column = blockIdx.x * 32 + threadIdx.x;
  int carry = 0;
  for (int row = 0; row < height; row += 32) {
    for (int i = threadIdx.y; i < 32; i += blockDim.y) tile[i][threadIdx.x] = image[(row + i) * width + column];
    __syncthreads();
    for (int i = threadIdx.y; i < 32; i += blockDim.y) tile[threadIdx.x][i] = scan_of_warp(tile[threadIdx.x][i]);
    __syncthreads();
    for (int i = threadIdx.y; i < 32; i += blockDim.y) image[(row + i) * width + column] = tile[i][threadIdx.x] + carry;
    carry += tile[31][threadIdx.x];
    __syncthreads();
  }
}
__global__ void shfl_scan_test(int *data, int *sums) {
  __shared__ int of_warps[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x / 32;
  int value = scan_of_warp(data[i]);
  if (threadIdx.x % 32 == 31) of_warps[warp] = value;
  __syncthreads();
  if (warp == 0) of_warps[threadIdx.x] = scan_of_warp(threadIdx.x < blockDim.x / 32 ? of_warps[threadIdx.x] : 0);
  __syncthreads();
  if (warp > 0) value += of_warps[warp - 1];
  data[i] = value;
  if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = value;
}
__global__ void uniform_add(int *data, const int *sums) {
  __shared__ int before;
  if (threadIdx.x == 0) {
    before = 0;
    for (unsigned b = 0; b < blockIdx.x; ++b) before += sums[b];
  }
  __syncthreads();
  data[blockIdx.x * blockDim.x + threadIdx.x] += before;
}

// ---- two-stage reduction with warp cooperative groups

__device__ void reduce_with_tiles(const int *in, int *out, int n) {
  __shared__ int sums[32];
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  int sum = 0;
  for (int i = global_index(); i < n; i += grid_stride()) sum += in[i];
  for (int mask = 16; mask > 0; mask /= 2) sum += tile.shfl_xor(sum, mask);
  if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = sum;
  block.sync();
  if (tile.meta_group_rank() != 0) return;
  sum = tile.thread_rank() < tile.meta_group_size() ? sums[tile.thread_rank()] : 0;
  for (int mask = 16; mask > 0; mask /= 2) sum += tile.shfl_xor(sum, mask);
  if (tile.thread_rank() == 0) out[blockIdx.x] = sum;
}
__global__ void reduce(const int *in, int *out, int n) { reduce_with_tiles(in, out, n); }
__global__ void reduceFinal(const int *in, int *out, int n) { reduce_with_tiles(in, out, n); }

__global__ void simpleKernel(int *data, int n) {
  const int i = global_index();
  if (i < n) data[i] = data[i] * 3 + 1;
}

// ---- warp votes

__global__ void VoteAnyKernel1(const int *in, int *out) {
  out[global_index()] = __any_sync(0xffffffff, in[global_index()]);
}
__global__ void VoteAllKernel2(const int *in, int *out) {
  out[global_index()] = __all_sync(0xffffffff, in[global_index()]);
}
__global__ void VoteAnyKernel3(bool *out, int warp_size) {
  bool *const mine = out + 3 * threadIdx.x;
  mine[0] = __any_sync(0xffffffff, threadIdx.x >= warp_size * 3 / 2);
  mine[1] = threadIdx.x >= warp_size * 3 / 2;
  mine[2] = __all_sync(0xffffffff, threadIdx.x >= warp_size * 3 / 2);
}

__global__ void spinWhileLessThanone(volatile int *flag, int *out) {
  if (threadIdx.x == 32) {
    __threadfence_block();
    *flag = 1;
  } else {
    while (*flag < 1) {
    }
  }
  out[threadIdx.x] = *flag;
}

__global__ void vectorAdd(const int *a, const int *b, int *c, int n) {
  const int i = global_index();
  if (i < n) c[i] = a[i] + b[i];
}

// activated thread sync: one atomic for all active threads
__global__ void filter_arr(int *to, int *count, const int *from, int n) {
  const int i = global_index();
  if (i >= n || from[i] <= 0) return;
  const cg::coalesced_group active = cg::coalesced_threads();
  int first = 0;
  if (active.thread_rank() == 0) first = atomicAdd(count, static_cast<int>(active.size()));
  to[active.shfl(first, 0) + active.thread_rank()] = from[i];
}

// ---- the host's side

struct Managed {
  int *data;
  explicit Managed(int n) { cudaMallocManaged(&data, n * sizeof(int)), cudaMemset(data, 0, n * sizeof(int)); }
  ~Managed() { cudaFree(data); }
  operator int *() const { return data; }
};

static void judge(const char *name, int wrong) {
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s: %s\n", name, error != cudaSuccess ? cudaGetErrorName(error) : wrong == 0 ? "right" : "wrong");
}
static int differing(const int *found, const std::vector<int> &expected) {
  cudaDeviceSynchronize();
  int count = 0;
  for (size_t i = 0; i < expected.size(); ++i) count += found[i] != expected[i];
  return count;
}

struct Matrix {  // three diagonals
  Managed rows{kSize + 1}, columns{3 * kSize}, values{3 * kSize};
  Matrix() {
    int at = 0;
    for (int i = 0; i < kSize; ++i) {
      rows[i] = at;
      for (int j = i - 1; j <= i + 1; ++j)
        if (j >= 0 && j < kSize) columns[at] = j, values[at++] = i == j ? 2 : -1;
    }
    rows[kSize] = at;
  }
  std::vector<int> times(const std::vector<int> &x) const {
    std::vector<int> y(kSize);
    for (int i = 0; i < kSize; ++i)
      for (int at = rows[i]; at < rows[i + 1]; ++at) y[i] += values[at] * x[columns[at]];
    return y;
  }
};

static void conjugate_gradients() {
  const Matrix matrix;
  Managed x(kSize), y(kSize), result(8);
  initVectors<<<kGrid, kBlock>>>(x, y, kSize);
  std::vector<int> start(kSize);
  for (int i = 0; i < kSize; ++i) start[i] = i % 7 - 3;
  judge("initVectors", differing(x, start));
  gpuDotProduct<<<kGrid, kBlock>>>(x, x, kSize, result);
  const int squares = std::inner_product(start.begin(), start.end(), start.begin(), 0);
  judge("gpuDotProduct", differing(result, {squares}));
  gpuSpMV<<<kGrid, kBlock>>>(matrix.rows, matrix.columns, matrix.values, x, y, kSize);
  judge("gpuSpMV", differing(y, matrix.times(start)));
  cudaDeviceSynchronize();
  result[1] = 37;
  r1_div_x<<<1, 1>>>(result, result + 1, result + 2);
  judge("r1_div_x", differing(result + 2, {squares / 37}));
  a_minus<<<1, 1>>>(result, result + 3);
  judge("a_minus", differing(result + 3, {-squares}));
  std::vector<int> steps, now = start;
  for (int step = 0; step < 3; ++step) {
    const std::vector<int> next = matrix.times(now);
    steps.push_back(std::inner_product(now.begin(), now.end(), next.begin(), 0));
    for (int i = 0; i < kSize; ++i) now[i] = (next[i] + steps.back()) % 11;
  }
  int *px = x, *py = y, *rows = matrix.rows, *columns = matrix.columns, *values = matrix.values, n = kSize;
  for (const bool multi : {false, true}) {
    Managed sums(4);
    int *out = sums;
    void *arguments[] = {&rows, &columns, &values, &px, &py, &n, &out};
    if (multi) {
      cudaStream_t stream;
      cudaStreamCreate(&stream);
      cudaLaunchParams parameters = {(void *)multigpuConjugateGradient, 2, kBlock, arguments, 0, stream};
      cudaLaunchCooperativeKernelMultiDevice(&parameters, 1, 0);
    } else {
      cudaLaunchCooperativeKernel((void *)gpuConjugateGradient, 2, kBlock, arguments, 0, nullptr);
    }
    judge(multi ? "multigpuConjugateGradient" : "gpuConjugateGradient", differing(sums, steps) + differing(x, now));
  }
}

static void products() {
  Managed a(kEdge * kEdge), b(kEdge * kEdge), c(kEdge * kEdge);
  std::vector<int> expected(kEdge * kEdge);
  for (int i = 0; i < kEdge * kEdge; ++i) a[i] = i % 13 - 6, b[i] = i % 17 - 8;
  for (int row = 0; row < kEdge; ++row)
    for (int column = 0; column < kEdge; ++column)
      for (int k = 0; k < kEdge; ++k) expected[row * kEdge + column] += a[row * kEdge + k] * b[k * kEdge + column];
  const dim3 grid(kEdge / kTile, kEdge / kTile), block(kTile, kTile);
  const auto check = [&](const char *name, auto launch) {
    cudaMemset(c, 0, kEdge * kEdge * sizeof(int));
    launch();
    judge(name, differing(c, expected));
  };
  check("MatrixMulCUDA", [&] { MatrixMulCUDA<kEdge><<<grid, block>>>(a, b, c); });
  check("matrixMul", [&] { matrixMul<<<grid, block>>>(a, b, c, kEdge); });
  check("matrixMultiplyKernel", [&] { matrixMultiplyKernel<<<grid, block>>>(a, b, c, kEdge); });
}

static void sums() {
  Managed in(1024), out(64), last(1);
  for (int i = 0; i < 1024; ++i) in[i] = i % 19 - 7;
  const int total = std::accumulate(in.data, in.data + kSize, 0);
  const auto check = [&](const char *name, int blocks, auto launch) {
    cudaMemset(out, 0, 64 * sizeof(int));
    launch(blocks);
    cudaDeviceSynchronize();
    judge(name, std::accumulate(out.data, out.data + blocks, 0) != total);
  };
  constexpr int kThreads = 128, kBytes = kThreads * sizeof(int);
  check("reduce0", 8, [&](int blocks) { reduce0<<<blocks, kThreads, kBytes>>>(in, out, kSize); });
  check("reduce1", 8, [&](int blocks) { reduce1<<<blocks, kThreads, kBytes>>>(in, out, kSize); });
  check("reduce2", 8, [&](int blocks) { reduce2<<<blocks, kThreads, kBytes>>>(in, out, kSize); });
  check("reduce3", 4, [&](int blocks) { reduce3<<<blocks, kThreads, kBytes>>>(in, out, kSize); });
  check("reduce4", 4, [&](int blocks) { reduce4<<<blocks, kThreads, kBytes>>>(in, out, kSize); });
  check("reduce5", 4, [&](int blocks) { reduce5<kThreads><<<blocks, kThreads, kBytes>>>(in, out, kSize); });
  check("reduce6", 3, [&](int blocks) { reduce6<kThreads, false><<<blocks, kThreads, kBytes>>>(in, out, kSize); });
  check("reduce", 3, [&](int blocks) { reduce<<<blocks, 96>>>(in, out, kSize); });
  reduceFinal<<<1, 64>>>(out, last, 3);
  judge("reduceFinal", differing(last, {total}));
}

static void scans() {
  constexpr int kWidth = 512, kHeight = 64;
  Managed image(kWidth * kHeight), rows(kWidth * kHeight), columns(8);
  std::vector<int> expected(kWidth * kHeight);
  for (int i = 0; i < kWidth * kHeight; ++i) image[i] = i % 5 - 1;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0, sum = 0; x < kWidth; ++x) expected[y * kWidth + x] = sum += image[y * kWidth + x];
  shfl_intimage_rows<<<kHeight, kWidth / 4>>>(reinterpret_cast<int4 *>(image.data),
                                              reinterpret_cast<int4 *>(rows.data));
  judge("shfl_intimage_rows", differing(rows, expected));
  for (int y = 1; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) expected[y * kWidth + x] += expected[(y - 1) * kWidth + x];
  shfl_vertical_shfl<<<kWidth / 32, dim3(32, 8)>>>(rows, kWidth, kHeight);
  judge("shfl_vertical_shfl", differing(rows, expected));
  constexpr int n = 1024, kThreads = 256;
  Managed data(n), block_sums(n / kThreads);
  std::vector<int> inside(n), over(n);
  for (int i = 0; i < n; ++i) {
    data[i] = i % 23 - 9;
    inside[i] = data[i] + (i % kThreads == 0 ? 0 : inside[i - 1]);
    over[i] = data[i] + (i == 0 ? 0 : over[i - 1]);
  }
  shfl_scan_test<<<n / kThreads, kThreads>>>(data, block_sums);
  judge("shfl_scan_test", differing(data, inside));
  uniform_add<<<n / kThreads, kThreads>>>(data, block_sums);
  judge("uniform_add", differing(data, over));
}

static void votes() {
  Managed in(128), out(128), flags(160);
  std::vector<int> any(128), all(128);
  for (int i = 0; i < 128; ++i) in[i] = i < 32 ? 0 : i < 64 ? i == 40 : i < 96 ? 1 : i != 99;
  for (int i = 32; i < 128; ++i) any[i] = 1, all[i] = i >= 64 && i < 96;
  VoteAnyKernel1<<<2, 64>>>(in, out);
  judge("VoteAnyKernel1", differing(out, any));
  VoteAllKernel2<<<2, 64>>>(in, out);
  judge("VoteAllKernel2", differing(out, all));
  bool *const marks = reinterpret_cast<bool *>(flags.data);
  VoteAnyKernel3<<<1, 96>>>(marks, 32);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < 96; ++i)
    wrong += marks[3 * i] != (i >= 32) || marks[3 * i + 1] != (i >= 48) || marks[3 * i + 2] != (i >= 64);
  judge("VoteAnyKernel3", wrong);
}

static void others() {
  Managed a(1024), b(1024), c(1024), count(1), flag(1);
  for (int i = 0; i < 1024; ++i) a[i] = i % 29 - 14, b[i] = i * 3;
  copyp2p<<<2, 50>>>(reinterpret_cast<int4 *>(c.data), reinterpret_cast<int4 *>(a.data), 256);
  judge("copyp2p", differing(c, std::vector<int>(a.data, a.data + 1024)));
  std::vector<int> expected(kSize);
  for (int i = 0; i < kSize; ++i) expected[i] = a[i] + b[i];
  vectorAdd<<<11, 96>>>(a, b, c, kSize);
  judge("vectorAdd", differing(c, expected));
  for (int &value : expected) value = value * 3 + 1;
  simpleKernel<<<11, 96>>>(c, kSize);
  judge("simpleKernel", differing(c, expected));
  spinWhileLessThanone<<<1, 64>>>(flag, c);
  judge("spinWhileLessThanone", differing(c, std::vector<int>(64, 1)));
  filter_arr<<<11, 96>>>(c, count, a, kSize);
  cudaDeviceSynchronize();
  int positive = 0, sum = 0;
  for (int i = 0; i < kSize; ++i)
    if (a[i] > 0) ++positive, sum += a[i];
  judge("filter_arr", *count != positive || std::accumulate(c.data, c.data + positive, 0) != sum);
}

int main() {
  conjugate_gradients();
  products();
  sums();
  scans();
  votes();
  others();
  return 0;
}
