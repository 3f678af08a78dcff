// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arena.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace warploom {
namespace {

constexpr std::size_t kSmallUnit = 512;         // alignment of what cudaMalloc returns on current devices
constexpr std::size_t kLargeUnit = 2UL << 20;   // a device page; also the size of a huge page
constexpr std::size_t kSmallLimit = 1UL << 20;  // blocks below this share chunks
constexpr std::size_t kChunk = 32UL << 20;
// Large blocks begin at different places of a page. Where all begin at the same one, as the rows of matrices of a power
// of two do anyway, what a kernel reads of several matrices and writes meets in the same few sets of the cache, and a
// load waits for an earlier store to an address that is the same but for the page.
constexpr std::size_t kStagger = 3 * kSmallUnit, kPage = 4096;
constexpr int kReserveFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

std::size_t round_up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }

// Copies all but pages of zeros, which a new file has anyway.
void copy_pages(std::byte *to, const std::byte *from, std::size_t size) {
  static const std::byte kZeros[4096] = {};
  for (std::size_t at = 0; at < size; at += sizeof kZeros) {
    const std::size_t bytes = std::min(sizeof kZeros, size - at);
    if (std::memcmp(from + at, kZeros, bytes) != 0) std::memcpy(to + at, from + at, bytes);
  }
}

// Puts a new file with the same content under mapped pages; -1 when the system has no more files or memory.
int move_into_file(void *base, std::size_t size) {
  const int file = memfd_create("warploom", MFD_CLOEXEC);
  if (file < 0) return -1;
  void *const view = ftruncate(file, static_cast<off_t>(size)) == 0
                         ? mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                         : MAP_FAILED;
  if (view != MAP_FAILED) {
    mprotect(base, size, PROT_READ);
    copy_pages(static_cast<std::byte *>(view), static_cast<const std::byte *>(base), size);
    if (mremap(view, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, base) != MAP_FAILED) return file;
    mprotect(base, size, PROT_READ | PROT_WRITE);
    munmap(view, size);
  }
  close(file);
  return -1;
}

}  // namespace

void RangeSet::insert(std::uintptr_t base, std::size_t size) {
  by_base_.emplace(base, size);
  by_size_.emplace(size, base);
}

void RangeSet::erase(std::uintptr_t base, std::size_t size) {
  by_base_.erase(base);
  by_size_.erase({size, base});
}

void RangeSet::add(std::uintptr_t base, std::size_t size) {
  auto next = by_base_.lower_bound(base);
  if (next != by_base_.end() && base + size == next->first) {
    const std::size_t next_size = next->second;
    erase(next->first, next_size);
    size += next_size;
  }
  auto previous = by_base_.lower_bound(base);
  if (previous != by_base_.begin() && (--previous)->first + previous->second == base) {
    const auto [previous_base, previous_size] = *previous;
    erase(previous_base, previous_size);
    base = previous_base;
    size += previous_size;
  }
  insert(base, size);
}

std::uintptr_t RangeSet::take(std::size_t size) {
  const auto fit = by_size_.lower_bound({size, 0});
  if (fit == by_size_.end()) return 0;
  const auto [fit_size, base] = *fit;
  erase(base, fit_size);
  if (fit_size > size) insert(base + size, fit_size - size);
  return base;
}

Arena::Arena(std::size_t bytes, std::size_t guard) : guard_(guard) {
  for (bytes = round_up(bytes, kLargeUnit); bytes >= kChunk; bytes = round_up(bytes / 2, kLargeUnit)) {
    void *start = mmap(nullptr, bytes + kLargeUnit, PROT_NONE, kReserveFlags, -1, 0);
    if (start == MAP_FAILED) continue;
    base_ = round_up(reinterpret_cast<std::uintptr_t>(start), kLargeUnit);
    size_ = bytes;
    reserved_.add(base_, size_);
    return;
  }
}

// What blocks' pages are counted in.
std::size_t Arena::unit() const { return guard_ != 0 ? kPage : kLargeUnit; }

// The pages that a block lies in which has its own.
std::pair<std::uintptr_t, std::size_t> Arena::pages_of(std::uintptr_t address, std::size_t size) const {
  const std::uintptr_t base = address / unit() * unit();
  return {base, round_up(address + size - base, unit())};
}

std::uintptr_t Arena::take_reserved(std::size_t size) {
  if (const std::uintptr_t base = reserved_.take(size)) return base;
  for (const auto &[base, bytes] : std::exchange(retired_, {})) reserved_.add(base, bytes);
  return reserved_.take(size);
}

