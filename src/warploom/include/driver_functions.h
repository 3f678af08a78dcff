// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makers of the runtime API's small structs.
#ifndef WARPLOOM_DRIVER_FUNCTIONS_H
#define WARPLOOM_DRIVER_FUNCTIONS_H

#include "driver_types.h"

static __inline__ struct cudaPitchedPtr make_cudaPitchedPtr(void *d, size_t p, size_t xsz, size_t ysz) {
  struct cudaPitchedPtr result = {d, p, xsz, ysz};
  return result;
}

static __inline__ struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
  struct cudaPos result = {x, y, z};
  return result;
}

static __inline__ struct cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) {
  struct cudaExtent result = {w, h, d};
  return result;
}

#endif
