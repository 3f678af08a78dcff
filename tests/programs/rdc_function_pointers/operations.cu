// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operations.h"

__device__ int triple(int x) { return 3 * x; }
static __device__ int plus_fifty(int x) { return x + 50; }
__device__ int apply(Operation operation, int x) { return operation(x); }
__device__ Operation table_of_others[2] = {plus_fifty, triple};

Operation host_copy_of_plus_fifty() {
  Operation operation = nullptr;
  cudaMemcpyFromSymbol(&operation, table_of_others, sizeof(operation));
  return operation;
}