// Ends at the end of its pages, or less than its alignment before.
void *Arena::take_guarded(std::size_t size) {
  const std::size_t natural = std::min(size & (~size + 1), kSmallUnit), alignment = std::max(guard_, natural);
  const std::size_t pages = round_up(size, kPage), asked = round_up(size, alignment);
  const std::uintptr_t base = take_reserved(pages + kPage);
  if (!base) return nullptr;
  if (mprotect(reinterpret_cast<void *>(base), pages, PROT_READ | PROT_WRITE) != 0) {
    reserved_.add(base, pages + kPage);
    return nullptr;
  }
  // Where access rights come and go (WARPLOOM_STRICT), few large pages cost less than many small ones.
  if (pages >= 2 * kLargeUnit) madvise(reinterpret_cast<void *>(base), pages, MADV_HUGEPAGE);
  return reinterpret_cast<void *>(base + pages - asked);
}

std::uintptr_t Arena::take_mapped(std::size_t size) {
  const std::uintptr_t base = reserved_.take(size);
  if (!base) return 0;
  void *start = reinterpret_cast<void *>(base);
  if (mprotect(start, size, PROT_READ | PROT_WRITE) != 0) {
    reserved_.add(base, size);
    return 0;
  }
  madvise(start, size, MADV_HUGEPAGE);  // a hint: kernels without huge pages refuse it
  return base;
}

void *Arena::take_large(std::size_t size) {
  const std::size_t stagger = large_taken_ * kStagger % kPage;
  const std::size_t pages = round_up(size + stagger, kLargeUnit);
  const std::uintptr_t base = take_mapped(pages);
  if (!base) return nullptr;
  ++large_taken_;
  if (pages > round_up(size, kLargeUnit)) {  // the last page is there for a few bytes
    madvise(reinterpret_cast<void *>(base + pages - kLargeUnit), kLargeUnit, MADV_NOHUGEPAGE);
  }
  return reinterpret_cast<void *>(base + stagger);
}

void *Arena::take(std::size_t size) {
  if (guard_ != 0) return take_guarded(size);
  if (size >= kSmallLimit) return take_large(size);
  size = round_up(size, kSmallUnit);
  std::uintptr_t base = small_.take(size);
  if (!base) {
    const std::uintptr_t chunk = take_mapped(kChunk);
    if (!chunk) return nullptr;
    small_.add(chunk, kChunk);
    chunks_.insert(chunk);
    base = small_.take(size);
  }
  return reinterpret_cast<void *>(base);
}

void Arena::give_back(void *base, std::size_t size) {
  const auto address = reinterpret_cast<std::uintptr_t>(base);
  if (guard_ == 0 && size < kSmallLimit) {
    small_.add(address, round_up(size, kSmallUnit));
    return;
  }
  const auto [first, bytes] = pages_of(address, size);
  if (const auto shared = files_.find(first); shared != files_.end()) {
    close(shared->second);
    files_.erase(shared);
  }
  if (!unmap(reinterpret_cast<void *>(first), bytes)) return;
  if (guard_ != 0) {
    retired_.emplace_back(first, bytes + kPage);
  } else {
    reserved_.add(first, bytes);
  }
}

void Arena::set_access(void *base, std::size_t size, bool allowed) const {
  const auto [first, bytes] = pages_of(reinterpret_cast<std::uintptr_t>(base), size);
  mprotect(reinterpret_cast<void *>(first), bytes, allowed ? PROT_READ | PROT_WRITE : PROT_NONE);
}

std::optional<SharedPages> Arena::share(void *base, std::size_t size) {
  const auto address = reinterpret_cast<std::uintptr_t>(base);
  const auto [first, bytes] = pages_of(address, size);
  SharedPages pages = {-1, first, bytes};
  if (guard_ == 0 && size < kSmallLimit) pages = {-1, *std::prev(chunks_.upper_bound(address)), kChunk};
  if (const auto shared = files_.find(pages.base); shared != files_.end()) {
    pages.file = shared->second;
    return pages;
  }
  pages.file = move_into_file(reinterpret_cast<void *>(pages.base), pages.size);
  if (pages.file < 0) return std::nullopt;
  files_[pages.base] = pages.file;
  return pages;
}

void *Arena::reserve(std::size_t size, std::size_t alignment) {
  size = round_up(size, kLargeUnit);
  alignment = std::max(alignment, kLargeUnit);
  const std::size_t slack = alignment - unit();
  const std::uintptr_t found = take_reserved(size + slack);
  if (!found) return nullptr;
  const std::uintptr_t base = round_up(found, alignment);
  if (base > found) reserved_.add(found, base - found);
  if (const std::size_t rest = found + slack - base) reserved_.add(base + size, rest);
  return reinterpret_cast<void *>(base);
}

// Mapping afresh drops the pages and takes access away in one call.
bool Arena::unmap(void *base, std::size_t size) {
  return mmap(base, size, PROT_NONE, kReserveFlags | MAP_FIXED, -1, 0) != MAP_FAILED;
}

void Arena::give_back_reserved(void *base, std::size_t size) {
  size = round_up(size, kLargeUnit);
  if (unmap(base, size)) reserved_.add(reinterpret_cast<std::uintptr_t>(base), size);
}

}  // namespace warploom
