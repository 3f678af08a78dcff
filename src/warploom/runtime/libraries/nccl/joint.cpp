// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "joint.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "../common/stream_work.h"

namespace warploom::nccl {
namespace {

constexpr std::uint64_t kTileBytes = 64 << 10, kStep = 2048, kShortBytes = 64 << 10;

struct Copy {
  std::byte *to;
  const std::byte *from;
  std::uint64_t bytes;
};
// Copies that go side by side. Each rank's first messages come before its second ones, which may pass on what those
// brought.
using Copies = std::vector<Copy>;

// The same collective of all ranks, or copies between them.
class Joint {
 public:
  // `calls`: by their ranks.
  explicit Joint(std::vector<Given> calls) : given_(std::move(calls)) { take_tickets(given_); }
  Joint(const std::vector<Given> &given, std::vector<Copies> copies) : given_(given), copies_(std::move(copies)) {
    take_tickets(given_);
  }

  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const Given &each : given_) sum += each.request.bytes();
    return sum;
  }
  const char *function() const { return given_.front().request.function; }
  std::vector<cudaStream_t> streams() const {
    std::vector<cudaStream_t> found;
    for (const Given &each : given_)
      if (std::ranges::find(found, each.stream) == found.end()) found.push_back(each.stream);
    return found;
  }
  bool try_now() {
    if (!std::ranges::all_of(tickets_, [](auto &ticket) { return ticket->begin(); })) return false;
    run_begun();
    return true;
  }
  void run() {
    for (auto &ticket : tickets_) ticket->wait();
    run_begun();
  }

 private:
  void take_tickets(const std::vector<Given> &given) {
    std::vector<const Member *> seen;
    for (const Given &each : given) {
      if (std::ranges::find(seen, each.member.get()) != seen.end()) continue;
      seen.push_back(each.member.get());
      tickets_.push_back(std::make_unique<Ticket>(each.member));
    }
  }
  // Half a nanosecond for four bytes of each rank.
  double nanoseconds() const { return static_cast<double>(bytes()) / 8; }

  void run_begun() {
    const Member &member = *given_.front().member;
    if (!member.is_aborted && member.error == ncclSuccess) copies_.empty() ? combine() : copy_all();
    tickets_.clear();
  }
  void copy_all() const {
    for (const Copies &copies : copies_) copy(copies);
  }
  void copy(const Copies &copies) const;
  void combine() const;
  void combine_tile(std::uint64_t first, std::uint64_t last) const;
  void broadcast_tile(std::uint64_t first, std::uint64_t last) const;

  std::vector<Given> given_;
  std::vector<Copies> copies_;
  std::vector<std::unique_ptr<Ticket>> tickets_;
};

void Joint::copy(const Copies &copies) const {
  std::vector<std::uint64_t> begins{0};
  for (const Copy &each : copies) begins.push_back(begins.back() + (each.bytes + kTileBytes - 1) / kTileBytes);
  libraries::each_tile(begins.back(), nanoseconds(), [&](std::uint64_t tile) {
    const auto next = std::ranges::upper_bound(begins, tile);
    const auto number = static_cast<std::size_t>(next - begins.begin()) - 1;
    const Copy &each = copies[number];
    const std::uint64_t first = (tile - begins[number]) * kTileBytes;
    std::memmove(each.to + first, each.from + first, std::min(kTileBytes, each.bytes - first));
  });
}

void Joint::combine() const {
  const Request &request = given_.front().request;
  const auto ranks = static_cast<std::uint64_t>(given_.size());
  const bool gathers = request.kind == Kind::kAllGather, scatters = request.kind == Kind::kReduceScatter;
  const std::uint64_t elements = gathers || !scatters ? request.count : request.count * ranks;
  const std::uint64_t tile = kTileBytes / size_of(request.type);
  libraries::each_tile((elements + tile - 1) / tile, nanoseconds(), [&](std::uint64_t i) {
    const std::uint64_t first = i * tile, last = std::min(first + tile, elements);
    gathers || request.kind == Kind::kBroadcast ? broadcast_tile(first, last) : combine_tile(first, last);
  });
}

