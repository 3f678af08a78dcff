// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches from device code: arguments of every kind, templates, tables of kernels, order in a stream.
// feature: Dynamic parallelism / launches from device code
// feature: Dynamic parallelism / kernels by pointer
// feature: Dynamic parallelism / device-side streams, events, copies and fills
// flags: -rdc=true -lcudadevrt
#include "check.h"

#define CHECK_DEVICE(call) check_device((call), __LINE__)

__device__ void check_device(cudaError_t error, int line) {
  if (error != cudaSuccess) printf("line %d: %s\n", line, cudaGetErrorName(error));
}

struct Odd {
  char text[9];  // alignment 1
};

struct Wide {
  double values[5];  // passed in memory
};

struct alignas(16) Aligned {
  int values[3];
};

struct __attribute__((packed)) Packed {
  char tag;
  double value;
};

__global__ void sum_arguments(long long *output, char a, Odd odd, short b, Wide wide, bool c, Aligned aligned,
                              float3 vector, Packed packed) {
  long long sum = a + b + (c ? 1000 : 0) + aligned.values[2] + static_cast<int>(vector.z) + packed.tag;
  sum += static_cast<long long>(packed.value);
  for (char each : odd.text) sum += each;
  for (double each : wide.values) sum += static_cast<long long>(each);
  output[threadIdx.x] = sum * (threadIdx.x + 1);
}

__global__ void launch_arguments(long long *output) {
  if (threadIdx.x != 5) return;
  sum_arguments<<<1, 4>>>(output, 'x', {{1, 2, 3, 4, 5, 6, 7, 8, 9}}, 300, {{1e3, 2e3, 3e3, 4e3, 5e3}}, true,
                          {{1, 2, 70000}}, make_float3(1, 2, 31), {7, 1e6});
}

template <int Factor>
__global__ void scale(int *values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= Factor;
}

using Kernel = void (*)(int *, int);
__device__ Kernel kernels[] = {scale<2>, scale<3>, scale<5>};

__global__ void launch_table(int *values, int count) {
  for (int i = 0; i < 3; ++i) kernels[i]<<<(count + 63) / 64, 64>>>(values, count);
}

// Each thread of the partial warp starts a grid of its own, of its own size.
__global__ void fill(int *row, int value, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) row[i] = value;
}

__global__ void launch_each(int *rows, int width) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row % 3 != 1) fill<<<1, row % 7 + 1>>>(rows + row * width, row + 1, width);
}

// In one stream: copy, scale, fill, scale. Events join two streams.
__global__ void streams(int *values, int *copies, int count) {
  cudaStream_t first, second;
  cudaEvent_t done;
  CHECK_DEVICE(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK_DEVICE(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK_DEVICE(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  CHECK_DEVICE(cudaMemcpyAsync(copies, values, count * sizeof(int), cudaMemcpyDeviceToDevice, first));
  scale<5><<<1, count, 0, first>>>(copies, count);
  CHECK_DEVICE(cudaMemsetAsync(copies + 1, 0, sizeof(int), first));
  CHECK_DEVICE(cudaEventRecord(done, first));
  CHECK_DEVICE(cudaStreamWaitEvent(second, done, 0));
  scale<2><<<1, count, 0, second>>>(copies, count);
  CHECK_DEVICE(cudaMemcpy2DAsync(copies + count, 8, copies, 16, 4, count / 4, cudaMemcpyDeviceToDevice, second));
  CHECK_DEVICE(cudaEventDestroy(done));
  CHECK_DEVICE(cudaStreamDestroy(first));
  CHECK_DEVICE(cudaStreamDestroy(second));
}

int main() {
  long long *sums = device_zeros<long long>(4);
  launch_arguments<<<1, 32>>>(sums);
  finish();
  const long long one = 'x' + 300 + 1000 + 70000 + 31 + 7 + 1000000 + 45 + 15000;
  compare("arguments", std::vector<long long>{one, 2 * one, 3 * one, 4 * one}, download(sums, 4));

  std::vector<int> numbers(1000);
  for (int i = 0; i < 1000; ++i) numbers[i] = i;
  int *values = upload(numbers);
  launch_table<<<1, 1>>>(values, 900);
  finish();
  std::vector<int> expected = numbers;
  for (int i = 0; i < 900; ++i) expected[i] *= 30;
  compare("table of kernels", expected, download(values, 1000));

  constexpr int kRows = 3 * 50, kWidth = 11;
  int *rows = device_zeros<int>(kRows * kWidth);
  launch_each<<<3, 50>>>(rows, kWidth);
  finish();
  std::vector<int> filled(kRows * kWidth);
  for (int i = 0; i < kRows * kWidth; ++i) filled[i] = i / kWidth % 3 != 1 ? i / kWidth + 1 : 0;
  compare("a grid from each thread", filled, download(rows, kRows * kWidth));

  int *copies = device_zeros<int>(64);
  streams<<<1, 1>>>(values, copies, 32);
  finish();
  std::vector<int> copied(64);
  for (int i = 0; i < 32; ++i) copied[i] = i == 1 ? 0 : 300 * i;
  for (int i = 0; i < 8; ++i) copied[32 + 2 * i] = copied[4 * i];
  compare("streams", copied, download(copies, 64));
  return 0;
}
