// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The examples of Moses et al., High-Performance GPU-to-CPU Transpilation, written anew from the paper's text.
#include "check.h"

// Section I: every thread adds up the whole input.

__device__ float sum(const float *data, int n) {
  float total = 0;
  for (int i = 0; i < n; ++i) total += data[i];
  return total;
}

__global__ void normalize(float *out, const float *in, int n) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  float total = sum(in, n);
  if (tid < n) out[tid] = in[tid] / total;
}

__global__ void normalize_by_block(float *out, const float *in, int n) {  // what the paper's comment suggests
  __shared__ float total;
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) total = sum(in, n);
  __syncthreads();
  if (tid < n) out[tid] = in[tid] / total;
}

void test_normalize() {
  const int n = 1000;
  std::vector<int> whole = random_ints(n, 64);
  std::vector<float> input(whole.begin(), whole.end()), want(n);
  float total = 0;
  for (float value : input) total += value;
  for (int i = 0; i < n; ++i) want[i] = input[i] / total;
  float *in = upload(input), *out = device_zeros<float>(n);
  normalize<<<(n + 31) / 32, 32>>>(out, in, n);
  compare("normalize", want, download(out, n));
  normalize_by_block<<<(n + 31) / 32, 32>>>(out, in, n);
  compare("normalize by block", want, download(out, n));
}

// Section III-A: a slot of one's own needs no barrier; the neighbour's does.

__global__ void own_slot(float *__restrict__ a, float *__restrict__ out) {
  a[threadIdx.x] = threadIdx.x * 2.0f;
  __syncthreads();
  out[threadIdx.x] = a[threadIdx.x];
}

__global__ void own_slot_may_overlap(float *a, float *out) {
  a[threadIdx.x] = threadIdx.x * 2.0f;
  __syncthreads();
  out[threadIdx.x] = a[threadIdx.x];
}

__global__ void next_slot(float *__restrict__ a, float *__restrict__ out) {
  a[threadIdx.x] = threadIdx.x * 2.0f;
  __syncthreads();
  out[threadIdx.x] = a[(threadIdx.x + 1) % 64];
}

void test_slots() {
  float *a = device_zeros<float>(64), *out = device_zeros<float>(64);
  std::vector<float> want(64), want_next(64);
  for (int i = 0; i < 64; ++i) want[i] = i * 2.0f, want_next[i] = (i + 1) % 64 * 2.0f;
  own_slot<<<1, 64>>>(a, out);
  compare("own slot", want, download(out, 64));
  own_slot_may_overlap<<<1, 64>>>(a, out);
  compare("own slot, may overlap", want, download(out, 64));
  next_slot<<<1, 64>>>(a, out);
  compare("next slot", want_next, download(out, 64));
}

// Section III-B1: three values are needed after the barrier, and two of them are enough to compute all three.

__global__ void spread(float *data, float *difference) {
  int i = threadIdx.x;
  float x = data[i], y = data[2 * i];
  float a = x * x, b = y * y, c = x - y;
  __syncthreads();
  int slot = blockDim.x - 1 - i;
  data[slot] = a;
  data[blockDim.x + slot] = b;
  difference[slot] = c;
}

void test_spread() {
  const int n = 96;
  std::vector<int> whole = random_ints(2 * n, 1000);
  std::vector<float> input(whole.begin(), whole.end()), want(2 * n), want_difference(n);
  for (int i = 0; i < n; ++i) {
    want[n - 1 - i] = input[i] * input[i];
    want[2 * n - 1 - i] = input[2 * i] * input[2 * i];
    want_difference[n - 1 - i] = input[i] - input[2 * i];
  }
  float *data = upload(input), *difference = device_zeros<float>(n);
  spread<<<1, n>>>(data, difference);
  compare("squares", want, download(data, 2 * n));
  compare("difference", want_difference, download(difference, n));
}

// Section III-B2: a loop that holds barriers, and what decides about the next round.

__global__ void uniform_rounds(int *values, int rounds) {  // a count that is the same for all threads
  int t = threadIdx.x;
  do {
    int other = values[(t + 1) % blockDim.x];
    __syncthreads();
    values[t] += other;
    __syncthreads();
  } while (--rounds > 0);
}

__global__ void flag_rounds(int *values, int bound) {  // the same for all threads: all read one flag
  __shared__ int again;
  int t = threadIdx.x;
  do {
    int other = values[(t + 1) % blockDim.x];
    __syncthreads();
    if (t == 0) again = 0;
    __syncthreads();
    values[t] += other;
    if (values[t] < bound) again = 1;
    __syncthreads();
  } while (again);
}

__global__ void own_rounds(int *values, const int *rounds) {  // each thread has its own count; they are equal
  int t = threadIdx.x, left = rounds[t];
  do {
    int other = values[(t + 1) % blockDim.x];
    __syncthreads();
    values[t] += other;
    __syncthreads();
  } while (--left > 0);
}

__global__ void leaving(int *values, const int *rounds) {  // threads end one after the other
  int t = threadIdx.x, left = rounds[t];
  while (true) {
    if (left-- == 0) return;
    int other = values[(t + 1) % blockDim.x];
    __syncthreads();
    values[t] += other;
    __syncthreads();
  }
}

std::vector<int> rounds_on_host(std::vector<int> values, const std::vector<int> &rounds) {
  int last = *std::max_element(rounds.begin(), rounds.end()), n = static_cast<int>(values.size());
  for (int round = 0; round < last; ++round) {
    std::vector<int> before = values;
    for (int t = 0; t < n; ++t)
      if (round < rounds[t]) values[t] += before[(t + 1) % n];
  }
  return values;
}

