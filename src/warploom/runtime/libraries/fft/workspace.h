// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory for what is between the steps of a transform: kept for the next run.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace warploom::fft {

class Workspaces {
 public:
  explicit Workspaces(std::size_t bytes) : bytes_(bytes) {}

  // One of them, as long as this lives.
  class Lease {
   public:
    explicit Lease(Workspaces &from) : from_(from), block_(from.take()) {}
    Lease(const Lease &) = delete;
    Lease &operator=(const Lease &) = delete;
    ~Lease() { from_.give_back(std::move(block_)); }
    template <class T>
    T *as() const {
      return reinterpret_cast<T *>(block_.get());
    }

   private:
    friend class Workspaces;
    Workspaces &from_;
    std::unique_ptr<std::byte[], void (*)(std::byte *)> block_;
  };

 private:
  using Block = std::unique_ptr<std::byte[], void (*)(std::byte *)>;
  static constexpr std::align_val_t kAlignment{64};

  Block take() {
    {
      std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        Block block = std::move(idle_.back());
        idle_.pop_back();
        return block;
      }
    }
    auto *made = static_cast<std::byte *>(operator new(bytes_ + 64, kAlignment));
    return Block(made, [](std::byte *block) { operator delete(block, kAlignment); });
  }
  void give_back(Block block) {
    std::lock_guard lock(mutex_);
    idle_.push_back(std::move(block));
  }

  std::size_t bytes_;
  std::mutex mutex_;
  std::vector<Block> idle_;
};

}  // namespace warploom::fft
