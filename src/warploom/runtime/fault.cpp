// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler leaves a note in the block and returns into the block's scheduler instead of the fiber: it sets the stack
// pointer to the scheduler's saved context and the program counter to the code that restores one. Nothing touches the
// fiber's stack again. Only async-signal-safe work is done here; the scheduler writes the message.
#include "fault.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "block.h"

namespace warploom {
namespace {

#if defined(__x86_64__)
constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
#else
constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};  // __builtin_trap raises SIGTRAP
#endif

std::array<struct sigaction, kSignals.size()> previous_actions;
std::atomic<ReportHostAccess> report_host_access = nullptr;

// Where the innermost run_or_land of a thread returns to.
struct Landing {
  jmp_buf context;
  Fault fault;
};
constinit thread_local Landing *landing = nullptr;

std::uintptr_t stack_pointer(const ucontext_t &context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.sp;
#else
  return context.uc_mcontext.__gregs[REG_SP];
#endif
}

const void *program_counter(const ucontext_t &context) {
#if defined(__x86_64__)
  return reinterpret_cast<const void *>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void *>(context.uc_mcontext.pc);
#else
  return reinterpret_cast<const void *>(context.uc_mcontext.__gregs[REG_PC]);
#endif
}

// What the function that was running returns to, as long as it has neither called nor kept anything; whatever else lies
// there, which AddressSanitizer may not want read.
__attribute__((no_sanitize("address"))) const void *return_address(const ucontext_t &context, const Stack &stack) {
#if defined(__x86_64__)
  const std::uintptr_t sp = stack_pointer(context);
  const auto low = reinterpret_cast<std::uintptr_t>(stack.limit), high = reinterpret_cast<std::uintptr_t>(stack.top);
  return sp >= low && sp + sizeof(void *) <= high ? *reinterpret_cast<const void *const *>(sp) : nullptr;
#elif defined(__aarch64__)
  static_cast<void>(stack);
  return reinterpret_cast<const void *>(context.uc_mcontext.regs[30]);
#else
  static_cast<void>(stack);
  return reinterpret_cast<const void *>(context.uc_mcontext.__gregs[REG_RA]);
#endif
}

// Whether an access to an address that faulted was to write there.
Access access_of(const ucontext_t &context) {
#if defined(__x86_64__)
  constexpr greg_t kPageFault = 14, kWrite = 2;
  if (context.uc_mcontext.gregs[REG_TRAPNO] != kPageFault) return Access::kUnknown;
  return (context.uc_mcontext.gregs[REG_ERR] & kWrite) != 0 ? Access::kWrite : Access::kRead;
#elif defined(__aarch64__)
  // Records of the kernel's, each with its number and size; the one with the syndrome may be absent.
  const unsigned char *record = context.uc_mcontext.__reserved;
  const unsigned char *const end = record + sizeof context.uc_mcontext.__reserved;
  while (record + sizeof(esr_context) <= end) {
    esr_context found;
    std::memcpy(&found, record, sizeof found);
    if (found.head.magic == ESR_MAGIC) return (found.esr >> 6 & 1) != 0 ? Access::kWrite : Access::kRead;
    if (found.head.magic == 0 || found.head.size == 0) break;
    record += found.head.size;
  }
  return Access::kUnknown;
#else
  static_cast<void>(context);
  return Access::kUnknown;
#endif
}

// Makes the return from the handler continue the saved context `target`.
void redirect(ucontext_t &context, void *target) {
  const auto sp = reinterpret_cast<std::uintptr_t>(target);
  const auto pc = reinterpret_cast<std::uintptr_t>(&__warploom_resume);
#if defined(__x86_64__)
  constexpr greg_t kDirectionFlag = 0x400;
  context.uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(sp);
  context.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(pc);
  context.uc_mcontext.gregs[REG_EFL] &= ~kDirectionFlag;
  if (context.uc_mcontext.fpregs != nullptr) {
    context.uc_mcontext.fpregs->swd = 0;  // no pending exception, and an empty register stack
    context.uc_mcontext.fpregs->ftw = 0;
  }
#elif defined(__aarch64__)
  context.uc_mcontext.sp = sp;
  context.uc_mcontext.pc = pc;
#else
  context.uc_mcontext.__gregs[REG_SP] = sp;
  context.uc_mcontext.__gregs[REG_PC] = pc;
#endif
}

// Hands the signal to whoever handled it before this engine. With the default action in place again, returning repeats
// the fault and ends the process as usual.
void pass_on(int signal, siginfo_t *info, void *context) {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (kSignals[i] != signal) continue;
    const struct sigaction &previous = previous_actions[i];
    if ((previous.sa_flags & SA_SIGINFO) != 0) return previous.sa_sigaction(signal, info, context);
    if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) return previous.sa_handler(signal);
    struct sigaction action{};
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
    if (info->si_code <= 0) raise(signal);  // sent by a process: nothing would repeat it
  }
}

