// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forty-three kernels of the kinds that people write, for measuring how long they take to compile
// (bench/compile_time.py).
#include <cfloat>
#include <cstdio>

constexpr int kTile = 16;
constexpr int kBlock = 256;
__constant__ float weights[9];

// One element a thread.

__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void add_strided(int n, const double *a, const double *b, double *c) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = a[i] + b[i];
}

__global__ void relu(int n, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = fmaxf(x[i], 0.0f);
}

__global__ void sigmoid(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}

__global__ void adam(int n, float *w, float *m, float *v, const float *g, float rate, float b1, float b2, float eps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float grad = g[i];
  m[i] = b1 * m[i] + (1 - b1) * grad;
  v[i] = b2 * v[i] + (1 - b2) * grad * grad;
  w[i] -= rate * m[i] / (sqrtf(v[i]) + eps);
}

__global__ void copy_float4(int n, const float4 *from, float4 *to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

__global__ void gather(int n, const int *index, const float *from, float *to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[index[i]];
}

__global__ void scatter(int n, const int *index, const float *from, float *to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[index[i]] = from[i];
}

__global__ void gray(int width, int height, const uchar4 *image, unsigned char *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  uchar4 p = image[y * width + x];
  out[y * width + x] = (unsigned char)(0.299f * p.x + 0.587f * p.y + 0.114f * p.z);
}

__global__ void black_scholes(int n, const float *price, const float *strike, const float *years, float *call) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float root = sqrtf(years[i]), d1 = (logf(price[i] / strike[i]) + 0.06f * years[i]) / (0.3f * root);
  float d2 = d1 - 0.3f * root;
  call[i] = price[i] * normcdff(d1) - strike[i] * expf(-0.02f * years[i]) * normcdff(d2);
}

__global__ void mandelbrot(int width, int height, int rounds, int *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float cr = 3.0f * x / width - 2.0f, ci = 2.0f * y / height - 1.0f, zr = 0, zi = 0;
  int count = 0;
  while (count < rounds && zr * zr + zi * zi < 4.0f) {
    float next = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = next;
    ++count;
  }
  out[y * width + x] = count;
}

__global__ void monte_carlo(int rounds, unsigned *hits) {
  unsigned state = blockIdx.x * blockDim.x + threadIdx.x + 1, inside = 0;
  for (int i = 0; i < rounds; ++i) {
    state = state * 1664525u + 1013904223u;
    float x = (state >> 8) * 0x1p-24f;
    state = state * 1664525u + 1013904223u;
    float y = (state >> 8) * 0x1p-24f;
    inside += x * x + y * y < 1.0f;
  }
  atomicAdd(hits, inside);
}

__global__ void nbody_direct(int n, const float4 *bodies, float3 *forces) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float3 sum = make_float3(0, 0, 0);
  float4 me = bodies[i];
  for (int j = 0; j < n; ++j) {
    float4 other = bodies[j];
    float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-9f);
    float s = other.w * inverse * inverse * inverse;
    sum.x += dx * s, sum.y += dy * s, sum.z += dz * s;
  }
  forces[i] = sum;
}

// Stencils and images.

__global__ void jacobi(int width, int height, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  int i = y * width + x;
  out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}

__global__ void heat_3d(int nx, int ny, int nz, const double *in, double *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
  for (int z = 1; z < nz - 1; ++z) {
    int i = (z * ny + y) * nx + x;
    out[i] =
        in[i] + 0.1 * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny] - 6 * in[i]);
  }
}

__global__ void stencil_shared(int n, const float *in, float *out) {
  __shared__ float s[kBlock + 6];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + 3;
  s[t] = i < n ? in[i] : 0;
  if (threadIdx.x < 3) {
    s[t - 3] = i >= 3 ? in[i - 3] : 0;
    s[t + kBlock] = i + kBlock < n ? in[i + kBlock] : 0;
  }
  __syncthreads();
  float sum = 0;
  for (int k = -3; k <= 3; ++k) sum += s[t + k];
  if (i < n) out[i] = sum;
}

__global__ void convolve_constant(int width, int height, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      int cx = min(max(x + dx, 0), width - 1), cy = min(max(y + dy, 0), height - 1);
      sum += in[cy * width + cx] * weights[(dy + 1) * 3 + dx + 1];
    }
  }
  out[y * width + x] = sum;
}

