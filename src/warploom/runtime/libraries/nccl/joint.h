// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group that holds the calls of all ranks of a communicator: one operation does the work of all, and nobody waits.
#pragma once

#include <vector>

#include "launch.h"

namespace warploom::nccl {

// Launches what is like that; `rest`: all other requests, in their order.
ncclResult_t launch_jointly(const std::vector<Given> &given, std::vector<Given> *rest);

// An operation of one stream that several wait for, and that waits for several.
class StreamsAround {
 public:
  explicit StreamsAround(const std::vector<cudaStream_t> &streams) : streams_(streams) {}
  // What the other streams have been given comes before what the first one gets next.
  cudaError_t before() const;
  // What the first one has been given comes before what the others get next.
  cudaError_t after() const;

 private:
  const std::vector<cudaStream_t> &streams_;
};

}  // namespace warploom::nccl
