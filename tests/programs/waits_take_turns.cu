// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Barriers and fences / waiting for earlier blocks by ticket, for later blocks, for warps of the same block
// Loops that wait, around and between barriers, with more blocks than processors: for the block before, by its index
// and by a ticket; for the block behind; for other warps and the block before at once; for all blocks; in a lock.
#include "check.h"

#define KERNEL(NAME) __global__ void NAME(volatile int *flag, volatile int *out)

KERNEL(for_the_one_behind) {
  if (threadIdx.x == 3) {
    if (blockIdx.x + 1 < gridDim.x)
      while (!flag[blockIdx.x + 1]) {
      }
    __threadfence();
    out[blockIdx.x] = blockIdx.x + 1 < gridDim.x ? out[blockIdx.x + 1] + 1 : 1;
    __threadfence();
    flag[blockIdx.x] = 1;
  }
}

KERNEL(for_warps_and_the_one_before) {
  int block = blockIdx.x;
  if (threadIdx.x == 0) {
    while ((block && !flag[4 * block - 4]) || !flag[4 * block + 1]) {
    }
    __threadfence();
    out[block] = block ? out[block - 1] + 2 : 1;
    __threadfence();
    flag[4 * block] = 1;
  }
  if (threadIdx.x == 32) {
    while (!flag[4 * block + 2]) __nanosleep(10);
    flag[4 * block + 1] = 1;
  }
  if (threadIdx.x == 64) flag[4 * block + 2] = 1;
}

__global__ void by_ticket(unsigned *next, volatile int *flag, volatile int *out) {
  __shared__ unsigned ticket;
  __shared__ int before;
  if (threadIdx.x == 0) ticket = atomicAdd(next, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    before = 0;
    if (ticket != 0) {
      while (!flag[ticket - 1]) {
      }
      __threadfence();
      before = out[ticket - 1];
    }
  }
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1) {
    out[ticket] = before + ticket;
    __threadfence();
    flag[ticket] = 1;
  }
}

// The lanes of a warp look back together, 32 blocks at a time; flags: 1 what the block has, 2 what all up to it have.
__global__ void by_warp(volatile int *flag, volatile int *own, volatile int *all) {
  __shared__ int before;
  int block = blockIdx.x, lane = threadIdx.x % 32, mine = block % 7 + 1;
  if (threadIdx.x < 32) {
    if (lane == 0) {
      own[block] = mine;
      all[block] = mine;
      __threadfence();
      flag[block] = block ? 1 : 2;
    }
    int sum = 0;
    for (int at = block - 1 - lane; block != 0; at -= 32) {
      int seen;
      do seen = at < 0 ? 2 : flag[at];
      while (__any_sync(0xffffffff, seen == 0));
      __threadfence();
      int value = at < 0 ? 0 : seen == 2 ? all[at] : own[at];
      unsigned complete = __ballot_sync(0xffffffff, seen == 2);
      int last = complete ? __ffs(complete) - 1 : 31;
      if (lane > last) value = 0;
      for (int step = 16; step; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
      sum += value;
      if (complete) break;
    }
    if (lane == 0) {
      before = sum;
      all[block] = sum + mine;
      __threadfence();
      flag[block] = 2;
    }
  }
  __syncthreads();
  if (threadIdx.x == 40) own[gridDim.x + block] = before + mine;
}

// The tail of a round waits for the head of the next one: a barrier that the program lacks would be one too many.
__global__ void next_round(volatile int *flag, int *out, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x == 40) flag[round] = 1;
    __syncthreads();
    if (threadIdx.x == 0 && round + 1 < rounds) {
      while (!flag[round + 1]) {
      }
      out[round] = round + 1;
    }
  }
}

KERNEL(until_all_say_so) {
  int done, rounds = 0;
  do {
    ++rounds;
    done = threadIdx.x == 0 ? flag[0] : 0;
    if (threadIdx.x == 33 && rounds == 3) flag[0] = 1;
  } while (!__syncthreads_or(done));
  out[threadIdx.x] = rounds >= 3;
}

__global__ void all_blocks(unsigned *count, volatile int *out) {
  out[blockIdx.x] = 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(count, 1);
    while (atomicAdd(count, 0) < gridDim.x) {
    }
  }
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < gridDim.x; ++i) sum += out[i];
  if (threadIdx.x == 5) out[gridDim.x + blockIdx.x] = sum;
}

// Each thread of a block of three dimensions, with memory of its own and shared, waits for one of another warp.
__global__ void cubes(volatile int *flag, int *out, int x) {
  __shared__ int reversed[64];
  extern __shared__ int dynamic[];
  int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), local[40];
  for (int i = 0; i < 40; ++i) local[i] = i * thread;
  reversed[63 - thread] = thread;
  dynamic[thread] = 3 * thread;
  __syncthreads();
  if (thread < 32) {
    while (!flag[64 * blockIdx.x + thread + 32]) {
    }
  } else {
    flag[64 * blockIdx.x + thread] = 1;
  }
  out[64 * blockIdx.x + thread] =
      reversed[thread] + dynamic[63 - thread] + local[(thread + x) % 40] + 1000 * threadIdx.z + 10000 * threadIdx.y;
}

__global__ void in_a_lock(int *lock, volatile int *sum) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      int before = *sum;
      __nanosleep(1);
      *sum = before + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

int main() {
  const int count = 1024;
  int *flag = device_zeros<int>(count), *out = device_zeros<int>(count), *own = device_zeros<int>(count);
  auto again = [&] {
    cudaMemset(flag, 0, count * sizeof(int));
    cudaMemset(out, 0, count * sizeof(int));
  };
  for_the_one_behind<<<12, 32>>>(flag, out);
  report("behind", 12, download(out, 1)[0]);
  again();
  for_warps_and_the_one_before<<<50, 96>>>(flag, out);
  report("before", 99, download(out, 50)[49]);
  again();
  cudaStream_t streams[2];
  for (auto &each : streams) cudaStreamCreate(&each);
  unsigned *tickets = reinterpret_cast<unsigned *>(device_zeros<int>(2));
  for (int i = 0; i < 2; ++i) by_ticket<<<60, 64, 0, streams[i]>>>(tickets + i, flag + 100 * i, out + 100 * i);
  cudaDeviceSynchronize();
  report("tickets", 1770, download(out, 200)[59]);
  report("tickets of another stream", 1770, download(out, 200)[159]);
  again();
  by_warp<<<300, 64>>>(flag, own, out);
  int sum = 0;
  std::vector<int> want;
  for (int i = 0; i < 300; ++i) want.push_back(sum += i % 7 + 1);
  compare("by warp", want, download(own + 300, 300));
  again();
  next_round<<<1, 64>>>(flag, out, 5);
  report("rounds", 4, download(out, 4)[3]);
  again();
  until_all_say_so<<<1, 64>>>(flag, out);
  report("all say so", 1, download(out, 64)[63]);
  again();
  all_blocks<<<30, 64>>>(reinterpret_cast<unsigned *>(flag), out);
  report("all blocks", 30, download(out + 30, 30)[29]);
  again();
  cubes<<<3, dim3(4, 4, 4), 256>>>(flag, out, 7);
  want.clear();
  for (int i = 0; i < 192; ++i) {
    int thread = i % 64;
    want.push_back(63 - thread + 3 * (63 - thread) + (thread + 7) % 40 * thread + 1000 * (thread / 16) +
                   10000 * (thread / 4 % 4));
  }
  compare("cubes", want, download(out, 192));
  again();
  in_a_lock<<<4, 64>>>(flag, out);
  report("lock", 256, download(out, 1)[0]);
  return 0;
}