__global__ void convolve_tiled(int width, int height, const float *in, float *out) {
  __shared__ float s[kTile + 2][kTile + 2];
  int left = blockIdx.x * kTile - 1, top = blockIdx.y * kTile - 1;
  for (int y = threadIdx.y; y < kTile + 2; y += kTile) {
    for (int x = threadIdx.x; x < kTile + 2; x += kTile) {
      int cx = left + x, cy = top + y;
      s[y][x] = cx >= 0 && cy >= 0 && cx < width && cy < height ? in[cy * width + cx] : 0;
    }
  }
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 9; ++k) sum += s[threadIdx.y + k / 3][threadIdx.x + k % 3] * weights[k];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = sum;
}

__global__ void sobel(int width, int height, const unsigned char *in, unsigned char *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const unsigned char *p = in + y * width + x;
  int gx = p[1 - width] + 2 * p[1] + p[1 + width] - p[-1 - width] - 2 * p[-1] - p[-1 + width];
  int gy = p[width - 1] + 2 * p[width] + p[width + 1] - p[-width - 1] - 2 * p[-width] - p[1 - width];
  out[y * width + x] = (unsigned char)min(255, abs(gx) + abs(gy));
}

__global__ void box_blur_rows(int width, int height, int radius, const float *in, float *out) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= height) return;
  float sum = 0;
  for (int x = -radius; x < width; ++x) {
    if (x + radius < width) sum += in[y * width + x + radius];
    if (x - radius - 1 >= 0) sum -= in[y * width + x - radius - 1];
    if (x >= 0) out[y * width + x] = sum / (2 * radius + 1);
  }
}

__global__ void max_pool(int width, int height, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width / 2 || y >= height / 2) return;
  const float *p = in + 2 * y * width + 2 * x;
  out[y * (width / 2) + x] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[width], p[width + 1]));
}

__global__ void life(int width, int height, const unsigned char *now, unsigned char *next) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int around = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      if (dx || dy) around += now[(y + dy + height) % height * width + (x + dx + width) % width];
    }
  }
  next[y * width + x] = around == 3 || (around == 2 && now[y * width + x]);
}

// Matrices.

__global__ void transpose_naive(int n, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) out[x * n + y] = in[y * n + x];
}

__global__ void transpose_tiled(int n, const float *in, float *out) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) {
    if (x < n && y + k < n) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
  }
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) {
    if (x < n && y + k < n) out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
  }
}

__global__ void matmul_naive(int n, const float *a, const float *b, float *c) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

__global__ void matmul_tiled(int n, const float *a, const float *b, float *c) {
  __shared__ float as[kTile][kTile], bs[kTile][kTile];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k += kTile) {
    as[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
    __syncthreads();
    for (int j = 0; j < kTile; ++j) sum += as[threadIdx.y][j] * bs[j][threadIdx.x];
    __syncthreads();
  }
  c[y * n + x] = sum;
}

__global__ void matvec(int rows, int columns, const float *a, const float *x, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = 0; k < columns; ++k) sum += a[row * columns + k] * x[k];
  y[row] = sum;
}

__global__ void matvec_warp(int rows, int columns, const float *a, const float *x, float *y) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int k = lane; k < columns; k += 32) sum += a[row * columns + k] * x[k];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (lane == 0) y[row] = sum;
}

__global__ void spmv(int rows, const int *start, const int *column, const float *value, const float *x, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = start[row]; k < start[row + 1]; ++k) sum += value[k] * x[column[k]];
  y[row] = sum;
}

// Sums, scans and histograms.

__global__ void reduce_shared(int n, const float *in, float *out) {
  __shared__ float s[kBlock];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  s[threadIdx.x] = sum;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) s[threadIdx.x] += s[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

__global__ void reduce_warps(int n, const float *in, float *out) {
  __shared__ float s[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = i < n ? in[i] : 0;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x == 0) atomicAdd(out, sum);
  }
}

__global__ void dot(int n, const double *a, const double *b, double *out) {
  __shared__ double s[kBlock];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? a[i] * b[i] : 0;
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    if (threadIdx.x % (2 * step) == 0) s[threadIdx.x] += s[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

__global__ void arg_max(int n, const float *in, float *best, int *where) {
  __shared__ float value[kBlock];
  __shared__ int index[kBlock];
  value[threadIdx.x] = -FLT_MAX;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    if (in[i] > value[threadIdx.x]) value[threadIdx.x] = in[i], index[threadIdx.x] = i;
  }
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step && value[threadIdx.x + step] > value[threadIdx.x]) {
      value[threadIdx.x] = value[threadIdx.x + step];
      index[threadIdx.x] = index[threadIdx.x + step];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) *best = value[0], *where = index[0];
}

