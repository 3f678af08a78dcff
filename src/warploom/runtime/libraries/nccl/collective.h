// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a rank does in a collective, and in a group of sends and receives.
#pragma once

#include <algorithm>
#include <vector>

#include "member.h"

namespace warploom::nccl {

enum class Kind : int { kAllReduce, kReduce, kBroadcast, kAllGather, kReduceScatter, kSend, kRecv };

// One call, by its rank.
struct Request {
  Kind kind{};
  const char *function = nullptr;
  const std::byte *send = nullptr;
  std::byte *recv = nullptr;
  std::uint64_t count = 0;
  Type type{};
  Operator op{};
  int root = 0;  // or the other rank of a send or receive

  std::uint64_t bytes() const { return count * size_of(type); }
  bool is_between_two() const { return kind == Kind::kSend || kind == Kind::kRecv; }
  Call call() const { return {static_cast<int>(kind), static_cast<int>(type), op.number, root, count}; }
};

std::string describe(const Call &call);

// The factor of a rank's elements.
inline std::uint64_t scale_bits(const Request &request) {
  std::uint64_t bits = request.op.bits;
  if (request.op.address != nullptr) __builtin_memcpy(&bits, request.op.address, size_of(request.type));
  return bits;
}
Reduction reduction_of(const Request &request, int ranks);

// Elements of each of `parts` equal pieces, which begin at cache lines.
std::uint64_t piece_of(std::uint64_t count, Type type, int parts);

class Collective {
 public:
  Collective(Member &member, const Request &request);
  // Whether it is done in one round, of little work.
  bool is_short() const {
    return chunk_ >= request_.count && !in_two_ && !is_direct_ && request_.bytes() <= kShortBytes;
  }
  // Goes on where it was, if it was not yet ready.
  Waited run(bool for_a_moment);

 private:
  static constexpr std::uint64_t kShortBytes = 32 << 10;

  Waited run_rounds(Visit &visit);
  Waited run_round(Visit &visit);
  Waited run_in_two(Visit &visit);
  Waited run_direct(Visit &visit);

  Waited wait_for(Visit &visit, int rank, std::uint64_t round);
  Waited wait_for_all(Visit &visit, std::uint64_t round);
  // Comes to the next round, with what `write(slot)` puts up.
  template <class Write>
  Waited come(Visit &visit, const Write &write);
  bool is_call_of(Visit &visit, int rank);
  Waited compare_calls(Visit &visit);

  bool gives() const { return request_.kind != Kind::kBroadcast || is_root_; }
  bool needs(int rank) const;
  void stage(std::byte *slot) const;
  void take() const;
  void take_all(std::uint64_t elements, const void *const *inputs, std::byte *to) const;
  std::vector<const void *> slots_at(std::uint64_t round, std::uint64_t offset) const;
  std::vector<std::uint64_t> scales() const;
  std::uint64_t elements() const { return std::min(chunk_, request_.count - first_); }

  Member &member_;
  const Request &request_;
  const int ranks_;
  const std::uint64_t size_;  // of an element
  const bool is_root_;
  bool is_direct_ = false, in_two_ = false;
  std::uint64_t chunk_;        // elements in a round
  std::uint64_t first_ = 0;    // of the round
  std::uint64_t round_ = 0;    // that it has come to; 0: to none
  std::uint64_t opening_ = 0;  // the first one
};

// Sends and receives that go on side by side.
class Exchange {
 public:
  Exchange(Member &member, const std::vector<Request> &requests);
  Waited run(bool for_a_moment);
  bool is_short() const;

 private:
  bool advance_all();
  bool send_piece(std::size_t i);
  bool take_piece(std::size_t i);
  bool is_done() const;
  bool is_missing(int rank) const;

  Member &member_;
  const std::vector<Request> &requests_;
  struct Progress {
    std::uint64_t bytes = 0;  // of a send: put up; of a receive: taken
    std::uint64_t last = 0;   // of a send: the number of its last piece
    bool is_done = false;
  };
  std::vector<Progress> progress_;
  bool is_wrong_ = false;
};

}  // namespace warploom::nccl
