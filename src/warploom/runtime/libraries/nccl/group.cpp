// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "group.h"

#include <utility>

namespace warploom::nccl {
namespace {

struct Group {
  int depth = 0;
  ncclResult_t result = ncclSuccess;
  std::vector<Meeting> meetings;
  std::vector<Given> given;
};
thread_local Group group;

}  // namespace

ncclResult_t note(ncclResult_t result) {
  if (group.depth > 0 && group.result == ncclSuccess && result != ncclInProgress) group.result = result;
  return result;
}

ncclResult_t add_meeting(Meeting meeting) {
  if (group.depth > 0) {
    group.meetings.push_back(std::move(meeting));
    return ncclSuccess;
  }
  std::vector<Meeting> one;
  one.push_back(std::move(meeting));
  return meet(one);
}

ncclResult_t add_request(const Given &given) {
  if (group.depth == 0) return launch_all({given});
  group.given.push_back(given);
  return ncclSuccess;
}

ncclResult_t start_group() {
  ++group.depth;
  return ncclSuccess;
}

ncclResult_t end_group() {
  if (group.depth == 0) {
    say("ncclGroupEnd: there is no ncclGroupStart before it");
    return ncclInvalidUsage;
  }
  if (--group.depth > 0) return ncclSuccess;
  Group ended = std::exchange(group, {});
  if (ended.result != ncclSuccess) return ended.result;
  ncclResult_t result = ended.meetings.empty() ? ncclSuccess : meet(ended.meetings);
  if (result == ncclSuccess && !ended.given.empty()) result = launch_all(ended.given);
  return result;
}

}  // namespace warploom::nccl
