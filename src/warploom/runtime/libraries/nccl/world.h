// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that the ranks of a communicator share, in whatever processes they are: a file without a name, which a
// process opens by the number that it has in the process that made it. Nothing of it is left when all have ended.
//
//     header | a RankState for each rank | a Channel for each pair | slots of ranks | pieces of channels
//
// Collectives go by rounds: in each, a rank puts what others need of it in one of its two slots, and says so by
// counting `posted` up. Who comes to a round has read all that it needed of the one before; so a slot may be written
// again when all have come to the round after it. Sends and receives count pieces in their pair's channel.
#pragma once

#include <nccl.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace warploom::nccl {

inline constexpr int kMaxRanks = 256;
inline constexpr std::size_t kLine = 128;
inline constexpr std::size_t kSlot = 512 << 10;  // bytes of a rank in one round

using Counter = std::atomic<std::uint64_t>;

// What a unique id holds.
struct Id {
  char magic[8];
  std::uint64_t number[2];
  std::int32_t process, file;
  char machine[40];  // changes when a machine starts
};
static_assert(sizeof(Id) <= sizeof(ncclUniqueId));

enum class State : std::uint32_t { kAbsent, kJoined, kLeft, kAborted };

// A call as others compare it with theirs.
struct Call {
  std::int32_t kind = 0, type = 0, op = 0, root = 0;
  std::uint64_t count = 0;
  bool operator==(const Call &) const = default;
};

// A rank's choice in a split, and where the ranks of its colour meet.
struct Choice {
  std::int32_t color, key;
};

struct alignas(kLine) RankState {
  Counter posted;
  std::atomic<std::uint32_t> sleepers;  // at `posted`
  std::atomic<State> state;
  std::int32_t process;
  // Of the last two rounds.
  std::atomic<std::uint64_t> tags[2];  // the round, if a call begins with it
  Call calls[2];
  const void *send[2];  // where all ranks are in one process
  void *recv[2];
  std::uint64_t scales[2];

  alignas(kLine) std::atomic<std::uint64_t> bell;  // rings when a channel of the rank has moved
  std::atomic<std::uint32_t> listeners;

  alignas(kLine) Counter chosen, met;  // splits
  Choice choices[2];
  Id places[2];
};

struct Channel {
  alignas(kLine) Counter sent;
  std::uint64_t sizes[2];  // of the message that the piece is of
  const void *addresses[2];
  alignas(kLine) Counter taken;
};

struct alignas(kLine) Header {
  std::uint64_t number[2];
  std::atomic<std::int32_t> ranks;
  std::atomic<std::uint64_t> joined;
  std::atomic<std::uint32_t> sleepers;
  std::atomic<std::uint32_t> is_broken;
};

ncclResult_t make_id(Id *id);

// One process's view of it.
class World {
 public:
  // Opens the memory that `id` names; null: an error was said.
  static std::shared_ptr<World> open(const Id &id, int ranks, const char *function);
  World(const World &) = delete;
  World &operator=(const World &) = delete;
  ~World();

  int size() const { return ranks_; }
  Header &header() const { return *reinterpret_cast<Header *>(memory_); }
  RankState &rank(int i) const { return states_[i]; }
  Channel &channel(int from, int to) const { return channels_[from * ranks_ + to]; }
  std::byte *slot(int i, std::uint64_t round) const { return slots_ + (2 * std::size_t(i) + (round & 1)) * kSlot; }
  std::byte *piece(int from, int to, std::uint64_t number) const {
    return pieces_ + (2 * (std::size_t(from) * std::size_t(ranks_) + std::size_t(to)) + (number & 1)) * piece_size_;
  }
  std::size_t piece_size() const { return piece_size_; }

  // All ranks have joined.
  void complete();
  bool is_one_process() const { return local_ranks_ == ranks_; }
  // Of this process.
  int local_ranks() const { return local_ranks_; }
  // The rank's process has ended, or the rank has left.
  bool is_gone(int i) const;

 private:
  World(std::byte *memory, std::size_t size, int ranks);

  std::byte *memory_;
  std::size_t size_;
  int ranks_;
  RankState *states_;
  Channel *channels_;
  std::byte *slots_, *pieces_;
  std::size_t piece_size_;
  int local_ranks_ = 0;
  std::vector<int> processes_;  // a descriptor for each rank of another process; -1: none
};

// One line on stderr; also what ncclGetLastError returns.
void say(const std::string &text);

// Sleeps while the lower half of `word` is that of `value`, for at most 50 ms.
void sleep_at(const std::atomic<std::uint64_t> &word, std::uint64_t value);
void wake_all(const std::atomic<std::uint64_t> &word);

// Counts `word` up to `value`, and wakes who sleeps there.
inline void advance(Counter &word, std::atomic<std::uint32_t> &sleepers, std::uint64_t value) {
  word.store(value);
  if (sleepers.load() != 0) wake_all(word);
}
inline void ring(RankState &rank) {
  rank.bell.fetch_add(1);
  if (rank.listeners.load() != 0) wake_all(rank.bell);
}

}  // namespace warploom::nccl
