// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream.h"

namespace warploom {

// No entry point starts a capture: this is not reached.
cudaError_t capture_operation(CUstream_st *, cudaGraphNodeType, Operation) {
  return not_supported("stream capture", "graphs are not implemented");
}

}  // namespace warploom
