// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Mersenne twisters of the host API: Matsumoto and Nishimura's ("Mersenne twister: a 623-dimensionally
// equidistributed uniform pseudorandom number generator", 1998), initialised as its authors' 2002 version, and MTGP32
// (curand_mtgp32.h says of whom).
#pragma once

#include <memory>

#include "curand_kernel.h"
#include "curand_mtgp32_host.h"
#include "engine.h"

namespace warploom::curand {

std::unique_ptr<Engine> mersenne_twister(unsigned seed);

// One of its numbers.
struct TwisterNumber {
  unsigned next() { return number; }
  unsigned number;
};

class Mtgp {
 public:
  Mtgp(const mtgp32_params_fast_t &set, unsigned seed) : set_(&set) { mtgp_seed(words_, set, seed); }

  unsigned next() {
    const auto pos = static_cast<unsigned>(set_->pos);
    unsigned x = (words_[at_] & set_->mask) ^ word(1);
    x ^= x << set_->sh1;
    const unsigned y = x ^ word(pos) >> set_->sh2, made = y ^ set_->tbl[y & 15];
    unsigned t = word(pos - 1);
    t ^= t >> 16;
    t ^= t >> 8;
    words_[at_] = made;
    at_ = (at_ + 1) % MTGPDC_N;
    return made ^ set_->tmp_tbl[t & 15];
  }

 private:
  unsigned word(unsigned distance) const { return words_[(at_ + distance) % MTGPDC_N]; }

  const mtgp32_params_fast_t *set_;
  unsigned words_[MTGPDC_N];
  unsigned at_ = 0;
};

}  // namespace warploom::curand
