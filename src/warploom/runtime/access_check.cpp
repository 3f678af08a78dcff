// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "access_check.h"

#include <csignal>

#include <atomic>
#include <cstdint>

#include "../include/warploom/device_abi.h"
#include "block.h"
#include "fault.h"

namespace warploom {
namespace {

std::atomic<IsHostMemory> is_host_memory = nullptr;

// Ends the grid as an access would that the processor refuses.
void refuse(const void *address, Refusal refusal, unsigned long mask, bool writes, const void *code) {
  Thread &thread = *current_thread;
  Fault fault{.signal = SIGSEGV, .address = address, .address_known = true, .code = code};
  fault.access = writes ? Access::kWrite : Access::kRead;
  fault.refusal = refusal;
  fault.bytes = static_cast<unsigned>(mask + 1);
  thread.block->set_fault(fault);
  suspend(thread, Stop::kFault);
}

}  // namespace

void set_host_memory_test(IsHostMemory test) { is_host_memory = test; }

}  // namespace warploom

void __warploom_check_access(const void *address, unsigned long mask, int writes) noexcept {
  using warploom::Refusal;
  const void *const code = static_cast<const char *>(__builtin_return_address(0)) - 1;
  if ((reinterpret_cast<std::uintptr_t>(address) & mask) != 0)
    return warploom::refuse(address, Refusal::kMisaligned, mask, writes != 0, code);
  const warploom::IsHostMemory test = warploom::is_host_memory.load(std::memory_order_relaxed);
  if (test != nullptr && test(address)) warploom::refuse(address, Refusal::kHostMemory, mask, writes != 0, code);
}
