// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The 200 generators of MTGP32 with period 2^11213 - 1.
#pragma once

#include "curand_mtgp32.h"

namespace warploom {
namespace curand {

// The entries 1, 2, 4 and 8 of both tables.
struct mtgp_row {
  int pos, sh1, sh2;
  unsigned param[4], temper[4];
};

struct mtgp_sets {
  mtgp32_params_fast_t sets[CURAND_NUM_MTGP32_PARAMS];
};

constexpr unsigned mtgp_entry(const unsigned (&basis)[4], int index) {
  unsigned entry = 0;
  for (int bit = 0; bit < 4; ++bit) entry ^= index >> bit & 1 ? basis[bit] : 0u;
  return entry;
}

inline mtgp_sets mtgp_make_sets() {
  static const mtgp_row rows[] = {
#include "warploom/curand/mtgp32_parameters.inc"
  };
  mtgp_sets made{};
  for (int i = 0; i < CURAND_NUM_MTGP32_PARAMS; ++i) {
    mtgp32_params_fast_t &one = made.sets[i];
    one.mexp = MTGPDC_MEXP;
    one.pos = rows[i].pos;
    one.sh1 = rows[i].sh1;
    one.sh2 = rows[i].sh2;
    one.mask = 0xfff80000u;
    for (int entry = 0; entry < 16; ++entry) {
      one.tbl[entry] = mtgp_entry(rows[i].param, entry);
      one.tmp_tbl[entry] = mtgp_entry(rows[i].temper, entry);
      one.flt_tmp_tbl[entry] = one.tmp_tbl[entry] >> 9 | 0x3f800000u;
    }
  }
  return made;
}

inline mtgp_sets &mtgp_all_sets() {
  static mtgp_sets sets = mtgp_make_sets();
  return sets;
}

}  // namespace curand
}  // namespace warploom

static mtgp32_params_fast_t *const mtgp32dc_params_fast_11213 = warploom::curand::mtgp_all_sets().sets;
