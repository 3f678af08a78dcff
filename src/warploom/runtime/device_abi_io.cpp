// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device ABI on the reference engine: printf, assert and the heap.
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>

#include "../include/warploom/device_abi.h"
#include "block.h"
#include "device_output.h"
#include "grid.h"
#include "heap.h"
#include "report.h"

using warploom::current_thread;
using warploom::DeviceHeap;
using warploom::Outcome;
using warploom::Stop;
using warploom::Thread;

namespace {

// Arguments that a format takes: what CUDA's printf returns.
int count_arguments(const char *format) {
  int count = 0;
  for (const char *p = format; (p = std::strchr(p, '%')) != nullptr; ++p) {
    ++p;
    for (; *p != '\0' && std::strchr("-+ #0123456789.*hlLqjzt", *p) != nullptr; ++p) count += *p == '*';
    if (*p == '\0') break;
    count += *p != '%';
  }
  return count;
}

}  // namespace

// The text is made first and added in one piece: another thread's output cannot come between, and a fault in an
// argument (%s) happens while nothing is locked.
int __warploom_vprintf(const char *format, __builtin_va_list arguments) noexcept {
  if (format == nullptr) return -1;
  char small[512];
  std::va_list again;
  va_copy(again, arguments);
  const int size = std::vsnprintf(small, sizeof small, format, arguments);
  if (size >= 0 && static_cast<std::size_t>(size) < sizeof small) {
    warploom::add_device_output(small, static_cast<std::size_t>(size));
  } else if (size >= 0) {
    std::string large(static_cast<std::size_t>(size) + 1, '\0');
    std::vsnprintf(large.data(), large.size(), format, again);
    warploom::add_device_output(large.data(), static_cast<std::size_t>(size));
  }
  va_end(again);
  return size < 0 ? -2 : count_arguments(format);
}

void __warploom_assert_fail(const char *expression, const char *file, unsigned line, const char *function) noexcept {
  Thread &thread = *current_thread;
  const warploom::Extent &block = thread.block->position();
  const warploom::Extent &position = thread.position;
  std::fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file, line,
               function, block.x, block.y, block.z, position.x, position.y, position.z, expression);
  thread.block->let_warp_go_on(thread);
  thread.block->grid().fail(Outcome::kAssert, "");
  suspend(thread, Stop::kExit);
  __builtin_unreachable();
}

void *__warploom_malloc(unsigned long size) noexcept { return DeviceHeap::instance().allocate(size); }

void __warploom_free(void *pointer) noexcept {
  if (pointer == nullptr || DeviceHeap::instance().release(pointer)) return;
  Thread &thread = *current_thread;
  char address[24];
  std::snprintf(address, sizeof address, "%p", pointer);
  thread.block->grid().fail(Outcome::kTrap, std::string("free of ") + address +
                                                ", which is not an allocation of device malloc (freed twice?), in " +
                                                describe_thread(thread));
  suspend(thread, Stop::kExit);
}