__global__ void softmax_rows(int columns, const float *in, float *out) {
  __shared__ float s[kBlock];
  const float *row = in + blockIdx.x * columns;
  float most = -FLT_MAX, sum = 0;
  for (int k = threadIdx.x; k < columns; k += blockDim.x) most = fmaxf(most, row[k]);
  s[threadIdx.x] = most;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + step]);
    __syncthreads();
  }
  most = s[0];
  __syncthreads();
  for (int k = threadIdx.x; k < columns; k += blockDim.x) sum += expf(row[k] - most);
  s[threadIdx.x] = sum;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) s[threadIdx.x] += s[threadIdx.x + step];
    __syncthreads();
  }
  for (int k = threadIdx.x; k < columns; k += blockDim.x) out[blockIdx.x * columns + k] = expf(row[k] - most) / s[0];
}

__global__ void scan_block(int n, const int *in, int *out) {
  __shared__ int s[2 * kBlock];
  int from = 0, to = 1, i = blockIdx.x * blockDim.x + threadIdx.x, size = blockDim.x;
  s[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 1; step < size; step *= 2) {
    int sum = s[from * size + threadIdx.x];
    if (threadIdx.x >= step) sum += s[from * size + threadIdx.x - step];
    s[to * size + threadIdx.x] = sum;
    to = 1 - to, from = 1 - to;
    __syncthreads();
  }
  if (i < n) out[i] = s[from * size + threadIdx.x];
}

__global__ void scan_warp(int n, const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  int sum = i < n ? in[i] : 0;
  for (int step = 1; step < 32; step *= 2) {
    int other = __shfl_up_sync(~0u, sum, step);
    if (lane >= step) sum += other;
  }
  if (i < n) out[i] = sum;
}

__global__ void histogram_global(int n, const unsigned char *in, unsigned *bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[in[i]], 1);
}

__global__ void histogram_shared(int n, const unsigned char *in, unsigned *bins) {
  __shared__ unsigned s[256];
  s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[in[i]], 1);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

__global__ void compact(int n, const int *in, int *out, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  bool keep = i < n && in[i] > 0;
  unsigned mask = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(count, __popc(mask));
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(mask & ((1u << lane) - 1))] = in[i];
}

__global__ void bitonic_step(int *values, int j, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
  if (other > i && ((i & k) == 0) == (values[i] > values[other])) {
    int kept = values[i];
    values[i] = values[other], values[other] = kept;
  }
}

// Graphs.

__global__ void bfs_level(int nodes, const int *start, const int *edge, int *level, int now, int *changed) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || level[node] != now) return;
  for (int k = start[node]; k < start[node + 1]; ++k) {
    if (level[edge[k]] < 0) level[edge[k]] = now + 1, *changed = 1;
  }
}

__global__ void page_rank(int nodes, const int *start, const int *edge, const int *degree, const float *in,
                          float *out) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  float sum = 0;
  for (int k = start[node]; k < start[node + 1]; ++k) sum += in[edge[k]] / degree[edge[k]];
  out[node] = 0.15f / nodes + 0.85f * sum;
}

__global__ void floyd_warshall(int n, int k, int *distance) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) distance[y * n + x] = min(distance[y * n + x], distance[y * n + k] + distance[k * n + x]);
}