// Host code reached for memory of the device that is hidden from it: the message is written here, as the fault is no
// accident of the thread's own state.
void tell_of_host_access(int signal, const siginfo_t &info, const ucontext_t &context) {
  const ReportHostAccess report = report_host_access.exchange(nullptr);  // once: it may fault itself
  if (report != nullptr && signal == SIGSEGV && info.si_code != SI_KERNEL)
    report(info.si_addr, access_of(context), program_counter(context));
}

// What the signal says of an access.
Fault fault_of(int signal, const siginfo_t &info, const ucontext_t &context) {
  Fault fault{.signal = signal, .address = info.si_addr, .code = program_counter(context)};
  fault.address_known = signal == SIGSEGV && info.si_code != SI_KERNEL;
  if (fault.address_known) fault.access = access_of(context);
  return fault;
}

void handle(int signal, siginfo_t *info, void *raw_context) {
  Thread *const thread = current_thread;
  if (thread == nullptr && info->si_code > 0 && can_land() && (signal == SIGSEGV || signal == SIGBUS)) {
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, signal);
    pthread_sigmask(SIG_UNBLOCK, &own, nullptr);  // no handler returns
    land(fault_of(signal, *info, *static_cast<const ucontext_t *>(raw_context)));
  }
  if (thread == nullptr && info->si_code > 0)
    tell_of_host_access(signal, *info, *static_cast<const ucontext_t *>(raw_context));
  if (thread == nullptr || info->si_code <= 0) return pass_on(signal, info, raw_context);
  auto &context = *static_cast<ucontext_t *>(raw_context);
  const Stack &stack = thread->stack;
  Fault fault = fault_of(signal, *info, context);
  fault.caller = return_address(context, stack);
  // The second test is for systems without guards that fault, and for a frame that was set up but never touched.
  fault.stack_overflow = signal == SIGSEGV && (stack.overflowed_at(info->si_addr) ||
                                               stack.overflowed_at(reinterpret_cast<void *>(stack_pointer(context))));
  thread->block->set_fault(fault);
  thread->stop = Stop::kFault;
  redirect(context, thread->block->scheduler_context());
}

// The alternate signal stack of an OS thread, for as long as the thread lives.
class SignalStack {
 public:
  SignalStack() {
    stack_t present{};
    if (sigaltstack(nullptr, &present) == 0 && (present.ss_flags & SS_DISABLE) == 0) return;
    void *memory = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;  // handlers then run on the stack that faulted: fine unless it overflowed
    memory_ = memory;
    const stack_t mine{.ss_sp = memory_, .ss_flags = 0, .ss_size = kSize};
    sigaltstack(&mine, nullptr);
  }
  SignalStack(const SignalStack &) = delete;
  SignalStack &operator=(const SignalStack &) = delete;
  ~SignalStack() {
    if (memory_ == nullptr) return;
    const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    sigaltstack(&none, nullptr);
    munmap(memory_, kSize);
  }

 private:
  static constexpr std::size_t kSize = 131072;
  void *memory_ = nullptr;
};

}  // namespace

Outcome fault_outcome(const Fault &fault) {
  if (fault.refusal == Refusal::kMisaligned) return Outcome::kMisalignedAddress;
  if (fault.stack_overflow) return Outcome::kStackOverflow;
  return fault.signal == SIGSEGV || fault.signal == SIGBUS ? Outcome::kIllegalAddress : Outcome::kTrap;
}

void install_fault_handlers() {
  static const bool done = [] {
    struct sigaction action{};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &previous_actions[i]);
    return true;
  }();
  static_cast<void>(done);
}

void set_host_access_report(ReportHostAccess report) { report_host_access = report; }

bool can_land() { return landing != nullptr; }

void land(const Fault &fault) {
  landing->fault = fault;
  longjmp(landing->context, 1);
}

bool run_or_land(void (*body)(void *), void *state, Fault *fault) {
  Landing here, *const outer = landing;
  const bool landed = _setjmp(here.context) != 0;
  if (!landed) {
    landing = &here;
    body(state);
  }
  landing = outer;
  if (landed) *fault = here.fault;
  return !landed;
}

void use_signal_stack() {
  static thread_local SignalStack stack;
  static_cast<void>(stack);
}

}  // namespace warploom
