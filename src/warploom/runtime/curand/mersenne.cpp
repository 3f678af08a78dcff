// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MT19937 as cuRAND documents it: result n is number n / 8192 of generator n mod 8192, and each of the 8192 generators
// is 2^1000 numbers ahead of the one before it. The states lie word by word, so that 8192 numbers are made by vectors.
#include "mersenne.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "draw.h"
#include "mersenne_jump.h"

namespace warploom::curand {
namespace {

constexpr unsigned kGenerators = 8192, kApart = 1000;
constexpr unsigned kPieceLog2 = 6, kPiece = 1 << kPieceLog2;

struct Jumps {
  Polynomial next = repeated(kNextWord, kApart);
  Polynomial piece = repeated(next, kPieceLog2);
};
const Jumps &jumps() {
  static const Jumps made;
  return made;
}

TwisterState seeded(unsigned seed) {
  TwisterState state{seed};
  for (unsigned i = 1; i < kTwisterWords; ++i) {
    state[i] = 1812433253u * (state[i - 1] ^ state[i - 1] >> 30) + i;
  }
  return state;
}

using Row = unsigned[kGenerators];  // one word of each state
using Rows = std::unique_ptr<Row[]>;

// The states before the first number: pieces of them when they are first needed.
class Beginning {
 public:
  explicit Beginning(unsigned seed)
      : seed_(seed), first_{seeded(seed)}, rows_(std::make_unique_for_overwrite<Row[]>(kTwisterWords)) {}

  unsigned seed() const { return seed_; }

  // Copies words of the generators `from` to `to`.
  void copy(Row *rows, unsigned from, unsigned to) {
    const std::lock_guard lock(mutex_);
    make((to + kPiece - 1) / kPiece);
    for (unsigned i = 0; i < kTwisterWords; ++i) std::copy(rows_[i] + from, rows_[i] + to, rows[i] + from);
  }

 private:
  void make(unsigned pieces) {
    if (pieces <= made_) return;
    while (first_.size() < pieces) first_.push_back(jumped(first_.back(), jumps().piece));
    const std::size_t count = pieces - made_;
    in_pieces(count, count * kPiece * kTwisterWords, [&](std::size_t begin, std::size_t end) {
      for (std::size_t piece = made_ + begin; piece < made_ + end; ++piece) make_piece(piece);
    });
    made_ = pieces;
  }

  void make_piece(std::size_t piece) {
    TwisterState state = first_[piece];
    for (std::size_t column = piece * kPiece;;) {
      for (unsigned i = 0; i < kTwisterWords; ++i) rows_[i][column] = state[i];
      if (++column % kPiece == 0) return;
      state = jumped(state, jumps().next);
    }
  }

  std::mutex mutex_;
  unsigned seed_;
  unsigned made_ = 0;                // pieces
  std::vector<TwisterState> first_;  // of the pieces
  Rows rows_;
};

// The last seed's is kept: programs make one generator after another.
std::shared_ptr<Beginning> beginning(unsigned seed) {
  static auto &mutex = *new std::mutex;
  static auto &last = *new std::shared_ptr<Beginning>;
  const std::lock_guard lock(mutex);
  if (last == nullptr || last->seed() != seed) last = std::make_shared<Beginning>(seed);
  return last;
}

class Twisters : public Engine {
 public:
  explicit Twisters(unsigned seed)
      : beginning_(beginning(seed)), rows_(std::make_unique_for_overwrite<Row[]>(kTwisterWords)) {}

  void generate(const Request &request) override {
    draw<TwisterNumber>(request, [&]<std::size_t kResults, class T>(T *out, const auto &make) {
      static_assert(kResults == 1);
      fill(out, request.count, make);
    });
  }

 private:
  template <class T, class Make>
  void fill(T *out, std::size_t count, const Make &make) {
    begin(count);
    const std::size_t end = column_ + count, rounds = (end + kGenerators - 1) / kGenerators;
    const std::size_t columns = rounds > 1 ? kGenerators : count, first = rounds > 1 ? 0 : column_;
    in_pieces((columns + kStrip - 1) / kStrip, count, [&](std::size_t begin, std::size_t stop) {
      for (std::size_t round = 0; round < rounds; ++round) {
        const std::size_t low = std::max(first + begin * kStrip, round == 0 ? column_ : 0);
        const std::size_t high = std::min({first + stop * kStrip, std::size_t{kGenerators}, end - round * kGenerators});
        for (std::size_t from = low; from < high; from += kStrip) {
          const std::size_t to = std::min(from + kStrip, high);
          unsigned numbers[kStrip];
          next(static_cast<unsigned>((row_ + round) % kTwisterWords), from, to, numbers);
          T *const place = out + (round * kGenerators + from - column_);
          for (std::size_t i = 0; i < to - from; ++i) {
            TwisterNumber number{numbers[i]};
            make(number, place + i);
          }
        }
      }
    });
    row_ = static_cast<unsigned>((row_ + end / kGenerators) % kTwisterWords);
    column_ = end % kGenerators;
  }

  // Columns that the first row needs for the first time.
  void begin(std::size_t count) {
    if (beginning_ == nullptr) return;
    const auto from = static_cast<unsigned>(column_);
    const auto to = static_cast<unsigned>(std::min<std::size_t>(column_ + count, kGenerators));
    beginning_->copy(rows_.get(), from, to);
    if (to == kGenerators) beginning_.reset();
  }

  void next(unsigned row, std::size_t from, std::size_t to, unsigned *numbers) {
    unsigned *const x = rows_[row];
    const unsigned *const after = rows_[(row + 1) % kTwisterWords], *const far = rows_[(row + 397) % kTwisterWords];
    for (std::size_t i = from; i < to; ++i) {
      unsigned y = x[i] = twisted(x[i], after[i], far[i]);
      y ^= y >> 11;
      y ^= y << 7 & 0x9d2c5680u;
      y ^= y << 15 & 0xefc60000u;
      numbers[i - from] = y ^ y >> 18;
    }
  }

  static constexpr std::size_t kStrip = 512;

  std::shared_ptr<Beginning> beginning_;  // until all generators have begun
  Rows rows_;
  unsigned row_ = 0;        // the next number's
  std::size_t column_ = 0;  // the next number's
};

}  // namespace

std::unique_ptr<Engine> mersenne_twister(unsigned seed) { return std::make_unique<Twisters>(seed); }

}  // namespace warploom::curand