int main() {
  constexpr int n = 1 << 16, side = 256, blocks = n / kBlock;
  float *f, *g, *h, *v;
  double *d, *e;
  int *i, *j, *count;
  unsigned char *bytes;
  cudaMallocManaged(&f, 4 * n * sizeof(float));
  cudaMallocManaged(&g, 4 * n * sizeof(float));
  cudaMallocManaged(&h, 4 * n * sizeof(float));
  cudaMallocManaged(&v, 4 * n * sizeof(float));
  cudaMallocManaged(&d, n * sizeof(double));
  cudaMallocManaged(&e, n * sizeof(double));
  cudaMallocManaged(&i, (n + 1) * sizeof(int));
  cudaMallocManaged(&j, n * sizeof(int));
  cudaMallocManaged(&count, 256 * sizeof(int));
  cudaMallocManaged(&bytes, 4 * n);
  unsigned char *bytes_out = bytes + 2 * n;
  unsigned *bins = reinterpret_cast<unsigned *>(count);
  dim3 tile(kTile, kTile), tiles(side / kTile, side / kTile);
  for (int k = 0; k < n; ++k) f[k] = k % 7, g[k] = 1, i[k] = k, j[k] = (k * 5) % n, d[k] = 1, e[k] = 2;
  i[n] = n;
  saxpy<<<blocks, kBlock>>>(n, 2, f, g);
  add_strided<<<64, kBlock>>>(n, d, e, d);
  relu<<<blocks, kBlock>>>(n, f);
  sigmoid<<<blocks, kBlock>>>(n, f, h);
  adam<<<blocks, kBlock>>>(n, f, g, v, h, 0.001f, 0.9f, 0.99f, 1e-8f);
  copy_float4<<<blocks, kBlock>>>(n / 4, reinterpret_cast<float4 *>(f), reinterpret_cast<float4 *>(g));
  gather<<<blocks, kBlock>>>(n, j, f, h);
  scatter<<<blocks, kBlock>>>(n, j, f, h);
  gray<<<tiles, tile>>>(side, side / 2, reinterpret_cast<uchar4 *>(bytes), bytes_out);
  black_scholes<<<blocks, kBlock>>>(n, g, g, g, h);
  mandelbrot<<<tiles, tile>>>(side, side, 100, j);
  monte_carlo<<<16, kBlock>>>(100, bins);
  nbody_direct<<<4, kBlock>>>(1024, reinterpret_cast<float4 *>(f), reinterpret_cast<float3 *>(h));
  jacobi<<<tiles, tile>>>(side, side, f, g);
  heat_3d<<<dim3(4, 8), dim3(16, 8)>>>(64, 64, 16, d, e);
  stencil_shared<<<blocks, kBlock>>>(n, f, h);
  convolve_constant<<<tiles, tile>>>(side, side, f, g);
  convolve_tiled<<<tiles, tile>>>(side, side, f, g);
  sobel<<<tiles, tile>>>(side, side, bytes, bytes_out);
  box_blur_rows<<<1, kBlock>>>(side, side, 4, f, g);
  max_pool<<<tiles, tile>>>(side, side, f, g);
  life<<<tiles, tile>>>(side, side, bytes, bytes_out);
  transpose_naive<<<tiles, tile>>>(side, f, g);
  transpose_tiled<<<dim3(8, 8), dim3(32, 8)>>>(side, f, g);
  matmul_naive<<<tiles, tile>>>(side, f, g, h);
  matmul_tiled<<<tiles, tile>>>(side, f, g, h);
  matvec<<<1, kBlock>>>(side, side, f, g, h);
  matvec_warp<<<32, kBlock>>>(side, side, f, g, h);
  for (int k = 0; k < n; ++k) i[k] = k, j[k] = (k * 5) % n;
  spmv<<<blocks, kBlock>>>(n, i, j, f, g, h);
  reduce_shared<<<64, kBlock>>>(n, f, h);
  reduce_warps<<<blocks, kBlock>>>(n, f, h);
  dot<<<blocks, kBlock>>>(n, d, e, e);
  arg_max<<<1, kBlock>>>(n, f, h, count);
  softmax_rows<<<side, kBlock>>>(side, f, h);
  scan_block<<<blocks, kBlock>>>(n, i, j);
  scan_warp<<<blocks, kBlock>>>(n, i, j);
  histogram_global<<<blocks, kBlock>>>(n, bytes, bins);
  histogram_shared<<<64, kBlock>>>(n, bytes, bins);
  cudaDeviceSynchronize();
  *count = 0;
  compact<<<blocks, kBlock>>>(n, i, j, count);
  bitonic_step<<<blocks, kBlock>>>(j, 1, 2);
  for (int k = 0; k < n; ++k) j[k] = (k * 5) % n;
  bfs_level<<<blocks, kBlock>>>(n, i, j, i + 1, 0, count);
  page_rank<<<blocks, kBlock>>>(n - 1, i, j, j, f, h);
  floyd_warshall<<<tiles, tile>>>(side, 1, j);
  cudaError_t status = cudaDeviceSynchronize();
  std::printf("%s, h[1] = %g\n", cudaGetErrorString(status), h[1]);
  return status != cudaSuccess;
}
