// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fault_report.h"

#include <atomic>
#include <csignal>

#include "code_place.h"
#include "memory_map.h"
#include "report.h"
#include "worker.h"

namespace warploom {
namespace {

constexpr std::uintptr_t kNearNull = 65536, kNearShared = 65536;
constexpr char kNewLine[] = "\n  ";

std::atomic<DescribeAddress> describe_by_api = nullptr;

std::string headline(const Fault &fault) {
  const std::string address = hexadecimal(reinterpret_cast<std::uintptr_t>(fault.address));
  if (fault.stack_overflow) return "stack overflow";
  if (fault.refusal == Refusal::kMisaligned)
    return "misaligned access of " + std::to_string(fault.bytes) + " bytes at " + address;
  switch (fault.signal) {
    case SIGFPE:
      return "integer division by zero (or overflow)";
    case SIGILL:
    case SIGTRAP:
      return "trap instruction (unreachable code, or __builtin_trap)";
    case SIGBUS:
      return "misaligned or illegal address";
    default:
      if (fault.address_known) return "illegal address " + address;
      return "illegal address (misaligned for a vector, or out of any range: the processor does not say which)";
  }
}

std::string describe_verb(const Fault &fault) {
  if (fault.access == Access::kRead) return "reading ";
  return fault.access == Access::kWrite ? "writing " : "";
}

// Where in the source; the caller's line where the code itself is a library's.
std::string describe_code(const Fault &fault, const Kernel &kernel) {
  CodePlace place = find_place(fault.code);
  if (!place.line.file.empty()) return describe(place);
  if (place.function == "warploom") place.function.clear();  // what kernels share to gather: no name of the user's
  const CodePlace caller = find_call(fault.caller);
  if (!caller.line.file.empty()) return describe(caller) + ", " + describe(place);
  const bool is_users = !place.object.empty() && place.object == find_place(kernel.name).object;
  return describe(place) + (is_users ? "; compiled with -lineinfo it would have a line" : "");
}

std::string describe_null(std::uintptr_t address) {
  if (address == 0) return "is null";
  if (address < kNearNull) return "is " + with_commas(address) + " bytes behind null";
  return address >= 0 - kNearNull ? "is " + with_commas(0 - address) + " bytes before null" : "";
}

// How the address lies to the block's shared memory; empty when it is not near.
std::string describe_shared(std::uintptr_t address, const char *shared) {
  const auto first = reinterpret_cast<std::uintptr_t>(shared);
  const std::uintptr_t end = first + shared_memory_size();
  if (address >= end && address - end < kNearShared) {
    return "is " + with_commas(address - end) + " bytes behind the block's shared memory";
  }
  return address < first && first - address < kNearShared
             ? "is " + with_commas(first - address) + " bytes before the block's shared memory"
             : "";
}

std::string describe_mapping(const void *address) {
  const Mapping mapping = find_mapping(address);
  if (mapping.access.empty()) return {};
  const char *what = mapping.access.starts_with("rw")  ? "was called, and is in memory without code ("
                     : mapping.access.starts_with("r") ? "is in memory that may only be read ("
                                                       : "is in memory without access (";
  return what + mapping.access + (mapping.file.empty() ? ")" : ", " + mapping.file + ')');
}

// `shared`: the block's shared memory, or null.
std::string describe_address(const Fault &fault, const char *shared) {
  const auto address = reinterpret_cast<std::uintptr_t>(fault.address);
  if (fault.refusal == Refusal::kHostMemory) return "is memory of the host, which a GPU does not reach";
  std::string text = describe_null(address);
  const DescribeAddress describe = describe_by_api;
  if (text.empty() && describe != nullptr) text = describe(fault.address);
  if (text.empty() && shared != nullptr) text = describe_shared(address, shared);
  if (text.empty()) text = describe_mapping(fault.address);
  return text.empty() ? "is near no allocation" : text;
}

std::string describe_where(const Thread &thread, const Whole &whole) {
  if (!thread.runs_blocks || (whole.names_threads && whole.merged == 1)) return describe_thread(thread);
  std::string text = describe_block(*thread.block);
  if (whole.merged != 1) text += ", or one of the " + std::to_string(whole.merged - 1) + " blocks after it";
  const std::uint64_t threads = thread.block->launch().block.count();
  if (threads == 1) return text + ", thread (0, 0, 0)";
  return text + ", one of " + with_commas(threads) + " threads (compiled with -G: which one)";
}

}  // namespace

std::string describe_fault(const Thread &thread, const Fault &fault, const Whole &whole) {
  std::string text = headline(fault) + " in " + describe_where(thread, whole);
  if (fault.stack_overflow) {
    text += ": cudaLimitStackSize may raise the " + std::to_string(thread.stack.top - thread.stack.limit) +
            " bytes that a thread has";
  }
  if (const std::string code = describe_code(fault, *thread.block->launch().kernel); !code.empty())
    text += kNewLine + describe_verb(fault) + code;
  if (fault.address_known && !fault.stack_overflow) {
    text += kNewLine + ("the address " + describe_address(fault, thread.block->shared_memory()));
  }
  if (const std::string site = describe(find_call(thread.block->launch().site)); !site.empty()) {
    text += kNewLine + ("the kernel was launched " + site);
  }
  return text;
}

std::string describe_fault(const char *function, const Fault &fault) {
  std::string text = headline(fault) + " in " + function;
  if (!fault.address_known) return text;
  return text + kNewLine + describe_verb(fault) + "memory that is not there: the address " +
         describe_address(fault, nullptr);
}

void set_address_describer(DescribeAddress describe) { describe_by_api = describe; }

}  // namespace warploom
