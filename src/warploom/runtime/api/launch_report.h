// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a launch was refused: CUDA's code tells which rule it broke only by its number.
#pragma once

#include <cstddef>

#include "driver_types.h"
#include "module.h"
#include "vector_types.h"

namespace warploom {

// What was asked for.
struct AskedLaunch {
  dim3 grid, block;
  std::size_t shared;
  bool cooperative;
  dim3 cluster;  // of the launch's attributes; zeros: none
};

// One line on stderr, once for each place of the program: which limit, what was asked, what is allowed, and where.
// Returns `error`, which check_launch or find_cluster have given.
cudaError_t explain_refusal(cudaError_t error, const CUfunc_st &function, const AskedLaunch &asked, const void *site);

}  // namespace warploom
