// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "member.h"

#include <algorithm>

#include "../../library_calls.h"

namespace warploom::nccl {
namespace {

constexpr std::chrono::seconds kLongWait{20};

std::string ranks_that(int size, const std::function<bool(int)> &is_missing) {
  std::string text;
  for (int i = 0; i < size; ++i)
    if (is_missing(i)) text += (text.empty() ? "" : ", ") + std::to_string(i);
  return text;
}

}  // namespace

void Member::fail(ncclResult_t code, const std::string &text, bool in_stream) {
  say(text);
  error = code;
  world->header().is_broken = 1;
  if (in_stream) __warploom_library_fail(cudaErrorLaunchFailure);
}

Ticket::Ticket(std::shared_ptr<Member> member, bool at_once) : member_(std::move(member)) {
  const std::lock_guard lock(member_->mutex);
  auto place = member_->tickets.end();
  if (at_once) place = std::ranges::find_if(member_->tickets, [](const Ticket *each) { return !each->has_begun_; });
  member_->tickets.insert(place, this);
}

Ticket::~Ticket() {
  const std::lock_guard lock(member_->mutex);
  member_->tickets.remove(this);
  member_->changed.notify_all();
}

void Ticket::wait() {
  std::unique_lock lock(member_->mutex);
  member_->changed.wait(lock, [this] { return member_->tickets.front() == this; });
  has_begun_ = true;
}

bool Ticket::begin() {
  const std::lock_guard lock(member_->mutex);
  has_begun_ = member_->tickets.front() == this;
  return has_begun_;
}

// Now and then, while it sleeps.
bool Visit::may_wait(std::chrono::steady_clock::time_point start, const std::function<bool()> &ready,
                     const std::function<bool(int)> &is_missing) {
  if (member.is_aborted) return false;
  const std::string who = std::string(function) + ": rank " + std::to_string(member.rank);
  const World &world = *member.world;
  if (world.header().is_broken != 0) {
    if (ready()) return true;
    member.fail(ncclRemoteError, who + " gives up, because a call of another rank has failed", in_stream_);
    return false;
  }
  for (int i = 0; i < world.size(); ++i) {
    if (i == member.rank || !is_missing(i) || !world.is_gone(i) || !is_missing(i)) continue;
    const bool has_left = world.rank(i).state == State::kLeft;
    member.fail(ncclRemoteError,
                who + " waits for rank " + std::to_string(i) + ", " +
                    (has_left ? "which has destroyed its communicator" : "whose process has ended"),
                in_stream_);
    return false;
  }
  if (!is_told_ && std::chrono::steady_clock::now() - start > kLongWait) {
    is_told_ = true;
    say(who + " has been waiting for 20 s for what does not come from rank " + ranks_that(world.size(), is_missing));
  }
  return true;
}

}  // namespace warploom::nccl
