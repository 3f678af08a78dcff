// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ten workloads as one writes them for a GPU.

constexpr float kSoftening = 0.01f, kEpsilon = 1e-5f, kRate = 0.02f, kVolatility = 0.3f;
constexpr int kBins = 256, kOrder = 16, kThreads = 256, kItems = 4;

extern "C" __global__ void chain(const float *a, const float *b, const float *c, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = expf(-a[i] * a[i]) * cosf(b[i]) + c[i] / (1 + fabsf(a[i]));
}

struct Max {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Plus {
  __device__ float operator()(float a, float b) const { return a + b; }
};

template <class Join>
__device__ float reduce_warp(float value, Join join) {
  for (int step = 16; step > 0; step /= 2) value = join(value, __shfl_xor_sync(0xffffffff, value, step));
  return value;
}

// A warp for each row.
extern "C" __global__ void softmax(const float *x, float *out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  x += size_t(row) * columns;
  out += size_t(row) * columns;
  float most = x[0];
  for (int i = threadIdx.x; i < columns; i += 32) most = fmaxf(most, x[i]);
  most = reduce_warp(most, Max());
  float total = 0;
  for (int i = threadIdx.x; i < columns; i += 32) total += out[i] = expf(x[i] - most);
  total = 1 / reduce_warp(total, Plus());
  for (int i = threadIdx.x; i < columns; i += 32) out[i] *= total;
}

extern "C" __global__ void layer_norm(const float *x, const float *gain, const float *bias, float *out, int rows,
                                      int columns) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  x += size_t(row) * columns;
  out += size_t(row) * columns;
  float total = 0;
  for (int i = threadIdx.x; i < columns; i += 32) total += x[i];
  const float mean = reduce_warp(total, Plus()) / columns;
  float squares = 0;
  for (int i = threadIdx.x; i < columns; i += 32) squares += (x[i] - mean) * (x[i] - mean);
  const float scale = rsqrtf(reduce_warp(squares, Plus()) / columns + kEpsilon);
  for (int i = threadIdx.x; i < columns; i += 32) out[i] = (x[i] - mean) * scale * gain[i] + bias[i];
}

extern "C" __global__ void __launch_bounds__(kThreads) nbody(const float4 *bodies, float *out, int n) {
  __shared__ float4 tile[kThreads];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 own = i < n ? bodies[i] : float4{};
  float ax = 0, ay = 0, az = 0;
  for (int first = 0; first < n; first += kThreads) {
    if (first + threadIdx.x < n) tile[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
    const int count = min(kThreads, n - first);
    for (int j = 0; j < count; ++j) {
      const float dx = tile[j].x - own.x, dy = tile[j].y - own.y, dz = tile[j].z - own.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + kSoftening);
      const float weight = tile[j].w * inverse * inverse * inverse;
      ax += weight * dx;
      ay += weight * dy;
      az += weight * dz;
    }
    __syncthreads();
  }
  if (i < n) {
    out[3 * i] = ax;
    out[3 * i + 1] = ay;
    out[3 * i + 2] = az;
  }
}

__device__ float normal(float x) { return 0.5f * (1 + erff(x * 0.707106781f)); }

extern "C" __global__ void black_scholes(const float *spot, const float *strike, const float *years, float *call,
                                         float *put, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float s = spot[i], k = strike[i], t = years[i];
  const float deviation = kVolatility * sqrtf(t);
  const float d1 = (logf(s / k) + (kRate + kVolatility * kVolatility / 2) * t) / deviation;
  const float discounted = k * expf(-kRate * t);
  const float price = s * normal(d1) - discounted * normal(d1 - deviation);
  call[i] = price;
  put[i] = price - s + discounted;
}

extern "C" __global__ void mandelbrot(const float *x, const float *y, int *out, int pixels, int turns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= pixels || row >= pixels) return;
  const float cx = x[column], cy = y[row];
  float re = 0, im = 0;
  int count = 0;
  for (; count < turns; ++count) {
    const float next = re * re - im * im + cx;
    im = 2 * re * im + cy;
    re = next;
    if (re * re + im * im > 4) break;
  }
  out[row * pixels + column] = count;
}

extern "C" __global__ void stencil(const float *old, float *out, int side) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column < 1 || row < 1 || column >= side - 1 || row >= side - 1) return;
  const int i = row * side + column;
  out[i] = 0.2f * (old[i] + old[i - side] + old[i + side] + old[i - 1] + old[i + 1]);
}

extern "C" __global__ void histogram(const int *x, unsigned *counts, int n) {
  __shared__ unsigned own[kBins];
  for (int i = threadIdx.x; i < kBins; i += blockDim.x) own[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[x[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < kBins; i += blockDim.x) atomicAdd(&counts[i], own[i]);
}

extern "C" __global__ void __launch_bounds__(kOrder *kOrder) matrices(const float *a, const float *b, float *out) {
  __shared__ float left[kOrder][kOrder], right[kOrder][kOrder];
  const int row = threadIdx.y, column = threadIdx.x, i = (blockIdx.x * kOrder + row) * kOrder + column;
  left[row][column] = a[i];
  right[row][column] = b[i];
  __syncthreads();
  float total = 0;
  for (int k = 0; k < kOrder; ++k) total += left[row][k] * right[k][column];
  out[i] = total;
}

__device__ float sum_block(float value) {
  __shared__ float parts[kThreads / 32];
  value = reduce_warp(value, Plus());
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  value = parts[0];
  for (int i = 1; i < kThreads / 32; ++i) value += parts[i];
  return value;
}

// A block scans kItems elements a thread; the sums of blocks are scanned between.
extern "C" __global__ void __launch_bounds__(kThreads) block_sums(const float *x, float *sums, int n) {
  float total = 0;
  const int first = blockIdx.x * kThreads * kItems;
  for (int item = 0; item < kItems; ++item) {
    const int i = first + item * kThreads + threadIdx.x;
    total += i < n ? x[i] : 0;
  }
  total = sum_block(total);
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

__device__ float scan_warp(float value) {
  for (int step = 1; step < 32; step *= 2) {
    const float other = __shfl_up_sync(0xffffffff, value, step);
    if (threadIdx.x % 32 >= step) value += other;
  }
  return value;
}

// The sum of all threads of the block up to this one; `last`: of all.
template <int Threads>
__device__ float scan_block(float value, float &last) {
  __shared__ float warps[Threads / 32];
  const int warp = threadIdx.x / 32;
  value = scan_warp(value);
  __syncthreads();
  if (threadIdx.x % 32 == 31) warps[warp] = value;
  __syncthreads();
  float before = 0;
  last = 0;
  for (int i = 0; i < Threads / 32; ++i) {
    before += i < warp ? warps[i] : 0;
    last += warps[i];
  }
  return value + before;
}

// In place: what comes before each.
extern "C" __global__ void __launch_bounds__(1024) scan_sums(float *sums, int n) {
  float before = 0;
  for (int first = 0; first < n; first += 1024) {
    const int i = first + threadIdx.x;
    const float value = i < n ? sums[i] : 0;
    float last;
    const float sum = scan_block<1024>(value, last);
    if (i < n) sums[i] = before + sum - value;
    before += last;
  }
}

extern "C" __global__ void __launch_bounds__(kThreads) add_sums(const float *x, const float *sums, float *out, int n) {
  float before = sums[blockIdx.x];
  for (int item = 0; item < kItems; ++item) {
    const int i = (blockIdx.x * kItems + item) * kThreads + threadIdx.x;
    float last;
    const float sum = scan_block<kThreads>(i < n ? x[i] : 0, last);
    if (i < n) out[i] = before + sum;
    before += last;
  }
}
