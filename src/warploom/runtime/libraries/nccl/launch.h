// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How requests become operations of streams.
#pragma once

#include <memory>
#include <vector>

#include "collective.h"

namespace warploom::nccl {

// A rank's request, as a call has made it.
struct Given {
  std::shared_ptr<Member> member;
  cudaStream_t stream;
  Request request;
};

// Gives all to their streams: those of one group, or of one call.
ncclResult_t launch_all(const std::vector<Given> &given);

}  // namespace warploom::nccl
