// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "collective.h"

#include <algorithm>
#include <cstring>

namespace warploom::nccl {
namespace {

// A rank reads what all have put up, if that is at most so much more than what it must: one round is shorter than two.
constexpr std::uint64_t kReadByAll = 32 << 10;
// Ranks of one process read each other's memory, if it is worth a second round.
constexpr std::uint64_t kWorthDirect = 16 << 10;

bool combines(Kind kind) { return kind == Kind::kAllReduce || kind == Kind::kReduce; }

void copy_bytes(std::byte *to, const void *from, std::uint64_t bytes) {
  if (bytes != 0 && to != from) std::memmove(to, from, bytes);
}

}  // namespace

std::string describe(const Call &call) {
  static constexpr const char *kKinds[] = {"ncclAllReduce",     "ncclReduce", "ncclBroadcast", "ncclAllGather",
                                           "ncclReduceScatter", "ncclSend",   "ncclRecv"};
  static constexpr const char *kTypes[] = {"ncclInt8",    "ncclUint8",    "ncclInt32",      "ncclUint32",
                                           "ncclInt64",   "ncclUint64",   "ncclFloat16",    "ncclFloat32",
                                           "ncclFloat64", "ncclBfloat16", "ncclFloat8e4m3", "ncclFloat8e5m2"};
  static constexpr const char *kOperators[] = {"ncclSum", "ncclProd", "ncclMax", "ncclMin", "ncclAvg"};
  const auto kind = static_cast<Kind>(call.kind);
  std::string text = std::string(kKinds[call.kind]) + "(" + std::to_string(call.count) + " of " + kTypes[call.type];
  if (combines(kind) || kind == Kind::kReduceScatter)
    text += std::string(", ") + (call.op < ncclNumOps ? kOperators[call.op] : "an operator of its own");
  if (kind == Kind::kReduce || kind == Kind::kBroadcast) text += ", root " + std::to_string(call.root);
  return text + ")";
}

Reduction reduction_of(const Request &request, int ranks) {
  return {.type = request.type,
          .combine = request.op.combine,
          .divisor = request.op.is_average ? static_cast<std::uint64_t>(ranks) : 1,
          .count = static_cast<unsigned>(ranks)};
}

std::uint64_t piece_of(std::uint64_t count, Type type, int parts) {
  const std::uint64_t line = 64 / size_of(type), n = static_cast<std::uint64_t>(parts);
  return ((count + n - 1) / n + line - 1) / line * line;
}

Collective::Collective(Member &member, const Request &request)
    : member_(member),
      request_(request),
      ranks_(member.world->size()),
      size_(size_of(request.type)),
      is_root_(request.root == member.rank),
      chunk_(kSlot / size_) {
  const std::uint64_t bytes = request.bytes(), others = static_cast<std::uint64_t>(ranks_ - 1);
  if (request.kind == Kind::kReduceScatter) chunk_ = kSlot / static_cast<std::uint64_t>(ranks_) / 64 * 64 / size_;
  const bool is_small = bytes * others <= kReadByAll || bytes <= 512;
  if (combines(request.kind)) in_two_ = !is_small;
  is_direct_ = member.world->is_one_process() && !is_small && bytes > kWorthDirect;
}

Waited Collective::run(bool for_a_moment) {
  Visit visit(member_, request_.function, for_a_moment);
  if (is_direct_) return run_direct(visit);
  return in_two_ ? run_in_two(visit) : run_rounds(visit);
}

Waited Collective::wait_for(Visit &visit, int rank, std::uint64_t round) {
  RankState &other = member_.world->rank(rank);
  const auto is_there = [&] { return other.posted.load(std::memory_order_acquire) >= round; };
  return visit.until(other.posted, other.sleepers, is_there, [&](int i) { return i == rank && !is_there(); });
}

Waited Collective::wait_for_all(Visit &visit, std::uint64_t round) {
  for (int i = 0; i < ranks_; ++i)
    if (const Waited waited = wait_for(visit, i, round); waited != Waited::kReady) return waited;
  return Waited::kReady;
}

template <class Write>
Waited Collective::come(Visit &visit, const Write &write) {
  const std::uint64_t next = member_.round + 1;
  RankState &own = member_.own();
  // Who has come to the last round has read all of the one before, whose slot this is.
  if (const Waited waited = gives() ? wait_for_all(visit, next - 1) : Waited::kReady; waited != Waited::kReady)
    return waited;
  write(member_.world->slot(member_.rank, next));
  if (gives()) own.scales[next & 1] = request_.op.is_scaled ? scale_bits(request_) : 0;
  if (opening_ == 0) {
    opening_ = next;
    own.tags[next & 1] = 0;
    own.calls[next & 1] = request_.call();
    own.tags[next & 1] = next;
  }
  member_.round = round_ = next;
  advance(own.posted, own.sleepers, next);
  return Waited::kReady;
}

// Whether the rank, which has come to the first round, has made the same call. One that went on is compared by those
// that it has waited for.
bool Collective::is_call_of(Visit &visit, int rank) {
  const RankState &other = member_.world->rank(rank);
  const auto &tag = other.tags[opening_ & 1];
  const bool begins_here = tag == opening_;
  const Call call = other.calls[opening_ & 1];
  if (begins_here ? tag != opening_ || call == request_.call() : other.posted.load() > opening_) return true;
  member_.fail(ncclInvalidUsage, std::string(visit.function) + ": ranks make different calls: rank " +
                                     std::to_string(member_.rank) + " " + describe(request_.call()) + ", rank " +
                                     std::to_string(rank) + " " + (begins_here ? describe(call) : "another one"));
  return false;
}

Waited Collective::compare_calls(Visit &visit) {
  if (round_ != opening_) return Waited::kReady;
  for (int i = 0; i < ranks_; ++i)
    if (i != member_.rank && needs(i) && !is_call_of(visit, i)) return Waited::kBroken;
  return Waited::kReady;
}

// Whether this rank must see what that one has put up.
bool Collective::needs(int rank) const {
  if (request_.kind == Kind::kBroadcast) return rank == request_.root;
  return request_.kind != Kind::kReduce || is_root_ || in_two_ || is_direct_;
}

std::vector<const void *> Collective::slots_at(std::uint64_t round, std::uint64_t offset) const {
  std::vector<const void *> inputs(static_cast<std::size_t>(ranks_));
  for (int i = 0; i < ranks_; ++i) inputs[static_cast<std::size_t>(i)] = member_.world->slot(i, round) + offset;
  return inputs;
}

std::vector<std::uint64_t> Collective::scales() const {
  std::vector<std::uint64_t> factors;
  if (!request_.op.is_scaled) return factors;
  for (int i = 0; i < ranks_; ++i) factors.push_back(member_.world->rank(i).scales[round_ & 1]);
  return factors;
}

void Collective::take_all(std::uint64_t elements, const void *const *inputs, std::byte *to) const {
  Reduction work = reduction_of(request_, ranks_);
  const std::vector<std::uint64_t> factors = scales();
  work.scales = factors.empty() ? nullptr : factors.data();
  work.inputs = inputs;
  reduce_function()(work, elements, to);
}

// -- one round: each rank reads what it needs of all

void Collective::stage(std::byte *slot) const {
  const std::uint64_t bytes = elements() * size_, offset = first_ * size_;
  if (!gives()) return;
  if (request_.kind != Kind::kReduceScatter) return copy_bytes(slot, request_.send + offset, bytes);
  for (int i = 0; i < ranks_; ++i) {
    const auto place = static_cast<std::uint64_t>(i);
    copy_bytes(slot + place * chunk_ * size_, request_.send + place * request_.bytes() + offset, bytes);
  }
}

void Collective::take() const {
  const std::uint64_t bytes = elements() * size_, offset = first_ * size_;
  const World &world = *member_.world;
  switch (request_.kind) {
    case Kind::kBroadcast:
      return copy_bytes(request_.recv + offset, is_root_ ? request_.send + offset : world.slot(request_.root, round_),
                        bytes);
    case Kind::kAllGather:
      for (int i = 0; i < ranks_; ++i) {
        std::byte *const to = request_.recv + static_cast<std::uint64_t>(i) * request_.bytes() + offset;
        copy_bytes(to, i == member_.rank ? request_.send + offset : world.slot(i, round_), bytes);
      }
      return;
    case Kind::kReduceScatter: {
      const std::uint64_t own = static_cast<std::uint64_t>(member_.rank) * chunk_ * size_;
      return take_all(elements(), slots_at(round_, own).data(), request_.recv + offset);
    }
    default:
      if (request_.kind == Kind::kReduce && !is_root_) return;
      return take_all(elements(), slots_at(round_, 0).data(), request_.recv + offset);
  }
}

Waited Collective::run_round(Visit &visit) {
  if (round_ == 0) {
    const Waited came = come(visit, [&](std::byte *slot) { stage(slot); });
    if (came != Waited::kReady) return came;
  }
  for (int i = 0; i < ranks_; ++i) {
    if (!needs(i)) continue;
    if (const Waited waited = wait_for(visit, i, round_); waited != Waited::kReady) return waited;
  }
  if (const Waited compared = compare_calls(visit); compared != Waited::kReady) return compared;
  take();
  round_ = 0;
  return Waited::kReady;
}

Waited Collective::run_rounds(Visit &visit) {
  for (; first_ < request_.count; first_ += chunk_)
    if (const Waited waited = run_round(visit); waited != Waited::kReady) return waited;
  return Waited::kReady;
}

// -- two rounds: each rank combines a part of what all have put up, and puts that up

Waited Collective::run_in_two(Visit &visit) {
  const bool has_result = request_.kind == Kind::kAllReduce || is_root_;
  const auto rank = static_cast<std::size_t>(member_.rank);
  for (; first_ < request_.count; first_ += chunk_) {
    const std::uint64_t piece = piece_of(elements(), request_.type, ranks_);
    const auto begin = [&](std::size_t i) { return std::min(i * piece, elements()); };
    const auto bytes = [&](std::size_t i) { return (begin(i + 1) - begin(i)) * size_; };
    const std::byte *const from = request_.send + first_ * size_;
    std::byte *const to = has_result ? request_.recv + first_ * size_ : nullptr;
    const std::uint64_t own = begin(rank) * size_, end = own + bytes(rank);
    Waited waited = come(visit, [&](std::byte *slot) {
      copy_bytes(slot, from, own);
      copy_bytes(slot + end, from + end, elements() * size_ - end);
    });
    if (waited == Waited::kReady) waited = wait_for_all(visit, round_);
    if (waited == Waited::kReady) waited = compare_calls(visit);
    if (waited != Waited::kReady) return waited;
    std::vector<const void *> inputs = slots_at(round_, own);
    inputs[rank] = from + own;
    waited = come(visit, [&](std::byte *slot) {
      take_all(bytes(rank) / size_, inputs.data(), slot);
      if (has_result) copy_bytes(to + own, slot, bytes(rank));
    });
    if (waited != Waited::kReady) return waited;
    for (int i = 0; has_result && i < ranks_; ++i) {
      if (i == member_.rank) continue;
      if (waited = wait_for(visit, i, round_); waited != Waited::kReady) return waited;
      const auto place = static_cast<std::size_t>(i);
      copy_bytes(to + begin(place) * size_, member_.world->slot(i, round_), bytes(place));
    }
  }
  return Waited::kReady;
}

// -- one process: each rank reads and writes the memory of all

Waited Collective::run_direct(Visit &visit) {
  const World &world = *member_.world;
  const auto parity = [&] { return round_ & 1; };
  RankState &own = member_.own();
  Waited waited = wait_for_all(visit, member_.round);
  if (waited == Waited::kReady) {
    waited = come(visit, [&](std::byte *) {
      own.send[(member_.round + 1) & 1] = request_.send;
      own.recv[(member_.round + 1) & 1] = request_.recv;
    });
  }
  for (int i = 0; waited == Waited::kReady && i < ranks_; ++i)
    if (needs(i)) waited = wait_for(visit, i, round_);
  if (waited == Waited::kReady) waited = compare_calls(visit);
  if (waited != Waited::kReady) return waited;

  const auto sent_by = [&](int i) { return static_cast<const std::byte *>(world.rank(i).send[parity()]); };
  const auto received_by = [&](int i) { return static_cast<std::byte *>(world.rank(i).recv[parity()]); };
  if (request_.kind == Kind::kBroadcast) {
    copy_bytes(request_.recv, sent_by(request_.root), request_.bytes());
  } else if (request_.kind == Kind::kAllGather) {
    for (int i = 0; i < ranks_; ++i)
      copy_bytes(request_.recv + static_cast<std::uint64_t>(i) * request_.bytes(), sent_by(i), request_.bytes());
  } else {
    const bool scatters = request_.kind == Kind::kReduceScatter;
    const std::uint64_t piece = scatters ? request_.count : piece_of(request_.count, request_.type, ranks_);
    const std::uint64_t first = static_cast<std::uint64_t>(member_.rank) * piece;
    const std::uint64_t last = scatters ? first + piece : std::min(first + piece, request_.count);
    constexpr std::uint64_t kStep = 2048;  // elements: they stay in the nearest cache while they are copied
    std::vector<const void *> inputs(static_cast<std::size_t>(ranks_));
    for (std::uint64_t i = first; i < last; i += kStep) {
      const std::uint64_t n = std::min(kStep, last - i);
      for (int r = 0; r < ranks_; ++r) inputs[static_cast<std::size_t>(r)] = sent_by(r) + i * size_;
      const bool is_reduce = request_.kind == Kind::kReduce;
      std::byte *const to = scatters    ? request_.recv + (i - first) * size_
                            : is_reduce ? received_by(request_.root) + i * size_
                                        : received_by(0) + i * size_;
      take_all(n, inputs.data(), to);
      for (int r = 1; !scatters && !is_reduce && r < ranks_; ++r) copy_bytes(received_by(r) + i * size_, to, n * size_);
    }
  }
  // Nobody's memory is used any more when all have come here.
  waited = come(visit, [](std::byte *) {});
  for (int i = 0; waited == Waited::kReady && i < ranks_; ++i)
    if (request_.kind != Kind::kBroadcast || is_root_) waited = wait_for(visit, i, round_);
  return waited;
}

}  // namespace warploom::nccl
