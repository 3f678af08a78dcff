// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the analyses of the older functions leave: where a factor or a solution has no pivot.
#pragma once

#include <atomic>
#include <memory>

#include "descriptor.h"

namespace warploom::sparse {

// Where the first pivot is that is 0 or not stored; -1: nowhere. Set when the work runs.
struct PivotInfo {
  std::shared_ptr<std::atomic<int>> pivot = std::make_shared<std::atomic<int>>(-1);
};

inline cusparseStatus_t zero_pivot(cusparseHandle_t handle, const PivotInfo *info, int *position) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (info == nullptr || position == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  if (const cudaError_t error = cudaStreamSynchronize(handle->stream); error != cudaSuccess) return status_of(error);
  *position = *info->pivot;
  return *position < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}

}  // namespace warploom::sparse
