// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy's memory, taken from cudaMallocManaged: see nvidia_libraries.py.
#include <stddef.h>
#include <string.h>

int cudaMallocManaged(void **, size_t, unsigned);
int cudaFree(void *);
int cudaDeviceSynchronize(void);

enum { head = 256 };  // before each block: its size

static void *allocate(void *context, size_t size) {
  char *block = NULL;
  if (cudaMallocManaged((void **)&block, size + head, 1) != 0) return NULL;
  *(size_t *)block = size;
  return block + head;
}

static void *allocate_zeros(void *context, size_t count, size_t size) {
  void *block = allocate(context, count * size);
  return block ? memset(block, 0, count * size) : NULL;
}

static void release(void *context, void *block, size_t size) {
  if (block == NULL) return;
  cudaDeviceSynchronize();
  cudaFree((char *)block - head);
}

static void *resize(void *context, void *block, size_t size) {
  void *larger = allocate(context, size);
  if (larger == NULL || block == NULL) return larger;
  size_t old = *(size_t *)((char *)block - head);
  memcpy(larger, block, old < size ? old : size);
  release(context, block, old);
  return larger;
}

struct {  // PyDataMem_Handler
  char name[127];
  unsigned char version;
  void *context;
  void *(*allocate)(void *, size_t);
  void *(*allocate_zeros)(void *, size_t, size_t);
  void *(*resize)(void *, void *, size_t);
  void (*release)(void *, void *, size_t);
} handler = {"managed", 1, NULL, allocate, allocate_zeros, resize, release};
