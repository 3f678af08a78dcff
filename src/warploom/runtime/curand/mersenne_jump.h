// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MT19937 a long way ahead (Haramoto et al., "Efficient jump ahead for F2-linear random number generators", 2008). Each
// bit of its words x_0, x_1, ... is a linear recurrence with the same characteristic polynomial p over GF(2), so that
// x_(n+j) is the sum of the x_(i+j) for which x^i is a term of x^n mod p.
#pragma once

#include <array>
#include <cstdint>

namespace warploom::curand {

constexpr unsigned kTwisterWords = 624;
using TwisterState = std::array<std::uint32_t, kTwisterWords>;

// Coefficients of 1, x, x^2, ... of a polynomial below p's degree, which is 19937.
using Polynomial = std::array<std::uint64_t, 312>;

constexpr Polynomial kNextWord{2};

// What leads 2^log2 times as far as `jump`.
Polynomial repeated(Polynomial jump, unsigned log2);

// `state`, which a jump has led ahead.
TwisterState jumped(const TwisterState &state, const Polynomial &jump);

// The words `next` to `end` of a sequence whose words before those are there; next is 624 at least.
void extend_twister(std::uint32_t *words, unsigned next, unsigned end);

// The next word of three of the sequence: x_k, x_(k+1) and x_(k+397).
inline std::uint32_t twisted(std::uint32_t x, std::uint32_t after, std::uint32_t far) {
  const std::uint32_t y = (x & 0x80000000u) | (after & 0x7fffffffu);
  return far ^ y >> 1 ^ (0u - (y & 1u) & 0x9908b0dfu);
}

}  // namespace warploom::curand