void Joint::combine_tile(std::uint64_t first, std::uint64_t last) const {
  const Request &request = given_.front().request;
  const std::uint64_t size = size_of(request.type);
  Reduction work = reduction_of(request, static_cast<int>(given_.size()));
  std::vector<std::uint64_t> factors;
  if (request.op.is_scaled)
    for (const Given &each : given_) factors.push_back(scale_bits(each.request));
  work.scales = factors.empty() ? nullptr : factors.data();
  std::vector<const void *> inputs(given_.size());
  work.inputs = inputs.data();
  for (std::uint64_t i = first; i < last;) {
    const bool scatters = request.kind == Kind::kReduceScatter;
    const std::uint64_t owner = scatters ? i / request.count : 0;
    const std::uint64_t end = scatters ? std::min(last, (owner + 1) * request.count) : last;
    const std::uint64_t n = std::min(kStep, end - i);
    for (std::size_t r = 0; r < given_.size(); ++r) inputs[r] = given_[r].request.send + i * size;
    const auto receiver = static_cast<std::size_t>(request.kind == Kind::kReduce ? std::uint64_t(request.root) : owner);
    std::byte *const to = given_[receiver].request.recv + (scatters ? i - owner * request.count : i) * size;
    reduce_function()(work, n, to);
    for (std::size_t r = 1; request.kind == Kind::kAllReduce && r < given_.size(); ++r)
      std::memcpy(given_[r].request.recv + i * size, to, n * size);
    i += n;
  }
}

// Elements of the root, or of each rank, go to all.
void Joint::broadcast_tile(std::uint64_t first, std::uint64_t last) const {
  const std::uint64_t size = size_of(given_.front().request.type);
  for (std::size_t source = 0; source < given_.size(); ++source) {
    const Request &from = given_[source].request;
    const bool gathers = from.kind == Kind::kAllGather;
    if (!gathers && source != static_cast<std::size_t>(from.root)) continue;
    const std::uint64_t place = gathers ? source * from.bytes() : 0;
    for (const Given &each : given_) {
      std::byte *const to = each.request.recv + place + first * size;
      const std::byte *const what = from.send + first * size;
      if (to != what) std::memmove(to, what, (last - first) * size);
    }
  }
}

ncclResult_t give(const std::shared_ptr<Joint> &joint) {
  const std::vector<cudaStream_t> streams = joint->streams();
  const auto try_now = [](void *state) { return static_cast<int>(static_cast<Joint *>(state)->try_now()); };
  if (joint->bytes() <= kShortBytes &&
      __warploom_library_run_now(streams.data(), static_cast<unsigned>(streams.size()), try_now, joint.get()) != 0)
    return ncclSuccess;
  const StreamsAround around(streams);
  cudaError_t error = around.before();
  using Shared = std::shared_ptr<Joint>;
  const __warploom_operation operation = {joint->function(),
                                          [](void *state) { (*static_cast<Shared *>(state))->run(); },
                                          [](void *state) { delete static_cast<Shared *>(state); }, new Shared(joint)};
  if (error == cudaSuccess) error = __warploom_library_submit(streams.front(), &operation, kWaitingOperation);
  if (error == cudaSuccess) error = around.after();
  if (error == cudaSuccess) return ncclSuccess;
  say(std::string(joint->function()) + ": a stream gives " + cudaGetErrorName(error));
  return error == cudaErrorInvalidResourceHandle ? ncclInvalidArgument : ncclUnhandledCudaError;
}

bool is_captured(const Given &given) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(given.stream, &status) != cudaSuccess || status != cudaStreamCaptureStatusNone;
}

// The collectives of each rank in their order; empty: some rank has made more than another, or none.
std::vector<std::vector<Given>> calls_by_rank(const std::vector<Given> &given, int ranks) {
  std::vector<std::vector<Given>> calls(static_cast<std::size_t>(ranks));
  for (const Given &each : given)
    if (!each.request.is_between_two()) calls[static_cast<std::size_t>(each.member->rank)].push_back(each);
  const bool is_even = std::ranges::all_of(calls, [&](const auto &own) { return own.size() == calls.front().size(); });
  return is_even && !calls.front().empty() ? calls : std::vector<std::vector<Given>>{};
}

ncclResult_t launch_calls(const std::vector<std::vector<Given>> &calls) {
  for (std::size_t i = 0; i < calls.front().size(); ++i) {
    std::vector<Given> same;
    for (const auto &own : calls) {
      same.push_back(own[i]);
      if (own[i].request.call() == same.front().request.call()) continue;
      say(std::string(own[i].request.function) + ": ranks make different calls: rank 0 " +
          describe(same.front().request.call()) + ", rank " + std::to_string(own[i].member->rank) + " " +
          describe(own[i].request.call()));
      return ncclInvalidUsage;
    }
    if (const ncclResult_t result = give(std::make_shared<Joint>(std::move(same))); result != ncclSuccess)
      return result;
  }
  return ncclSuccess;
}

