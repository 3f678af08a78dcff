// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "context.h"

#include <algorithm>
#include <vector>

#include "../engine.h"
#include "device.h"

namespace warploom {
namespace {

// Without a destructor: calls come from destructors of globals, when those of the thread's own variables have run.
class ContextStack {
 public:
  CUctx_st *top() const { return depth_ == 0 ? nullptr : items_[depth_ - 1]; }
  void push(CUctx_st *context) {
    if (depth_ == room_) grow();
    items_[depth_++] = context;
  }
  void pop() { --depth_; }

 private:
  void grow() {
    const int room = std::max(4, 2 * room_);
    auto **const larger = new CUctx_st *[static_cast<unsigned>(room)];
    std::copy_n(items_, depth_, larger);
    delete[] items_;
    items_ = larger;
    room_ = room;
  }

  CUctx_st **items_ = nullptr;
  int depth_ = 0, room_ = 0;
};

constinit thread_local ContextStack stack;
constinit thread_local bool in_driver = false;

void use_device_of(const CUctx_st *context) {
  if (context) select_device(context->device);
}

}  // namespace

CUctx_st *context_of(int device) {
  static auto *const contexts = [] {
    auto *all = new std::vector<CUctx_st>;
    for (int i = 0; i < device_count(); ++i) all->push_back({i});
    return all;
  }();
  return &(*contexts)[static_cast<std::size_t>(device)];
}

bool is_context(const CUctx_st *context) {
  for (int i = 0; i < device_count(); ++i)
    if (context == context_of(i)) return true;
  return false;
}

CUctx_st *current_context() { return stack.top(); }

void push_context(CUctx_st *context) {
  stack.push(context);
  use_device_of(context);
}

CUctx_st *pop_context() {
  CUctx_st *const popped = stack.top();
  if (popped) stack.pop();
  use_device_of(stack.top());
  return popped;
}

void set_context(CUctx_st *context) {
  if (stack.top()) stack.pop();
  if (context) push_context(context);
}

InDriver::InDriver() : outer_(in_driver) { in_driver = true; }
InDriver::~InDriver() { in_driver = outer_; }

void enter_runtime() {
  if (in_driver || in_device_code()) return;
  note_runtime_use();
  const CUctx_st *const context = stack.top();
  const int device = current_device();
  if ((!context || context->device != device) && is_device(device)) set_context(context_of(device));
}

}  // namespace warploom
