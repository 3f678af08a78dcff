// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Cooperative groups / cuda::barrier, cuda::pipeline, cuda::atomic
//
// cuda::barrier (split phases, completion by count, drop), cuda::pipeline (one thread, a block, producers and
// consumers), cuda::atomic and atomic_ref, the C primitives, cooperative groups' updates of an atomic.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_pipeline.h>

#include <cstdio>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// Two halves of a block meet at two barriers: one fills, the other sums.
__global__ void producer_consumer(int *out) {
  __shared__ block_barrier ready, filled;
  __shared__ int data[32];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) {
    init(&ready, 64);
    init(&filled, 64);
  }
  block.sync();
  const int lane = threadIdx.x % 32;
  int sum = 0;
  for (int round = 0; round < 10; ++round) {
    if (threadIdx.x < 32) {
      ready.arrive_and_wait();
      data[lane] = round * 100 + lane;
      (void)filled.arrive();
    } else {
      (void)ready.arrive();
      filled.arrive_and_wait();
      sum = sum * 3 + data[31 - lane];
    }
  }
  if (threadIdx.x >= 32) out[lane] = sum;
}

__global__ void dropping(int *out) {
  __shared__ block_barrier barrier;
  __shared__ int count;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    count = 0;
  }
  __syncthreads();
  for (int round = 0; round < 8; ++round) {
    if (int(threadIdx.x) == round) {
      barrier.arrive_and_drop();
      return;
    }
    atomicAdd(&count, 1);
    auto token = barrier.arrive();
    barrier.wait(std::move(token));
  }
  if (threadIdx.x == 20) *out = count;
}

__global__ void copies(const int *source, int *out) {
  __shared__ block_barrier barrier;
  __shared__ alignas(16) int data[128], more[64];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&barrier, block.size());
  block.sync();
  cuda::memcpy_async(block, data, source, sizeof data, barrier);
  barrier.arrive_and_wait();
  __pipeline_memcpy_async(more + threadIdx.x, source + 2 * threadIdx.x, 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  auto own = cuda::make_pipeline();
  own.producer_acquire();
  int value;
  cuda::memcpy_async(&value, more + threadIdx.x, sizeof value, own);
  own.producer_commit();
  cuda::pipeline_consumer_wait_prior<0>(own);
  own.consumer_release();
  out[threadIdx.x] = data[127 - threadIdx.x] * 1000 + value;
}

// Batches go through two stages; every thread copies and computes.
__global__ void unified(const int *source, int *out) {
  __shared__ alignas(16) int stages[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int compute = 0, fetch = 0; compute < 6; ++compute) {
    for (; fetch < 6 && fetch < compute + 2; ++fetch) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stages[fetch % 2], source + fetch * 64, sizeof stages[0], pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum = sum * 3 + stages[compute % 2][63 - threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

__global__ void partitioned(const int *source, int *out) {
  __shared__ int stages[2][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  const bool produces = threadIdx.x < 32;
  auto pipe =
      cuda::make_pipeline(block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  const int lane = threadIdx.x % 32;
  int sum = 0;
  for (int batch = 0; batch < 7; ++batch) {
    if (produces) {
      pipe.producer_acquire();
      stages[batch % 2][lane] = source[batch * 32 + lane];
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      sum = sum * 3 + stages[batch % 2][31 - lane];
      pipe.consumer_release();
    }
  }
  if (!produces) out[lane] = sum;
}

__global__ void atomics(int *out) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> total, most, claimed;
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0) {
    total.store(0, cuda::memory_order_relaxed);
    most = -1;
    claimed = 100;
  }
  block.sync();
  total.fetch_add(threadIdx.x, cuda::memory_order_relaxed);
  most.fetch_max(int(threadIdx.x * 37 % 64));
  cuda::atomic_ref<int, cuda::thread_scope_device> cell(out[3]);
  cell.fetch_add(2);
  auto tile = cg::tiled_partition<16>(block);
  cg::reduce_update_async(tile, total, int(threadIdx.x), cg::plus<int>());
  const int place = cg::exclusive_scan_update(tile, claimed, 2, cg::plus<int>());
  atomicXor(out + 4, place * place);
  block.sync();
  if (threadIdx.x == 0) {
    out[0] = total.load();
    out[1] = most;
    out[2] = claimed;
  }
}

void show(const char *name, const int *device, int count) {
  int host[64];
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  printf("%s:", name);
  for (int i = 0; i < count; ++i) printf(" %d", host[i]);
  printf("\n");
}

int main() {
  int host[384], *source, *out;
  for (int i = 0; i < 384; ++i) host[i] = i * i % 101;
  cudaMalloc(&source, sizeof host);
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemcpy(source, host, sizeof host, cudaMemcpyHostToDevice);
  producer_consumer<<<1, 64>>>(out);
  show("producer and consumer", out, 32);
  dropping<<<1, 32>>>(out);
  show("dropping", out, 1);
  copies<<<1, 64>>>(source, out);
  show("copies", out, 64);
  unified<<<1, 64>>>(source, out);
  show("unified", out, 64);
  partitioned<<<1, 64>>>(source, out);
  show("partitioned", out, 32);
  cudaMemset(out, 0, 64 * sizeof(int));
  atomics<<<1, 64>>>(out);
  show("atomics", out, 5);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
