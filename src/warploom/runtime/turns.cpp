// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "turns.h"

#include <utility>

#include "block.h"
#include "grid.h"
#include "report.h"

namespace warploom {

struct Turns::Fiber {
  Thread thread;
  Turns *turns;
  Loop *loop = nullptr;  // what it is begun for
};

namespace {

// Leaves the running thread for another one; returns when somebody goes on with it.
void go_on_with(Thread &next) {
  Thread &thread = *std::exchange(current_thread, &next);
  __warploom_switch(&thread.context, next.context);
}

}  // namespace

Turns::Turns() = default;
Turns::~Turns() = default;

void Turns::prepare(StackPool &stacks, std::size_t bytes) {
  stacks_ = &stacks;
  bytes_ = bytes;
}

void Turns::run(TurnBody body, void *frame, unsigned count) {
  Loop loop{body, frame, count};
  if (count != 0) open_.push_back(&loop);
  work(loop);
  while (loop.ended != loop.count) pass();
}

void Turns::work(Loop &loop) {
  while (loop.begun != loop.count) {
    const unsigned number = loop.begun++;
    if (loop.begun == loop.count) std::erase(open_, &loop);
    current_thread->block->renew_patience();
    loop.body(loop.frame, number);
    ++loop.ended;
  }
}

bool Turns::pass() {
  Thread *next = open_.empty() ? nullptr : begin_fiber(*open_.back());
  if (next == nullptr) {
    if (waiting_.empty()) return false;
    next = waiting_.front();
    waiting_.pop_front();
  }
  waiting_.push_back(current_thread);
  go_on_with(*next);
  return true;
}

// A fiber that will do what has not begun of `loop`; null, and the grid has failed, when there is no memory.
Thread *Turns::begin_fiber(Loop &loop) {
  const Thread &thread = *current_thread;
  if (idle_.empty()) {
    if (fibers_.empty()) stacks_->require(bytes_);
    auto fiber = std::make_unique<Fiber>();
    fiber->turns = this;
    fiber->thread.block = thread.block;
    fiber->thread.runs_blocks = true;
    fiber->thread.stack = stacks_->acquire();
    if (fiber->thread.stack.top == nullptr) {
      Grid &grid = thread.block->grid();
      grid.fail(Outcome::kTrap, no_memory_for_threads("the stacks of kernel " + kernel_name(*grid.launch().kernel)));
      return nullptr;
    }
    idle_.push_back(fiber.get());
    fibers_.push_back(std::move(fiber));
  }
  Fiber &fiber = *idle_.back();
  idle_.pop_back();
  fiber.loop = &loop;
  const bool flushes = thread.block->launch().kernel->flush_denormals != 0;
  void *const *const resumer = &thread.block->scheduler_context();
  fiber.thread.context = prepare_context(fiber.thread.stack, resumer, fiber_main, &fiber, flushes);
  return &fiber.thread;
}

void Turns::fiber_main(void *argument) {
  Fiber &fiber = *static_cast<Fiber *>(argument);
  Turns &turns = *fiber.turns;
  turns.work(*fiber.loop);
  // Whoever began the loop waits for its end. The stack may be used again as soon as it has been left.
  turns.idle_.push_back(&fiber);
  Thread &next = *turns.waiting_.front();
  turns.waiting_.pop_front();
  go_on_with(next);
  __builtin_unreachable();
}

void Turns::drop() {
  for (const auto &fiber : fibers_) stacks_->release(fiber->thread.stack);
  fibers_.clear();
  idle_.clear();
  open_.clear();
  waiting_.clear();
}

}  // namespace warploom
