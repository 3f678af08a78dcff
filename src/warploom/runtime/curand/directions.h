// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Direction vectors of Sobol's sequences.
#pragma once

#include "curand.h"

namespace warploom::curand {

constexpr unsigned kDimensions = 20000;

// All dimensions, made at the first call. Scrambled: multiplied by a random lower triangular matrix for each dimension
// (Matousek, "On the L2-discrepancy for anchored boxes", 1998), and a random first number.
curandDirectionVectors32_t *direction_vectors32(bool scrambled);
curandDirectionVectors64_t *direction_vectors64(bool scrambled);
unsigned *shifts32();
unsigned long long *shifts64();

}  // namespace warploom::curand
