// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mersenne_jump.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <tuple>
#include <vector>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace warploom::curand {
namespace {

constexpr unsigned kDegree = 19937, kFar = 397, kDiscarded = 31;
constexpr std::uint32_t kMatrix = 0x9908b0df;  // of Matsumoto and Nishimura's 1998 paper, like the formula for p

// Bits of a polynomial of twice p's degree, or of one bit of each word of a sequence.
using Bits = std::array<std::uint64_t, 2 * std::tuple_size_v<Polynomial>>;

void flip(Bits &bits, unsigned at) { bits[at / 64] ^= std::uint64_t{1} << at % 64; }
bool is_set(const Bits &bits, unsigned at) { return bits[at / 64] >> at % 64 & 1; }

// The polynomial times x^high + x^low.
Bits times(const Bits &bits, unsigned high, unsigned low) {
  Bits product{};
  for (unsigned i = 0; i <= kDegree - high; ++i) {
    if (!is_set(bits, i)) continue;
    flip(product, i + high);
    flip(product, i + low);
  }
  return product;
}

// Exponents of p's terms, the degree first: with s = x^624 + x^397 and t = x^623 + x^396,
// p = s t^31 + a_0 s t^30 + ... + a_30 s + a_31, where a_i is bit i of the matrix's last row.
std::vector<unsigned> terms_of_p() {
  Bits sum{}, power{};  // power: of t
  power[0] = 1;
  const auto add = [&](const Bits &bits) {
    for (unsigned i = 0; i < sum.size(); ++i) sum[i] ^= bits[i];
  };
  if (kMatrix >> kDiscarded & 1) add(power);
  for (unsigned i = 0; i <= kDiscarded; ++i) {
    const bool last = i == kDiscarded;
    if (last || kMatrix >> (kDiscarded - 1 - i) & 1) add(times(power, kTwisterWords, kFar));
    if (!last) power = times(power, kTwisterWords - 1, kFar - 1);
  }
  std::vector<unsigned> terms;
  for (unsigned i = kDegree + 1; i-- > 0;)
    if (is_set(sum, i)) terms.push_back(i);
  return terms;
}

// The remainder of a polynomial by p, some words at a time from the top: p's second term is so far below its first
// that they do not change each other.
constexpr unsigned kTaken = 9;
Polynomial remainder(Bits bits, const std::vector<unsigned> &terms) {
  const auto take = [&](unsigned first, unsigned count) {
    std::uint64_t words[kTaken + 2] = {};  // between zeros
    std::copy_n(&bits[first], count, words + 1);
    std::fill_n(&bits[first], count, 0);
    for (std::size_t k = 1; k < terms.size(); ++k) {
      const unsigned at = first * 64 - kDegree + terms[k], shift = at % 64;
      for (unsigned i = 0; i <= count; ++i) bits[at / 64 + i] ^= words[i + 1] << shift ^ words[i] >> 1 >> (63 - shift);
    }
  };
  constexpr unsigned kLast = kDegree / 64;
  unsigned end = static_cast<unsigned>(bits.size());
  for (; end > kLast + 1 + kTaken; end -= kTaken) take(end - kTaken, kTaken);
  take(kLast + 1, end - kLast - 1);
  const std::uint64_t rest = bits[kLast] >> kDegree % 64;
  for (const unsigned term : terms) {
    bits[term / 64] ^= rest << term % 64;
    bits[term / 64 + 1] ^= rest >> 1 >> (63 - term % 64);
  }
  Polynomial result;
  std::copy_n(bits.begin(), result.size(), result.begin());
  return result;
}

std::uint64_t spread(std::uint64_t x) {
  x = (x | x << 16) & 0x0000ffff0000ffff;
  x = (x | x << 8) & 0x00ff00ff00ff00ff;
  x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
  x = (x | x << 2) & 0x3333333333333333;
  return (x | x << 1) & 0x5555555555555555;
}

// The square of a sum over GF(2) is the sum of the squares.
Polynomial square(const Polynomial &factor, const std::vector<unsigned> &terms) {
  Bits bits;
  for (unsigned i = 0; i < factor.size(); ++i) {
    bits[2 * i] = spread(factor[i] & 0xffffffff);
    bits[2 * i + 1] = spread(factor[i] >> 32);
  }
  return remainder(bits, terms);
}

// A jump looks at so many words, 32 times kBlocks.
constexpr unsigned kAtOnce = 8, kBlocks = 648, kSequence = 32 * kBlocks;
static_assert(kSequence >= kDegree + kTwisterWords && kBlocks % kAtOnce == 0);

TwisterState jump_by_sums(const std::uint32_t *words, const Polynomial &jump) {
  TwisterState result{};
  for (unsigned i = 0; i < kDegree; ++i) {
    if (jump[i / 64] >> i % 64 & 1)
      for (unsigned j = 0; j < kTwisterWords; ++j) result[j] ^= words[i + j];
  }
  return result;
}

#if defined(__x86_64__)
#define WITH_PRODUCTS __attribute__((target("avx2,pclmul")))
typedef std::uint32_t Block __attribute__((vector_size(4 * kAtOnce)));

// Bit i of row k and bit k of row i change places.
WITH_PRODUCTS void transpose(Block (&rows)[32]) {
  std::uint32_t mask = 0x0000ffff;
  for (unsigned width = 16; width != 0; width /= 2, mask ^= mask << width) {
    for (unsigned k = 0; k < 32; k = (k + width + 1) & ~width) {
      const Block change = (rows[k] >> width ^ rows[k + width]) & mask;
      rows[k] ^= change << width;
      rows[k + width] ^= change;
    }
  }
}

// Bit b of word 32 i + k becomes bit k of planes[b][i].
WITH_PRODUCTS void split(const std::uint32_t *words, std::uint32_t (&planes)[32][kBlocks]) {
  for (unsigned first = 0; first < kBlocks; first += kAtOnce) {
    Block rows[32];
    for (unsigned k = 0; k < 32; ++k)
      for (unsigned i = 0; i < kAtOnce; ++i) rows[k][i] = words[(first + i) * 32 + k];
    transpose(rows);
    for (unsigned k = 0; k < 32; ++k) __builtin_memcpy(&planes[k][first], &rows[k], sizeof rows[k]);
  }
}

// Sums of one bit of the words, 64 in each of `sums`. With the bits of a word of `backwards` turned round, bit t of its
// product with word number d after it is a part of sum number 64 d + t - 63.
constexpr unsigned kSums = kTwisterWords / 64 + 1;
WITH_PRODUCTS void sum_up(const Polynomial &backwards, const std::uint32_t *plane, std::uint64_t (&sums)[kSums]) {
  __m128i products[kSums + 1] = {};
  for (unsigned i = 0; i < backwards.size(); i += 2) {
    const auto factor = _mm_loadu_si128(reinterpret_cast<const __m128i *>(&backwards[i]));
    for (unsigned d = 0; d <= kSums; ++d) {
      const auto bits = _mm_loadu_si128(reinterpret_cast<const __m128i *>(plane + 2 * (i + d)));
      const auto both =
          _mm_xor_si128(_mm_clmulepi64_si128(factor, bits, 0x00), _mm_clmulepi64_si128(factor, bits, 0x11));
      products[d] = _mm_xor_si128(products[d], both);
    }
  }
  for (unsigned d = 0; d < kSums; ++d) {
    const auto low = static_cast<std::uint64_t>(_mm_cvtsi128_si64(products[d]));
    const auto high = static_cast<std::uint64_t>(_mm_extract_epi64(products[d], 1));
    sums[d] = (high << 1 | low >> 63) ^ static_cast<std::uint64_t>(_mm_cvtsi128_si64(products[d + 1])) << 1;
  }
}

WITH_PRODUCTS TwisterState jump_by_products(const std::uint32_t *words, const Polynomial &jump) {
  const auto planes = std::make_unique_for_overwrite<std::uint32_t[][32][kBlocks]>(1);
  split(words, planes[0]);
  Polynomial backwards;
  for (unsigned i = 0; i < jump.size(); ++i) backwards[i] = __builtin_bitreverse64(jump[i]);
  std::uint64_t sums[32][kSums];
  for (unsigned bit = 0; bit < 32; ++bit) sum_up(backwards, planes[0][bit], sums[bit]);
  TwisterState result;
  for (unsigned first = 0; first * 32 < kTwisterWords; first += kAtOnce) {
    Block rows[32];
    for (unsigned bit = 0; bit < 32; ++bit)
      for (unsigned i = 0; i < kAtOnce; ++i) {
        const unsigned at = std::min(first + i, 2 * kSums - 1);
        rows[bit][i] = static_cast<std::uint32_t>(sums[bit][at / 2] >> at % 2 * 32);
      }
    transpose(rows);
    for (unsigned i = 0; i < kAtOnce; ++i)
      for (unsigned k = 0; k < 32 && (first + i) * 32 + k < kTwisterWords; ++k)
        result[(first + i) * 32 + k] = rows[k][i];
  }
  return result;
}
#endif

}  // namespace

void extend_twister(std::uint32_t *words, unsigned next, unsigned end) {
  constexpr unsigned kStep = kTwisterWords - kFar;  // words that do not need each other
  while (next < end) {
    const unsigned stop = std::min(next + kStep, end);
    const std::uint32_t *const old = words + next - kTwisterWords, *const far = words + next - kStep;
    std::uint32_t *const made = words + next;
    for (unsigned i = 0; i < stop - next; ++i) made[i] = twisted(old[i], old[i + 1], far[i]);
    next = stop;
  }
}

Polynomial repeated(Polynomial jump, unsigned log2) {
  const std::vector<unsigned> terms = terms_of_p();
  for (unsigned i = 0; i < log2; ++i) jump = square(jump, terms);
  return jump;
}

TwisterState jumped(const TwisterState &state, const Polynomial &jump) {
  const auto words = std::make_unique_for_overwrite<std::uint32_t[]>(kSequence);
  std::copy(state.begin(), state.end(), words.get());
  extend_twister(words.get(), kTwisterWords, kSequence);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("pclmul") && __builtin_cpu_supports("avx2")) return jump_by_products(words.get(), jump);
#endif
  return jump_by_sums(words.get(), jump);
}

}  // namespace warploom::curand
