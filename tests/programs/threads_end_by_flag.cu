// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Barriers and fences / threads that leave a loop of barriers by a flag that only control makes different
// A thread leaves a loop around barriers by a condition that is not computed from its number, and stores in shared
// memory before it ends: the others see that behind their next barrier.
#include "check.h"

// The flag depends on which branch was taken.
__global__ void by_branch(int *out, const int *one, int n, int first) {
  __shared__ int s[64];
  int t = threadIdx.x, sum = 0, i, flag;
  s[t] = t;
  __syncthreads();
  for (i = 0; i < n; i++) {
    flag = 0;
    if (t == first + i) flag = one[i];
    __syncthreads();
    if (flag) goto mine;
    __syncthreads();
    sum += s[0];
  }
  out[t] = sum;
  return;
mine:
  s[0] += 100 + i;
  out[t] = -1;
}

// The same, where the flag lives in a scope of its own: where to go on is a number at the end of it.
__global__ void by_branch_in_scope(int *out, const int *one, int n, int first) {
  __shared__ int s[64];
  int t = threadIdx.x, sum = 0, i;
  s[t] = t;
  __syncthreads();
  for (i = 0; i < n; i++) {
    int flag = 0;
    if (t == first + i) flag = one[i];
    __syncthreads();
    if (flag) goto mine;
    __syncthreads();
    sum += s[0];
  }
  out[t] = sum;
  return;
mine:
  s[0] += 100 + i;
  out[t] = -1;
}

// The count of a loop that threads leave in different rounds; it counts the same in all of them.
__global__ void by_count(int *out, const int *one, int n, int first) {
  __shared__ int s[64];
  int t = threadIdx.x, sum = 0, i, k;
  s[t] = t;
  __syncthreads();
  for (i = 0; i < n; i++) {
    for (k = 0; one[(k * t) % 64] + k < (t == first + i ? 7 : 3); k++) out[t] = k;
    __syncthreads();
    if (k > 5) goto mine;
    __syncthreads();
    sum += s[0];
  }
  out[t] = sum;
  return;
mine:
  s[0] += 100 + i;
  out[t] = -1;
}

// What an atomic gives each thread.
__global__ void by_ticket(int *out, int *tickets, int n, int first) {
  __shared__ int s[64];
  int t = threadIdx.x, sum = 0, i, ticket;
  s[t] = t;
  __syncthreads();
  for (i = 0; i < n; i++) {
    ticket = atomicAdd(tickets + i, 1);
    __syncthreads();
    if (ticket == first) goto mine;
    __syncthreads();
    sum += s[0];
  }
  out[t] = sum;
  return;
mine:
  s[0] += 100 + i;
  out[t] = -1;
}

template <class Kernel>
void exercise(const char *name, Kernel kernel, int start) {
  const int threads = 64, rounds = 5;
  int *out = device_zeros<int>(threads), *given = upload(std::vector<int>(threads, start));
  kernel<<<1, threads>>>(out, given, rounds, 40);
  std::vector<int> got = download(out, threads), want(threads, 0);
  int sum = 0, cell = 0;
  for (int i = 0; i < rounds; ++i) sum += cell += 100 + i;
  for (int t = 0; t < threads; ++t) want[t] = t < rounds ? -1 : sum;
  std::sort(got.begin(), got.end());  // a ticket may be anybody's
  compare(name, want, got);
}

int main() {
  exercise("by branch", by_branch, 1);
  exercise("by branch in scope", by_branch_in_scope, 1);
  exercise("by count", by_count, 1);
  exercise("by ticket", by_ticket, 0);
  return 0;
}
