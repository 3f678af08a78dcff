// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "directions.h"

#include <cstdint>
#include <random>
#include <vector>

extern "C" const unsigned char __warploom_sobol_directions[];

namespace warploom::curand {
namespace {

// How many primitive polynomials over GF(2) there are of each degree, from 1.
constexpr unsigned kPolynomials[] = {1, 1, 2, 2, 6, 6, 18, 16, 48, 60, 176, 144, 630, 756, 1800, 2048, 7710, 7776};

// Numbers from a stream of bits.
class Bits {
 public:
  unsigned take(unsigned width) {
    unsigned value = 0;
    for (unsigned i = 0; i < width; ++i, ++at_) {
      value |= static_cast<unsigned>(__warploom_sobol_directions[at_ / 8] >> at_ % 8 & 1) << i;
    }
    return value;
  }

 private:
  std::size_t at_ = 0;
};

// v_k = a_1 v_(k-1) ^ ... ^ a_(s-1) v_(k-s+1) ^ v_(k-s) ^ v_(k-s) >> s for k > s, where a_1 is the highest bit of a.
template <class Word, unsigned kBits>
void read_dimension(Bits &bits, unsigned degree, Word (&v)[kBits]) {
  const unsigned a = bits.take(degree - 1);
  for (unsigned k = 0; k < degree; ++k) v[k] = static_cast<Word>(bits.take(k) * 2 + 1) << (kBits - 1 - k);
  for (unsigned k = degree; k < kBits; ++k) {
    v[k] = v[k - degree] ^ v[k - degree] >> degree;
    for (unsigned j = 1; j < degree; ++j) v[k] ^= a >> (degree - 1 - j) & 1 ? v[k - j] : Word{0};
  }
}

template <class Word, unsigned kBits>
Word (*make_plain()) [kBits] {
  auto *const table = new Word[kDimensions][kBits];
  for (unsigned k = 0; k < kBits; ++k) table[0][k] = Word{1} << (kBits - 1 - k);
  Bits bits;
  unsigned dimension = 1, degree = 0;
  for (const unsigned count : kPolynomials) {
    ++degree;
    for (unsigned i = 0; i < count && dimension < kDimensions; ++i) read_dimension(bits, degree, table[dimension++]);
  }
  return table;
}

// Digit j of the product is digit j plus a random sum of the digits before it.
template <class Word, unsigned kBits>
Word (*make_scrambled(const Word (*plain)[kBits])) [kBits] {
  auto *const table = new Word[kDimensions][kBits]();
  std::mt19937_64 random(20000 + kBits);
  for (unsigned dimension = 0; dimension < kDimensions; ++dimension) {
    for (unsigned j = 0; j < kBits; ++j) {
      const Word digit = Word{1} << (kBits - 1 - j);
      const Word row = digit | (static_cast<Word>(random()) & ~(digit | (digit - 1)));
      for (unsigned k = 0; k < kBits; ++k) {
        if (__builtin_parityll(plain[dimension][k] & row)) table[dimension][k] |= digit;
      }
    }
  }
  return table;
}

template <class Word>
Word *make_shifts() {
  auto *const shifts = new Word[kDimensions];
  std::mt19937_64 random(8 * sizeof(Word));
  for (unsigned dimension = 0; dimension < kDimensions; ++dimension) shifts[dimension] = static_cast<Word>(random());
  return shifts;
}

}  // namespace

curandDirectionVectors32_t *direction_vectors32(bool scrambled) {
  static auto *const plain = make_plain<unsigned, 32>();
  if (!scrambled) return plain;
  static auto *const result = make_scrambled<unsigned, 32>(plain);
  return result;
}

curandDirectionVectors64_t *direction_vectors64(bool scrambled) {
  static auto *const plain = make_plain<unsigned long long, 64>();
  if (!scrambled) return plain;
  static auto *const result = make_scrambled<unsigned long long, 64>(plain);
  return result;
}

unsigned *shifts32() {
  static auto *const result = make_shifts<unsigned>();
  return result;
}

unsigned long long *shifts64() {
  static auto *const result = make_shifts<unsigned long long>();
  return result;
}

}  // namespace warploom::curand
