// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstring>

#include "collective.h"

namespace warploom::nccl {

Exchange::Exchange(Member &member, const std::vector<Request> &requests)
    : member_(member), requests_(requests), progress_(requests.size()) {}

bool Exchange::is_short() const {
  std::uint64_t bytes = 0;
  for (const Request &each : requests_) bytes += each.bytes();
  return bytes <= 32 << 10;
}

bool Exchange::is_done() const { return std::ranges::all_of(progress_, &Progress::is_done); }

bool Exchange::is_missing(int rank) const {
  for (std::size_t i = 0; i < requests_.size(); ++i)
    if (requests_[i].root == rank && !progress_[i].is_done) return true;
  return false;
}

// Ranks of one process read each other's memory: the message is one piece.
bool Exchange::send_piece(std::size_t i) {
  const World &world = *member_.world;
  const Request &request = requests_[i];
  Progress &progress = progress_[i];
  Channel &channel = world.channel(member_.rank, request.root);
  const std::uint64_t sent = channel.sent.load(std::memory_order_relaxed), taken = channel.taken.load();
  const bool is_direct = world.is_one_process();
  if (progress.last != 0) {
    progress.is_done = taken >= progress.last;
    return progress.is_done;
  }
  if (sent - taken == 2) return false;
  const std::uint64_t next = sent + 1, rest = request.bytes() - progress.bytes;
  const std::uint64_t bytes = is_direct ? rest : std::min<std::uint64_t>(rest, world.piece_size());
  channel.sizes[next & 1] = request.bytes();
  channel.addresses[next & 1] = request.send;
  if (!is_direct) std::memcpy(world.piece(member_.rank, request.root, next), request.send + progress.bytes, bytes);
  progress.bytes += bytes;
  channel.sent.store(next);
  ring(world.rank(request.root));
  if (progress.bytes < request.bytes()) return true;
  if (is_direct) {
    progress.last = next;
  } else {
    progress.is_done = true;
  }
  return true;
}

bool Exchange::take_piece(std::size_t i) {
  const World &world = *member_.world;
  const Request &request = requests_[i];
  Progress &progress = progress_[i];
  Channel &channel = world.channel(request.root, member_.rank);
  const std::uint64_t next = channel.taken.load(std::memory_order_relaxed) + 1;
  if (channel.sent.load() < next) return false;
  if (channel.sizes[next & 1] != request.bytes()) {
    member_.fail(ncclInvalidUsage, "ncclRecv: rank " + std::to_string(member_.rank) + " expects " +
                                       std::to_string(request.bytes()) + " bytes of rank " +
                                       std::to_string(request.root) + ", which sends " +
                                       std::to_string(channel.sizes[next & 1]));
    is_wrong_ = true;
    return false;
  }
  const bool is_direct = world.is_one_process();
  const std::uint64_t rest = request.bytes() - progress.bytes;
  const std::uint64_t bytes = is_direct ? rest : std::min<std::uint64_t>(rest, world.piece_size());
  const void *const from = is_direct ? channel.addresses[next & 1] : world.piece(request.root, member_.rank, next);
  std::memmove(request.recv + progress.bytes, from, bytes);
  progress.bytes += bytes;
  progress.is_done = progress.bytes == request.bytes();
  channel.taken.store(next);
  ring(world.rank(request.root));
  return true;
}

// Whether anything moved. Messages of a channel go one after the other.
bool Exchange::advance_all() {
  const auto ranks = static_cast<std::size_t>(member_.world->size());
  std::vector<bool> is_busy(2 * ranks);
  bool has_moved = false;
  for (std::size_t i = 0; i < requests_.size() && !is_wrong_; ++i) {
    if (progress_[i].is_done) continue;
    const bool is_send = requests_[i].kind == Kind::kSend;
    const std::size_t channel = static_cast<std::size_t>(requests_[i].root) + (is_send ? 0 : ranks);
    if (is_busy[channel]) continue;
    has_moved = (is_send ? send_piece(i) : take_piece(i)) || has_moved;
    // The next message may follow one that waits only to be taken.
    is_busy[channel] = !progress_[i].is_done && progress_[i].last == 0;
  }
  return has_moved;
}

Waited Exchange::run(bool for_a_moment) {
  Visit visit(member_, requests_.front().function, for_a_moment);
  RankState &own = member_.own();
  while (!is_done()) {
    const std::uint64_t rung = own.bell.load();
    if (advance_all()) continue;
    if (is_wrong_) return Waited::kBroken;
    const Waited waited = visit.until(
        own.bell, own.listeners, [&] { return own.bell.load() != rung; }, [&](int i) { return is_missing(i); });
    if (waited != Waited::kReady) return waited;
  }
  return Waited::kReady;
}

}  // namespace warploom::nccl
