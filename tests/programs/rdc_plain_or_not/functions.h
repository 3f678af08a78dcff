// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

__device__ float polynomial(float x);
__device__ int index_here();
__device__ int through_another(int x);
__device__ int collatz(int x, int depth);
__device__ void count(int *cells, int which);
__device__ int sum_of_warp(int x);
__device__ int wait_at_barrier(int *cell, int x);
__device__ int through_another_with_barrier(int *cell, int x);
__device__ int shared_sum(int x);
__device__ void wait_for(volatile int *flag);
__device__ int look(volatile int *flag);
__device__ int look_twice(volatile int *flag);
__device__ bool poll(volatile int *flag, int depth);
__device__ void end_odd(int x);

// Of the main file.
__device__ int twice(int x);
__device__ bool poll_again(volatile int *flag, int depth);
__device__ int barrier_of_main(int *cell, int x);
