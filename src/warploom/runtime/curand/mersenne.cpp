// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MT19937 as cuRAND has it (measured on an H200, cuRAND of CUDA 13; its documentation tells of 8192 generators, too,
// but of 2^1000 numbers between them and of another order): 8192 generators, each 2^2048 numbers ahead of the one
// before it, give eight numbers in turn. In the course of 78 such rounds a generator gives its next 624 numbers, not in
// their order:
//
//   round 0        numbers 0, 113, 170, 283, 340, 397, 510 and 567
//   rounds 1 to 7  1 to 56, of which each of the eight gives seven in a row: 1, 8, 15, ..., 50; then 2, 9, 16, ..., 51
//   and so on      the next 56 of those that are left
//
// The states lie word by word, so that vectors of generators are made at a time.
#include "mersenne.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "draw.h"
#include "mersenne_jump.h"

namespace warploom::curand {
namespace {

constexpr unsigned kGenerators = 8192, kApart = 2048;
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

constexpr unsigned kTogether = 8, kRounds = kTwisterWords / kTogether;  // numbers of a round, rounds until a new state

// Which number of the state is the one numbered `number` of a round.
unsigned place_of(unsigned round, unsigned number) {
  constexpr unsigned kFirst[kTogether] = {0, 113, 170, 283, 340, 397, 510, 567}, kRow = kTogether - 1;
  if (round == 0) return kFirst[number];
  unsigned place = round - 1 + (round - 1) / kRow * (kTogether * kRow - kRow) + number * kRow;
  for (const unsigned first : kFirst) place += first <= place;
  return place;
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
  static constexpr std::size_t kRound = kGenerators * kTogether, kStrip = 512;  // numbers
  static_assert(kStrip % kTogether == 0);

  template <class T, class Make>
  void fill(T *out, std::size_t count, const Make &make) {
    begin(at_ + count);
    const std::size_t start = at_ % kRound, end = start + count, rounds = (end + kRound - 1) / kRound;
    const std::size_t first = rounds > 1 ? 0 : start / kStrip,
                      last = ((rounds > 1 ? kRound : end) + kStrip - 1) / kStrip;
    in_pieces(last - first, count, [&](std::size_t from, std::size_t to) {
      for (std::size_t strip = (first + from) * kStrip; strip < (first + to) * kStrip; strip += kStrip) {
        for (std::size_t round = 0; round < rounds; ++round) {
          const std::size_t low = std::max(strip, round == 0 ? start : 0);
          const std::size_t high = std::min(strip + kStrip, end - round * kRound);
          if (low < high) fill_strip(at_ / kRound + round, low, high, out + (round * kRound + low - start), make);
        }
      }
    });
    at_ += count;
  }

  // Numbers `low` to `high` of a round, of one strip.
  template <class T, class Make>
  void fill_strip(unsigned long long round, std::size_t low, std::size_t high, T *out, const Make &make) {
    const std::size_t from = low / kTogether, to = (high + kTogether - 1) / kTogether;
    const auto in_state = static_cast<unsigned>(round % kRounds);
    if (in_state == 0) renew((low + kTogether - 1) / kTogether, to);
    unsigned numbers[kStrip];
    for (unsigned i = 0; i < kTogether; ++i) {
      const unsigned *const row = rows_[place_of(in_state, i)];
      for (std::size_t generator = from; generator < to; ++generator) {
        numbers[(generator - from) * kTogether + i] = tempered(row[generator]);
      }
    }
    for (std::size_t i = low; i < high; ++i) {
      TwisterNumber number{numbers[i - from * kTogether]};
      make(number, out + (i - low));
    }
  }

  // The next states of the generators `from` to `to`.
  void renew(std::size_t from, std::size_t to) {
    for (unsigned i = 0; i < kTwisterWords; ++i) {
      unsigned *const x = rows_[i];
      const unsigned *const after = rows_[(i + 1) % kTwisterWords], *const far = rows_[(i + 397) % kTwisterWords];
      for (std::size_t generator = from; generator < to; ++generator) {
        x[generator] = twisted(x[generator], after[generator], far[generator]);
      }
    }
  }

  static unsigned tempered(unsigned y) {
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
  }

  // Generators that the first round needs until number `end`.
  void begin(unsigned long long end) {
    if (beginning_ == nullptr) return;
    const auto to = static_cast<unsigned>(std::min<unsigned long long>((end + kTogether - 1) / kTogether, kGenerators));
    if (to > begun_) beginning_->copy(rows_.get(), begun_, to);
    begun_ = to;
    if (to == kGenerators) beginning_.reset();
  }

  std::shared_ptr<Beginning> beginning_;  // until all generators have begun
  Rows rows_;
  unsigned begun_ = 0;  // generators
  unsigned long long at_ = 0;
};

}  // namespace

std::unique_ptr<Engine> mersenne_twister(unsigned seed) { return std::make_unique<Twisters>(seed); }

}  // namespace warploom::curand
