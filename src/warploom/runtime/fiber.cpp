// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>

#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif

#include "own_pages.h"

extern "C" void __warploom_fiber_start();

namespace warploom {
namespace {

constexpr std::size_t kStacksPerSlab = 32, kSlab = std::size_t{32} << 20;  // bytes; large stacks are fewer
constexpr std::size_t kGuard = 65536;  // a frame larger than this can step over the guard

// MADV_GUARD_INSTALL (Linux 6.13): a guard that costs no mapping of its own.
constexpr int kMadviseGuardInstall = 102;

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

// Guards that mprotect may still make. Each splits a mapping in two, and a process has only vm.max_map_count of them:
// the program needs some as well.
bool take_protected_guard() {
  static std::atomic<long> left = [] {
    long maximum = 65530;
    if (std::FILE *file = std::fopen("/proc/sys/vm/max_map_count", "r")) {
      if (std::fscanf(file, "%ld", &maximum) != 1) maximum = 65530;
      std::fclose(file);
    }
    return maximum / 4;
  }();
  return left.fetch_sub(1, std::memory_order_relaxed) > 0;
}

// Whether such a guard works: advice that is not known is an error on Linux and a success under qemu-user. The system
// is asked to read the page.
bool can_install_guards() {
  static const bool can = [] {
    void *page = mmap(nullptr, page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int ends[2];
    if (page == MAP_FAILED || pipe(ends) != 0) return false;
    const bool refused = madvise(page, page_size(), kMadviseGuardInstall) == 0 && write(ends[1], page, 1) < 0;
    close(ends[0]);
    close(ends[1]);
    munmap(page, page_size());
    return refused;
  }();
  return can;
}

std::atomic<unsigned> fiber_rounding = 0;

// Without a guard the stack still works; an overflow then goes unnoticed.
void guard(char *low) {
  if (can_install_guards() && madvise(low, kGuard, kMadviseGuardInstall) == 0) return;
  if (take_protected_guard()) mprotect(low, kGuard, PROT_NONE);
}

}  // namespace

void set_fiber_rounding(unsigned rounding) { fiber_rounding = rounding; }

void *prepare_context(const Stack &stack, void *const *resumer, void (*function)(void *), void *argument,
                      bool flush_denormals) {
  const auto start = reinterpret_cast<std::uintptr_t>(&__warploom_fiber_start);
  const auto code = reinterpret_cast<std::uintptr_t>(function);
  const auto value = reinterpret_cast<std::uintptr_t>(argument);
#if defined(__x86_64__)
  constexpr std::uint64_t kFloatControl = 0x1f80 | std::uint64_t{0x037f} << 32;  // mxcsr, x87 control word
  constexpr std::uint64_t kFlush = 0x8040;                                       // mxcsr: results and inputs
  const std::uint64_t mode = flush_denormals ? kFlush : 0;
  const std::uint64_t control = kFloatControl | std::uint64_t{fiber_rounding} << 13 | mode;
  const std::uint64_t frame[] = {control, 0, 0, code, value, 0, 0, start};
#elif defined(__aarch64__)
  std::uint64_t frame[22] = {value, code};
  frame[11] = start;
  constexpr unsigned kModes[] = {0, 2, 1};  // fpcr: to nearest, up, down
  frame[20] = std::uint64_t{kModes[fiber_rounding]} << 22 | std::uint64_t{flush_denormals} << 24;
#else
  static_cast<void>(flush_denormals);  // there is no such mode
  std::uint64_t frame[26] = {value, code};
  frame[12] = start;
#endif
  static_assert(sizeof frame % 16 == 0);
  void *const *const top[2] = {resumer, nullptr};
  std::memcpy(stack.top - sizeof top, top, sizeof top);
  char *context = stack.top - sizeof top - sizeof frame;
  std::memcpy(context, frame, sizeof frame);
  return context;
}

StackPool::~StackPool() { drop_slabs(); }

void StackPool::require(std::size_t bytes) {
  if (bytes <= usable_) return;
  drop_slabs();
  usable_ = (bytes + page_size() - 1) / page_size() * page_size();
}

Stack StackPool::acquire() {
  if (free_.empty()) add_slab();
  if (free_.empty()) return {};
  const Stack stack = free_.back();
  free_.pop_back();
#if __has_feature(address_sanitizer)  // threads leave their stacks without returning from what they had called
  __asan_unpoison_memory_region(stack.limit, static_cast<std::size_t>(stack.top - stack.limit));
#endif
  return stack;
}

void StackPool::add_slab() {
  // Two things keep equal depths of many stacks from meeting in the same cache and TLB sets: a pitch of an odd number
  // of pages, and tops that differ within a page.
  const std::size_t page = page_size();
  std::size_t pitch = kGuard + usable_ + page;
  if (pitch / page % 2 == 0) pitch += page;
  const std::size_t count = std::clamp<std::size_t>(kSlab / pitch, 1, kStacksPerSlab), size = pitch * count;
  void *slab =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (slab == MAP_FAILED) return;
  madvise(slab, size, MADV_NOHUGEPAGE);  // a huge page a stack would be 2 MiB for a few hundred bytes
  slabs_.push_back({slab, size});
  note_own_pages(slab, size);
  for (std::size_t i = count; i-- > 0;) {  // backwards: the lowest is handed out first
    char *low = static_cast<char *>(slab) + i * pitch;
    guard(low);
    const std::size_t stagger = (made_ + i) * 320 % 4096;
    free_.push_back({low, low + kGuard, low + pitch - stagger});
  }
  made_ += count;
}

void StackPool::drop_slabs() {
  for (const Slab &slab : slabs_) {
    forget_own_pages(slab.address);
    munmap(slab.address, slab.size);
  }
  slabs_.clear();
  free_.clear();
}

}  // namespace warploom
