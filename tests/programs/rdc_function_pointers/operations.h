// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

typedef int (*Operation)(int);

__device__ int triple(int x);
__device__ int apply(Operation operation, int x);
extern __device__ Operation table_of_others[2];
Operation host_copy_of_plus_fifty();

struct Base {
  __device__ virtual ~Base();
  __device__ virtual int kind() const = 0;
};
__device__ const Base *make(int which);
