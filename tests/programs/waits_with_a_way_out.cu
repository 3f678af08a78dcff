// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Barriers and fences / waiting for another thread, with a limit
// A thread waits for what another warp sets, in loops with more ways out than one: by a count, by a clock, by a flag to
// stop, in nested loops, through a function, a pointer, shared memory, with the answer carried in a variable.
#include "check.h"

#define LIMIT 1000000
#define WAITING(NAME) __global__ void NAME(int *mailbox, int *stop, int *out)
// Thread 64 runs what is given and ends; all but thread 0 of the others end at once.
#define SETTER(...)        \
  if (threadIdx.x == 64) { \
    __threadfence();       \
    __VA_ARGS__;           \
  }                        \
  if (threadIdx.x != 0) return;
#define VIEW volatile int *flag = mailbox;

WAITING(until_the_clock) {
  VIEW SETTER(*flag = 1);
  long long start = clock64();
  while (!*flag)
    if (clock64() - start > 4000000000LL) return;
  *out = 42;
}

WAITING(until_told_to_stop) {
  VIEW SETTER(*flag = 1);
  while (!*flag)
    if (*stop) return;
  *out = 42;
}

WAITING(so_many_times) {
  VIEW SETTER(*flag = 1);
  for (int i = 0; i < LIMIT; ++i) {
    if (*flag) {
      *out = 42;
      return;
    }
  }
}

WAITING(either_in_one_condition) {
  VIEW SETTER(*flag = 1);
  int i = 0;
  while (!(*flag || i > LIMIT)) ++i;
  out[1] = i;
  *out = *flag ? 42 : -1;
}

WAITING(carried_in_a_variable) {
  VIEW SETTER(*flag = 1);
  int result = 0, i = 0;
  for (bool done = false; !done;) {
    if (*flag) {
      result = 42;
      done = true;
    } else {
      done = ++i > LIMIT;
    }
  }
  *out = result;
}

WAITING(by_goto) {
  VIEW SETTER(*flag = 1);
  int i = 0;
again:
  if (*flag) goto set;
  if (++i < LIMIT) goto again;
  return;
set:
  *out = 42;
}

WAITING(nested_and_sleeping) {
  VIEW SETTER(*flag = 1);
  for (int outer = 0; outer < LIMIT / 64; ++outer) {
    unsigned time = 8;
    for (int inner = 0; inner < 64; ++inner) {
      if (*flag) {
        *out = 42;
        return;
      }
      __nanosleep(time);
      if (time < 256) time *= 2;
    }
  }
}

WAITING(by_switch) {
  VIEW SETTER(*flag = 3);
  for (int i = 0;;) {
    switch (*flag) {
      case 3:
        *out = 42;
        return;
      case 7:
        return;
      default:
        if (++i > LIMIT) return;
    }
  }
}

WAITING(compare_and_swap) {
  SETTER(atomicExch(mailbox, 1));
  for (int i = 0; atomicCAS(mailbox, 1, 2) != 1;)
    if (++i > LIMIT) return;
  *out = 42;
}

WAITING(exchange_what_it_has) {
  SETTER(atomicExch(mailbox, 5));
  int mine = 0, i = 0;
  while (mine == 0) {
    mine = atomicExch(mailbox, mine);
    if (++i > LIMIT) return;
  }
  *out = 42;
}

WAITING(add_nothing) {
  SETTER(atomicExch(mailbox, 1));
  for (int i = 0; atomicAdd(mailbox, 0) == 0;)
    if (++i > LIMIT) return;
  *out = 42;
}

WAITING(load_acquire) {
  SETTER(atomicExch(mailbox, 1));
  int value = 0;
  for (int i = 0; value == 0 && i < LIMIT; ++i)
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(mailbox) : "memory");
  *out = value * 42;
}

WAITING(semaphore) {
  SETTER(atomicAdd(mailbox, 1));
  for (int i = 0; atomicSub(mailbox, 1) <= 0;) {
    atomicAdd(mailbox, 1);
    if (++i > LIMIT) return;
  }
  *out = 42;
}

WAITING(take_when_there_is_one) {
  SETTER(atomicExch(mailbox, 1));
  for (int i = 0;;) {
    int count = *(volatile int *)mailbox;
    if (count == 0) {
      if (++i > LIMIT) return;
      continue;
    }
    if (atomicCAS(mailbox, count, count - 1) == count) break;
  }
  *out = 42;
}

