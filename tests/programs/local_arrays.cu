// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / arrays in private memory
// Arrays in thread-local memory with indices known only at run time, local structs, pointers into them, and swaps.
#include "check.h"

struct Heap {
  int keys[20];
  int size;
};

__host__ __device__ void push(Heap *heap, int key) {
  int at = heap->size++;
  while (at > 0 && heap->keys[(at - 1) / 2] > key) {
    heap->keys[at] = heap->keys[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  heap->keys[at] = key;
}

__host__ __device__ int pop(Heap &heap) {
  int top = heap.keys[0], key = heap.keys[--heap.size], at = 0;
  while (2 * at + 1 < heap.size) {
    int child = 2 * at + 1;
    if (child + 1 < heap.size && heap.keys[child + 1] < heap.keys[child]) ++child;
    if (heap.keys[child] >= key) break;
    heap.keys[at] = heap.keys[child];
    at = child;
  }
  heap.keys[at] = key;
  return top;
}

__host__ __device__ int exercise(int seed) {
  Heap heap;
  for (int &key : heap.keys) key = 0;
  heap.size = 0;
  Lcg lcg{static_cast<unsigned>(seed)};
  for (int i = 0; i < 15; ++i) push(&heap, lcg.below(1000));
  int hash = 0;
  for (int i = 0; i < 15; ++i) {
    hash = hash * 31 + pop(heap);
    if (i % 4 == 0) push(&heap, 1000 + seed % 17);
  }
  char text[16] = {};
  for (int i = 0, value = hash & 0xffff; i < 16; ++i, value /= 2) text[15 - i] = "01"[value % 2];
  int *chosen = hash & 1 ? &heap.keys[seed % 5] : &heap.keys[7];
  *chosen = 5;
  for (int i = 0; i < 16; ++i) hash += text[(i * 7 + seed) % 16] * (i + 1);
  return hash + heap.keys[seed % 8];
}

__global__ void run(int *output) { output[threadIdx.x] = exercise(threadIdx.x); }

int main() {
  const int n = 100;
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i) want[i] = exercise(i);
  int *output = device_zeros<int>(n);
  run<<<1, n>>>(output);
  compare("heaps", want, download(output, n));
  return 0;
}
