// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How communicators come to be: ranks meet.
#pragma once

#include <optional>
#include <vector>

#include "member.h"

// What a program holds.
struct ncclComm {
  std::shared_ptr<warploom::nccl::Member> member;
};

namespace warploom::nccl {

// A rank that meets others: of a unique id, or those of its colour.
struct Meeting {
  const char *function = nullptr;
  ncclComm_t *made = nullptr;
  std::shared_ptr<Member> member = std::make_shared<Member>();
  int ranks = 0;
  Id id{};
  bool is_blocking = true;

  std::shared_ptr<Member> parent{};  // of a split
  int color = 0, key = 0;
  std::vector<int> parties{};  // ranks of the parent
  std::uint64_t number = 0;    // of the split
  int leader = -1;             // whose memory it is
};

// Meets for all at once, so that one thread may do it for several ranks. A rank without a colour gets a null handle.
ncclResult_t meet(std::vector<Meeting> &meetings);

// The rank behind a handle; null: it is none.
std::shared_ptr<Member> member_of(ncclComm_t comm);
// The handle is of no use any more.
void forget(ncclComm_t comm);

}  // namespace warploom::nccl
