// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuFFT's handles: numbers that stand for plans.
#pragma once

#include <mutex>
#include <vector>

#include "recipe.h"

namespace warploom::fft {

struct Plan {
  std::mutex mutex;  // of all below
  cudaStream_t stream = nullptr;
  std::vector<int> devices;
  std::shared_ptr<const Recipe> recipe;  // null: not made yet
};

// Null: no such plan.
std::shared_ptr<Plan> find_plan(cufftHandle handle);
cufftHandle add_plan(std::shared_ptr<Plan> plan);
bool remove_plan(cufftHandle handle);

// Makes the plan of `handle` by a request; the size of the work area that it needs from the user: none.
cufftResult make_plan(cufftHandle handle, const Request &request, std::size_t *size);

// What a call of cuFFT's asks for; the code of what is wrong with it.
template <class I>
struct Many {
  int rank;
  const I *n, *inembed;
  I istride, idist;
  const I *onembed;
  I ostride, odist;
  I batch;
};
template <class I>
cufftResult request_of(const Many<I> &many, Kind kind, Request &request);
cufftResult set_type(cufftType type, Request &request);

cufftResult result_of(cudaError_t error);

// Transforms in the stream of the plan, as the plan says.
cufftResult execute(const char *function, cufftHandle handle, void *in, void *out, int direction);

}  // namespace warploom::fft