WAITING(round_a_ring) {
  VIEW SETTER(flag[5] = 1);
  int i = 0, tries = 0;
  while (!flag[i]) {
    i = (i + 1) % 8;
    if (++tries > LIMIT) return;
  }
  *out = 37 + i;
}

WAITING(a_free_place) {
  if (threadIdx.x < 4) mailbox[threadIdx.x] = 1;
  __syncthreads();
  SETTER(atomicExch(&mailbox[2], 0));
  int place = 0, tries = 0;
  while (atomicCAS(&mailbox[place], 0, 1) != 0) {
    place = (place + 1) & 3;
    if (++tries > LIMIT) return;
  }
  *out = 40 + place;
}

WAITING(own_list_of_tasks) {
  VIEW SETTER(flag[3] = 1; flag[2] = 1; flag[1] = 1; flag[0] = 1);
  int tasks[4] = {0, 1, 2, 3}, head = 0, count = 4, tries = 0;
  while (count > 0) {
    int task = tasks[head & 3];
    ++head;
    if (flag[task]) {
      --count;
    } else {
      tasks[(head + count - 1) & 3] = task;
      if (++tries > LIMIT) return;
    }
  }
  *out = 42;
}

__device__ __noinline__ int peek(volatile int *flag) { return *flag; }
__device__ int (*peek_pointer)(volatile int *) = peek;
__device__ int descend(volatile int *flag, int depth) {
  return *flag ? 42 : depth == 200 ? 0 : descend(flag, depth + 1);
}

WAITING(through_a_function) {
  VIEW SETTER(*flag = 1);
  for (int i = 0; !peek(flag);)
    if (++i > LIMIT) return;
  *out = 42;
}

WAITING(through_a_pointer) {
  VIEW SETTER(*flag = 1);
  for (int i = 0; !peek_pointer(flag);)
    if (++i > LIMIT) return;
  *out = 42;
}

WAITING(through_recursion) {
  VIEW SETTER(*flag = 1);
  for (int i = 0; i < LIMIT / 200 && *out == 0; ++i) *out = descend(flag, 0);
}

WAITING(lane_tells_its_warp) {
  __shared__ int seen;
  VIEW if (threadIdx.x == 0) seen = 0;
  __syncthreads();
  if (threadIdx.x == 64) *flag = 1;
  if (threadIdx.x >= 32) return;
  for (int i = 0; seen == 0 && i < LIMIT; ++i) {
    __syncwarp();
    if (threadIdx.x == 0) seen = *flag;
    __syncwarp();
  }
  if (threadIdx.x == 0) *out = seen * 42;
}

WAITING(shuffled_to_its_warp) {
  VIEW if (threadIdx.x == 64) *flag = 1;
  if (threadIdx.x >= 32) return;
  int seen = 0;
  for (int i = 0; seen == 0 && i < LIMIT; ++i) {
    if (threadIdx.x == 0) seen = *flag;
    seen = __shfl_sync(~0u, seen, 0);
  }
  if (threadIdx.x == 0) *out = seen * 42;
}

WAITING(lane_of_its_own_warp) {
  VIEW if (threadIdx.x == 5) *flag = 1;
  if (threadIdx.x != 0) return;
  for (int i = 0; !*flag;)
    if (++i > LIMIT) return;
  *out = 42;
}

#define RUN(NAME) run(#NAME, NAME, 1)

static void run(const char *name, void (*kernel)(int *, int *, int *), int blocks) {
  int *memory = device_zeros<int>(256);
  kernel<<<blocks, 96>>>(memory, memory + 64, memory + 128);
  report(name, 42, download(memory + 128, 1)[0]);
  CHECK(cudaFree(memory));
}

int main() {
  RUN(until_the_clock);
  RUN(until_told_to_stop);
  RUN(so_many_times);
  RUN(either_in_one_condition);
  RUN(carried_in_a_variable);
  RUN(by_goto);
  RUN(nested_and_sleeping);
  RUN(by_switch);
  RUN(compare_and_swap);
  RUN(exchange_what_it_has);
  RUN(add_nothing);
  RUN(load_acquire);
  RUN(semaphore);
  RUN(take_when_there_is_one);
  RUN(round_a_ring);
  RUN(a_free_place);
  RUN(own_list_of_tasks);
  RUN(through_a_function);
  RUN(through_a_pointer);
  RUN(through_recursion);
  RUN(lane_tells_its_warp);
  RUN(shuffled_to_its_warp);
  RUN(lane_of_its_own_warp);
  return 0;
}
