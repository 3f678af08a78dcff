// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <new>

namespace warploom::blas {

// Memory for operands that are packed for all tiles. One is kept for the next product.
class PackingArea {
 public:
  explicit PackingArea(std::size_t bytes) : block_(kept_.exchange(nullptr)) {
    if (block_ != nullptr && block_->size >= bytes) return;
    drop(block_);
    void *const made = ::operator new(kHeader + bytes, std::align_val_t(kHeader), std::nothrow);
    if (made != nullptr) madvise(made, kHeader + bytes, MADV_HUGEPAGE);
    block_ = made == nullptr ? nullptr : new (made) Block{bytes};
  }
  ~PackingArea() { drop(kept_.exchange(block_)); }
  PackingArea(const PackingArea &) = delete;
  PackingArea &operator=(const PackingArea &) = delete;

  // Null where there is no memory.
  void *get() const { return block_ == nullptr ? nullptr : reinterpret_cast<char *>(block_) + kHeader; }

 private:
  static constexpr std::size_t kHeader = 4096;
  struct Block {
    std::size_t size;
  };
  static void drop(Block *block) { ::operator delete(block, std::align_val_t(kHeader)); }

  static inline std::atomic<Block *> kept_ = nullptr;
  Block *block_;
};

}  // namespace warploom::blas
