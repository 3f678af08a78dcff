// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts: one a device, which the driver API makes current and the runtime API takes for granted.
#pragma once

#include "cuda.h"

struct CUctx_st {
  int device;
};

namespace warploom {

// cuCtxCreate and the primary context are the same.
CUctx_st *context_of(int device);
bool is_context(const CUctx_st *context);

// Of the calling thread: null when it has none. The calls that change it change the current device along.
CUctx_st *current_context();
void push_context(CUctx_st *context);
// The context that was current, or null.
CUctx_st *pop_context();
// In place of the current one; null: takes that one away.
void set_context(CUctx_st *context);

// While it lives, calls of the runtime API are made on behalf of the driver API.
class InDriver {
 public:
  InDriver();
  ~InDriver();
  InDriver(const InDriver &) = delete;
  InDriver &operator=(const InDriver &) = delete;

 private:
  bool outer_;
};

// A program's call of the runtime API: the driver needs no cuInit from then on, and the primary context of the current
// device is the calling thread's.
void enter_runtime();

}  // namespace warploom
