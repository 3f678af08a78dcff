// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Cooperative groups / cuda::barrier with tokens and cuda::pipeline, all threads of the block
// All threads of a block wait for phases of a barrier: with tokens in loops, for barriers of their own half, for a
// barrier that only leaders arrive at, in a pipeline of three stages; and a flag of another warp is waited for besides.
#include <cooperative_groups.h>

#include <cuda/barrier>
#include <cuda/pipeline>
#include <utility>

#include "check.h"

using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void tokens(const int *in, int *out, int rounds) {
  __shared__ BlockBarrier barrier;
  __shared__ int values[128];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  int mine = in[blockIdx.x * 128 + threadIdx.x];
  for (int round = 0; round < rounds; ++round) {
    values[threadIdx.x] = mine;
    auto token = barrier.arrive();
    mine = mine * 5 + round;
    barrier.wait(std::move(token));
    mine += values[127 - threadIdx.x];
    barrier.arrive_and_wait();
  }
  out[blockIdx.x * 128 + threadIdx.x] = mine;
}

__global__ void halves(const int *in, int *out) {
  __shared__ BlockBarrier barriers[2], leaders;
  __shared__ int values[128];
  if (threadIdx.x < 2) init(&barriers[threadIdx.x], 64);
  if (threadIdx.x == 2) init(&leaders, 4);
  __syncthreads();
  int half = threadIdx.x / 64;
  values[threadIdx.x] = in[threadIdx.x];
  barriers[half].arrive_and_wait();
  int other = values[threadIdx.x ^ 33];
  __syncwarp();
  if (threadIdx.x % 32 == 0) (void)leaders.arrive();
  leaders.wait_parity(false);
  values[threadIdx.x] = other + 1;
  barriers[half].arrive_and_wait();
  out[threadIdx.x] = values[threadIdx.x ^ 63];
}

__global__ void stages(const int *in, int *out, int batches) {
  __shared__ alignas(16) int memory[3][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 3> state;
  auto block = cooperative_groups::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int batch = 0, fetch = 0; batch < batches; ++batch) {
    for (; fetch < batches && fetch < batch + 3; ++fetch) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, memory[fetch % 3], in + fetch * 128, sizeof memory[0], pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    sum = sum * 3 + memory[batch % 3][127 - threadIdx.x];
    pipeline.consumer_release();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// Between a thread's arrival and its wait it waits for one that comes to the wait at once.
__global__ void flag_between(volatile int *flag, int *out) {
  __shared__ BlockBarrier barrier;
  __shared__ int value;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  auto token = barrier.arrive();
  if (threadIdx.x == 0) {
    while (!*flag) {
    }
    value = 3;
  }
  barrier.wait(std::move(token));
  if (threadIdx.x == 40) *flag = 1;
  __syncthreads();
  out[threadIdx.x] = value + 1;
}

int main() {
  std::vector<int> values;
  for (int i = 0; i < 2560; ++i) values.push_back(i * 31 % 1009);
  int *in = upload(values), *out = device_zeros<int>(512), *flag = device_zeros<int>(1);
  std::vector<int> want(values.begin(), values.begin() + 512), before;
  tokens<<<4, 128>>>(in, out, 4);
  for (int round = 0; round < 4; ++round) {
    before = want;
    for (int i = 0; i < 512; ++i) want[i] = before[i] * 5 + round + before[i / 128 * 128 + 127 - i % 128];
  }
  compare("tokens", want, download(out, 512));
  halves<<<1, 128>>>(in, out);
  want.assign(128, 0);
  for (int i = 0; i < 128; ++i) want[i] = values[i ^ 63 ^ 33] + 1;
  compare("halves", want, download(out, 128));
  stages<<<2, 128>>>(in, out, 20);
  want.assign(256, 0);
  for (int i = 0; i < 256; ++i) {
    unsigned sum = 0;
    for (int batch = 0; batch < 20; ++batch) sum = sum * 3 + values[batch * 128 + 127 - i % 128];
    want[i] = int(sum);
  }
  compare("stages", want, download(out, 256));
  flag_between<<<1, 64>>>(flag, out);
  compare("flag between", std::vector<int>(64, 4), download(out, 64));
  return 0;
}