// Each message that is sent with the one that is received; nothing where one is of another group.
std::optional<std::vector<Copies>> copies_of(const std::vector<Given> &given) {
  struct Message {
    const Request *request;
    std::size_t number;  // among those that its rank sends
  };
  std::map<std::pair<int, int>, std::vector<Message>> sent, received;
  std::map<int, std::size_t> numbers;
  for (const Given &each : given) {
    const int rank = each.member->rank, other = each.request.root;
    if (each.request.kind == Kind::kSend) sent[{rank, other}].push_back({&each.request, numbers[rank]++});
    if (each.request.kind == Kind::kRecv) received[{other, rank}].push_back({&each.request, 0});
  }
  std::vector<Copies> copies;
  if (sent.size() != received.size()) return std::nullopt;
  for (const auto &[pair, sends] : sent) {
    const auto found = received.find(pair);
    if (found == received.end() || found->second.size() != sends.size()) return std::nullopt;
    for (std::size_t i = 0; i < sends.size(); ++i) {
      const Request &to = *found->second[i].request, &from = *sends[i].request;
      if (to.bytes() != from.bytes()) return std::nullopt;
      copies.resize(std::max(copies.size(), sends[i].number + 1));
      copies[sends[i].number].push_back({to.recv, from.send, to.bytes()});
    }
  }
  return copies;
}

// Of one communicator.
ncclResult_t launch_world(const std::vector<Given> &given, std::vector<Given> *rest) {
  const World &world = *given.front().member->world;
  const auto leave = [&](auto &&is_left) { std::ranges::copy_if(given, std::back_inserter(*rest), is_left); };
  const auto calls = calls_by_rank(given, world.size());
  const bool is_joint = world.is_one_process() && std::ranges::none_of(given, is_captured);
  const auto is_between_two = [](const Given &each) { return each.request.is_between_two(); };
  if (is_joint && !calls.empty()) {
    if (const ncclResult_t result = launch_calls(calls); result != ncclSuccess) return result;
  } else {
    leave([&](const Given &each) { return !is_between_two(each); });
  }
  std::vector<Given> messages;
  std::ranges::copy_if(given, std::back_inserter(messages), is_between_two);
  if (messages.empty()) return ncclSuccess;
  if (auto copies = is_joint ? copies_of(messages) : std::nullopt) {
    return give(std::make_shared<Joint>(messages, std::move(*copies)));
  }
  leave(is_between_two);
  return ncclSuccess;
}

// An event is of the stream's device.
template <class Act>
cudaError_t with_event(cudaStream_t recorded, const Act &act) {
  int own = 0, device = 0;
  cudaEvent_t event = nullptr;
  cudaError_t error = cudaGetDevice(&own);
  if (error == cudaSuccess) error = cudaStreamGetDevice(recorded, &device);
  if (error == cudaSuccess) error = cudaSetDevice(device);
  if (error == cudaSuccess) error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  if (error != cudaSuccess) return error;
  error = cudaEventRecord(event, recorded);
  if (error == cudaSuccess) error = act(event);
  cudaEventDestroy(event);
  cudaSetDevice(own);
  return error;
}

}  // namespace

cudaError_t StreamsAround::before() const {
  cudaError_t error = cudaSuccess;
  for (std::size_t i = 1; i < streams_.size() && error == cudaSuccess; ++i)
    error = with_event(streams_[i], [&](cudaEvent_t event) { return cudaStreamWaitEvent(streams_.front(), event, 0); });
  return error;
}

cudaError_t StreamsAround::after() const {
  if (streams_.size() < 2) return cudaSuccess;
  return with_event(streams_.front(), [&](cudaEvent_t event) {
    cudaError_t error = cudaSuccess;
    for (std::size_t i = 1; i < streams_.size() && error == cudaSuccess; ++i)
      error = cudaStreamWaitEvent(streams_[i], event, 0);
    return error;
  });
}

ncclResult_t launch_jointly(const std::vector<Given> &given, std::vector<Given> *rest) {
  if (given.size() == 1 && given.front().member->world->size() > 1) {
    *rest = given;
    return ncclSuccess;
  }
  std::vector<const World *> worlds;
  for (const Given &each : given) {
    const World *const world = each.member->world.get();
    if (std::ranges::find(worlds, world) == worlds.end()) worlds.push_back(world);
  }
  for (const World *world : worlds) {
    std::vector<Given> own;
    std::ranges::copy_if(given, std::back_inserter(own),
                         [&](const Given &each) { return each.member->world.get() == world; });
    if (const ncclResult_t result = launch_world(own, rest); result != ncclSuccess) return result;
  }
  return ncclSuccess;
}

}  // namespace warploom::nccl
