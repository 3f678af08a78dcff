// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Device libraries / every public header of the toolkit
// feature: Barriers and fences / __mbarrier_t, awbarrier
// feature: Device libraries / cuda::latch, cuda::counting_semaphore, <nv/target>
//
// The headers that programs name beside cuda_runtime.h, and something of each that is more than another name.
#include <crt/host_config.h>
#include <crt/mma.h>
#include <cuda_awbarrier.h>
#include <cuda_awbarrier_primitives.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_occupancy.h>
#include <cuda_surface_types.h>
#include <curand_lognormal.h>
#include <curand_normal.h>
#include <curand_poisson.h>
#include <curand_uniform.h>
#include <host_config.h>

#include <cstdio>
#include <cuda/latch>
#include <cuda/semaphore>
#include <nv/target>
#include <nvfunctional>

// Half of the block writes, the other half reads what was written in the phase before.
__global__ void phases(int *out) {
  __shared__ __mbarrier_t barrier;
  __shared__ int data[32];
  if (threadIdx.x == 0) __mbarrier_init(&barrier, 64);
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < 4; ++round) {
    if (threadIdx.x < 32) data[threadIdx.x] = round * 100 + threadIdx.x;
    __mbarrier_token_t token = __mbarrier_arrive(&barrier);
    while (!__mbarrier_test_wait(&barrier, token)) {
    }
    if (threadIdx.x >= 32) sum = sum * 3 + data[63 - threadIdx.x];
    token = __mbarrier_arrive(&barrier);
    while (!__mbarrier_try_wait(&barrier, token, 1000)) {
    }
  }
  if (threadIdx.x >= 32) out[threadIdx.x - 32] = sum;
}

__global__ void tokens(unsigned *out) {
  __shared__ __mbarrier_t barrier;
  __mbarrier_init(&barrier, 3);
  out[0] = __mbarrier_token_pending_count(__mbarrier_arrive(&barrier));
  out[1] = __mbarrier_token_pending_count(__mbarrier_arrive_and_drop(&barrier));
  out[2] = __mbarrier_test_wait_parity(&barrier, false);
  out[3] = __mbarrier_token_pending_count(__mbarrier_arrive(&barrier));
  out[4] = __mbarrier_test_wait_parity(&barrier, false);
  out[5] = __mbarrier_token_pending_count(__mbarrier_arrive(&barrier));
  out[6] = __mbarrier_maximum_count();
  __mbarrier_inval(&barrier);
}

__global__ void with_class(int *out) {
  using nvcuda::experimental::awbarrier;
  __shared__ awbarrier barrier;
  __shared__ int data[64];
  if (threadIdx.x == 0) init(&barrier, 64);
  __syncthreads();
  data[threadIdx.x] = threadIdx.x * threadIdx.x;
  barrier.arrive_and_wait();
  out[threadIdx.x] = data[63 - threadIdx.x];
}

// Blocks wait until all of them have written; three at a time may be between acquire and release.
__global__ void meet(cuda::latch<cuda::thread_scope_device> *latch,
                     cuda::counting_semaphore<cuda::thread_scope_device> *permits, int *inside, int *most, int *out) {
  if (threadIdx.x != 0) return;
  permits->acquire();
  atomicMax(most, atomicAdd(inside, 1) + 1);
  atomicSub(inside, 1);
  permits->release();
  atomicAdd(out, blockIdx.x);
  latch->arrive_and_wait();
  out[1 + blockIdx.x] = atomicAdd(out, 0);
}

__host__ __device__ int where() { NV_IF_ELSE_TARGET(NV_IS_HOST, (int place = 1; return place;), (return 2;)) }
__host__ __device__ int what() {
  int found = 0;
  NV_IF_TARGET(NV_PROVIDES_SM_70, (found += 10;))
  NV_DISPATCH_TARGET(NV_IS_HOST, (found += 1;), NV_PROVIDES_SM_60, (found += 2, found += 0;), NV_ANY_TARGET,
                     (found += 3;))
  return found;
}
__global__ void targets(int *out) {
  out[0] = where();
  out[1] = what();
}

int main() {
  int *out;
  cudaMallocHost(&out, 4096);
  phases<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  printf("phases %d %d\n", out[0], out[31]);
  tokens<<<1, 1>>>(reinterpret_cast<unsigned *>(out));
  cudaDeviceSynchronize();
  printf("tokens %d %d %d %d %d %d %d\n", out[0], out[1], out[2], out[3], out[4], out[5], out[6]);
  with_class<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  printf("class %d %d\n", out[0], out[60]);

  cuda::latch<cuda::thread_scope_device> *latch;
  cuda::counting_semaphore<cuda::thread_scope_device> *permits;
  cudaMallocHost(&latch, sizeof *latch);
  cudaMallocHost(&permits, sizeof *permits);
  new (latch) cuda::latch<cuda::thread_scope_device>(16);
  new (permits) cuda::counting_semaphore<cuda::thread_scope_device>(3);
  for (int i = 0; i < 40; ++i) out[i] = 0;
  meet<<<16, 2>>>(latch, permits, out + 30, out + 31, out);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < 16; ++i) wrong += out[1 + i] != 120;
  printf("latch %d wrong, open %d; inside %d, at most three %d\n", wrong, latch->try_wait(), out[30], out[31] <= 3);
  cuda::binary_semaphore<cuda::thread_scope_system> one(1);
  const bool first = one.try_acquire(), second = one.try_acquire();
  one.release();
  printf("semaphore %d %d %d\n", first, second, one.try_acquire_for(std::chrono::milliseconds(1)));

  targets<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  printf("targets %d %d host %d %d\n", out[0], out[1], where(), what());
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  return 0;
}