void test_rounds() {
  const int n = 70, bound = 400;
  std::vector<int> input = random_ints(n, 50), equal(n, 5), unequal = random_ints(n, 7, 3);
  for (int &value : input) ++value;
  int flagged = 0;
  std::vector<int> grown;
  do {
    grown = rounds_on_host(input, std::vector<int>(n, ++flagged));
  } while (*std::min_element(grown.begin(), grown.end()) < bound);
  int *values = upload(input);
  uniform_rounds<<<1, n>>>(values, 5);
  compare("uniform rounds", rounds_on_host(input, equal), download(values, n));
  values = upload(input);
  flag_rounds<<<1, n>>>(values, bound);
  compare("flag rounds", grown, download(values, n));
  values = upload(input);
  own_rounds<<<1, n>>>(values, upload(equal));
  compare("own rounds", rounds_on_host(input, equal), download(values, n));
  values = upload(input);
  leaving<<<1, n>>>(values, upload(unequal));
  compare("leaving", rounds_on_host(input, unequal), download(values, n));
}

// Section IV, figure 9: one layer of a neural network forward. A column of the block holds one input unit's weights.

constexpr int kSide = 16, kGroups = 5;

__device__ __forceinline__ void forward(const float *input, float *output, float *hidden, int units) {
  __shared__ float node[kSide];
  __shared__ float weights[kSide][kSide];
  int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  int index = (units + 1) * (kSide * by + ty + 1) + tx + 1;
  if (tx == 0) node[ty] = input[kSide * by + ty + 1];
  __syncthreads();                  // between slots that nobody shares
  weights[ty][tx] = hidden[index];  // stored, and overwritten before anybody else reads it
  __syncthreads();
  weights[ty][tx] = weights[ty][tx] * node[ty];  // loaded, although it is known
  __syncthreads();
  for (int i = 1; i <= 4; ++i) {  // 4: log2(kSide)
    if (ty % (1 << i) == 0) weights[ty][tx] += weights[ty + (1 << (i - 1))][tx];
    __syncthreads();
  }
  hidden[index] = weights[ty][tx];
  __syncthreads();  // nothing to wait for, unless `output` and `hidden` overlap
  if (tx == 0) output[by * units + ty] = weights[tx][ty];
}

__global__ void layer_forward(const float *__restrict__ input, float *__restrict__ output, float *__restrict__ hidden,
                              int units) {
  forward(input, output, hidden, units);
}

__global__ void layer_forward_may_overlap(const float *input, float *output, float *hidden, int units) {
  forward(input, output, hidden, units);
}

// The same with the steps counted in floating point, as the paper's listing does.
__global__ void layer_forward_by_powers(const float *__restrict__ input, float *__restrict__ output,
                                        float *__restrict__ hidden, int units) {
  __shared__ float node[kSide];
  __shared__ float weights[kSide][kSide];
  int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  int index = (units + 1) * (kSide * by + ty + 1) + tx + 1;
  if (tx == 0) node[ty] = input[kSide * by + ty + 1];
  __syncthreads();
  weights[ty][tx] = hidden[index];
  __syncthreads();
  weights[ty][tx] = weights[ty][tx] * node[ty];
  __syncthreads();
  for (int i = 1; i <= __log2f(kSide); ++i) {
    int power = __powf(2, i);
    if (ty % power == 0) weights[ty][tx] += weights[ty + power / 2][tx];
    __syncthreads();
  }
  hidden[index] = weights[ty][tx];
  __syncthreads();
  if (tx == 0) output[by * units + ty] = weights[tx][ty];
}

template <typename Launch>
void test_layer(const char *name, Launch launch) {
  const int groups = kGroups, units = kSide, width = units + 1, rows = groups * kSide + 1;
  std::vector<int> whole = random_ints(rows * width, 9), inputs = random_ints(rows, 9, 2);
  std::vector<float> hidden(whole.begin(), whole.end()), input(inputs.begin(), inputs.end());
  std::vector<float> want_hidden = hidden, want_output(groups * units);
  for (int by = 0; by < groups; ++by) {
    for (int tx = 0; tx < kSide; ++tx) {
      float column[kSide];
      for (int ty = 0; ty < kSide; ++ty)
        column[ty] = hidden[width * (kSide * by + ty + 1) + tx + 1] * input[kSide * by + ty + 1];
      for (int step = 2; step <= kSide; step *= 2)
        for (int ty = 0; ty < kSide; ty += step) column[ty] += column[ty + step / 2];
      for (int ty = 0; ty < kSide; ++ty) want_hidden[width * (kSide * by + ty + 1) + tx + 1] = column[ty];
      want_output[by * units + tx] = column[0];
    }
  }
  float *device_hidden = upload(hidden), *device_output = device_zeros<float>(want_output.size());
  launch(upload(input), device_output, device_hidden, units);
  std::printf("%s\n", name);
  compare("  output", want_output, download(device_output, want_output.size()));
  compare("  hidden", want_hidden, download(device_hidden, want_hidden.size()));
}

int main() {
  test_normalize();
  test_slots();
  test_spread();
  test_rounds();
  dim3 grid(1, kGroups), block(kSide, kSide);
  test_layer("layer", [=](float *input, float *output, float *hidden, int units) {
    layer_forward<<<grid, block>>>(input, output, hidden, units);
  });
  test_layer("layer, may overlap", [=](float *input, float *output, float *hidden, int units) {
    layer_forward_may_overlap<<<grid, block>>>(input, output, hidden, units);
  });
  test_layer("layer, by powers", [=](float *input, float *output, float *hidden, int units) {
    layer_forward_by_powers<<<grid, block>>>(input, output, hidden, units);
  });
}
