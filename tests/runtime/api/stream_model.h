// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs of streams do to memory when all runs as soon as it is submitted, and what is known to be before what.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <memory>
#include <random>
#include <vector>

#include "fixture.h"

inline constexpr int kOperations = 200, kCells = 12, kStreams = 6, kEvents = 4;
// Streams 0 and 1 are the legacy and the thread's own one, the next two blocking, the others not.
inline constexpr int kLegacy = 0, kFirstCreated = 2, kFirstNonBlocking = 4;

using Known = std::bitset<kOperations * 4>;  // operations that come before

// A cell is a word of device memory, or (the second half) of pinned memory.
struct Cell {
  int writer = -1;
  std::vector<int> readers;  // since
};

struct HostCall {
  unsigned *target;
  const unsigned *source;
  unsigned factor;
};

inline void mix(unsigned *target, const unsigned *source, unsigned factor) {
  *target = *target * 31 + *source * factor + 1;
}

// Cells, streams, and the host.
class StreamModel {
 public:
  StreamModel(const StreamModel &) = delete;
  StreamModel &operator=(const StreamModel &) = delete;

 protected:
  explicit StreamModel(unsigned seed) : random_(seed) {
    CHECK_OK(cudaMalloc(reinterpret_cast<void **>(&device_), sizeof(unsigned) * kCells));
    CHECK_OK(cudaMallocHost(reinterpret_cast<void **>(&pinned_), sizeof(unsigned) * kCells));
    CHECK_OK(cudaMemset(device_, 0, sizeof(unsigned) * kCells));
    CHECK_OK(cudaDeviceSynchronize());
    std::memset(pinned_, 0, sizeof(unsigned) * kCells);
  }
  ~StreamModel() {
    CHECK_OK(cudaFree(device_));
    CHECK_OK(cudaFreeHost(pinned_));
  }

  int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

  unsigned *place(int cell) { return cell < kCells ? device_ + cell : pinned_ + (cell - kCells); }

  // What is before the next operation of a stream.
  Known before(int stream) const {
    Known result = known_[stream] | host_;
    if (stream == kLegacy) {
      for (int i = 0; i < kFirstNonBlocking; ++i) result |= known_[i];
    } else if (stream < kFirstNonBlocking) {
      result |= known_[kLegacy];
    }
    return result;
  }

  bool may_read(int cell, const Known &known) const { return cells_[cell].writer < 0 || known[cells_[cell].writer]; }
  bool may_write(int cell, const Known &known) const {
    return may_read(cell, known) && std::ranges::all_of(cells_[cell].readers, [&](int each) { return known[each]; });
  }

  // The number of a new operation of the stream.
  int enter(int stream) {
    known_[stream] = before(stream);
    known_[stream].set(next_);
    return next_++;
  }
  void reads(int operation, int cell) { cells_[cell].readers.push_back(operation); }
  void writes(int operation, int cell) { cells_[cell] = {operation, {}}; }

  // Two cells for an operation, by what is known; false: none found.
  bool find(const Known &known, int *target, int *source, int first = 0, int last = 2 * kCells) {
    for (int i = 0; i < 20; ++i) {
      *target = first + below(last - first);
      *source = below(2 * kCells);
      if (*source != *target && may_write(*target, known) && may_read(*source, known)) return true;
    }
    return false;
  }

  unsigned delay() { return below(4) == 0 ? static_cast<unsigned>(below(20000)) : 0; }

  void note(int operation, int target, int source) {
    writes(operation, target);
    reads(operation, source);
  }

  std::mt19937 random_;
  unsigned *device_ = nullptr, *pinned_ = nullptr;
  std::array<unsigned, 2 * kCells> model_{};
  std::array<Cell, 2 * kCells> cells_{};
  std::array<cudaStream_t, kStreams> streams_{};
  std::array<Known, kStreams> known_{};
  Known host_, left_;  // what the host knows of; what destroyed streams had to do
  std::vector<std::unique_ptr<HostCall>> calls_;
  int next_ = 0;
};
