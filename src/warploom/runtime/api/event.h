// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>

#include "cuda_runtime_api.h"

namespace warploom {
struct Capture;
}

struct CUevent_st {
  unsigned flags = cudaEventDefault;
  bool recorded = false;
  std::chrono::steady_clock::time_point time;
  warploom::Capture *capture = nullptr;  // the capture that it was last recorded in
};

namespace warploom {

CUevent_st *find_event(cudaEvent_t handle);
// Forgets all events (cudaDeviceReset).
void reset_events();


}  // namespace warploom
