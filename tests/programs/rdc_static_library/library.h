// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

__device__ int library_hash(int x);
extern __device__ int library_counter;
void library_double(int *data, int n);
int library_calls();
