// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls between ncclGroupStart and ncclGroupEnd of a thread, which begin together.
#pragma once

#include "found.h"
#include "launch.h"

namespace warploom::nccl {

// The calls of a group, or a group of one call.
ncclResult_t add_meeting(Meeting meeting);
ncclResult_t add_request(const Given &given);
ncclResult_t start_group();
ncclResult_t end_group();
// An error of a call, which is also that of the group it is in.
ncclResult_t note(ncclResult_t result);

}  // namespace warploom::nccl
