// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch.h"

#include <algorithm>
#include <optional>

#include "../common/stream_work.h"
#include "joint.h"

namespace warploom::nccl {
namespace {

// What one rank does in one operation of a stream: a collective, or sends and receives that go on side by side.
struct Part {
  std::shared_ptr<Member> member;
  std::vector<cudaStream_t> streams;  // the operation is of the first; the others wait for it, and it for them
  std::vector<Request> requests;
};

// A part on its way.
class Passage {
 public:
  Passage(const Part &part, bool at_once) : part_(part), ticket_(std::in_place, part.member, at_once) {
    if (part_.requests.front().is_between_two()) {
      exchange_.emplace(*part_.member, part_.requests);
    } else {
      collective_.emplace(*part_.member, part_.requests.front());
    }
  }
  bool is_short() const { return collective_ ? collective_->is_short() : exchange_->is_short(); }
  // True: nothing is left to do.
  bool try_now() { return ticket_->begin() && go_on(true) != Waited::kNotYet; }
  void run() {
    ticket_->wait();
    go_on(false);
  }

 private:
  Waited go_on(bool for_a_moment) {
    const Member &member = *part_.member;
    if (member.is_aborted || member.is_destroyed || member.error != ncclSuccess) {
      ticket_.reset();
      return Waited::kBroken;
    }
    const Waited waited = collective_ ? collective_->run(for_a_moment) : exchange_->run(for_a_moment);
    if (waited != Waited::kNotYet) ticket_.reset();
    return waited;
  }

  const Part part_;
  std::optional<Collective> collective_;
  std::optional<Exchange> exchange_;
  std::optional<Ticket> ticket_;
};

ncclResult_t result_of(cudaError_t error, const Part &part) {
  if (error == cudaSuccess) return ncclSuccess;
  say(std::string(part.requests.front().function) + ": the stream gives " + cudaGetErrorName(error));
  return error == cudaErrorInvalidResourceHandle ? ncclInvalidArgument : ncclUnhandledCudaError;
}

template <class Body>
cudaError_t submit(const Part &part, Body body) {
  auto *const owned = new Body(std::move(body));
  const __warploom_operation operation = {part.requests.front().function,
                                          [](void *state) { (*static_cast<Body *>(state))(); },
                                          [](void *state) { delete static_cast<Body *>(state); }, owned};
  return __warploom_library_submit(part.streams.front(), &operation, kWaitingOperation);
}

// `alone`: nothing else of the group is left to give.
cudaError_t give(const Part &part, bool alone) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (const cudaError_t error = cudaStreamIsCapturing(part.streams.front(), &status); error != cudaSuccess)
    return error;
  if (status != cudaStreamCaptureStatusNone) {
    return submit(part, [part] { Passage(part, true).run(); });
  }
  const auto passage = std::make_shared<Passage>(part, false);
  const auto try_now = [](void *state) { return static_cast<int>(static_cast<Passage *>(state)->try_now()); };
  if (alone && passage->is_short() && __warploom_library_run_now(part.streams.data(), 1, try_now, passage.get()) != 0)
    return cudaSuccess;
  return submit(part, [passage] { passage->run(); });
}

// Part of a group that has several streams for one rank's sends and receives.
ncclResult_t give_with_streams(const Part &part, bool alone) {
  StreamsAround around(part.streams);
  cudaError_t error = around.before();
  if (error == cudaSuccess) error = give(part, alone);
  if (error == cudaSuccess) error = around.after();
  return result_of(error, part);
}

// Collectives in their order, then what is between two.
std::vector<Part> parts_of(const std::vector<Given> &given) {
  std::vector<Part> parts;
  for (const Given &each : given)
    if (!each.request.is_between_two()) parts.push_back({each.member, {each.stream}, {each.request}});
  const std::size_t collectives = parts.size();
  for (const Given &each : given) {
    if (!each.request.is_between_two()) continue;
    const auto found = std::find_if(parts.begin() + static_cast<std::ptrdiff_t>(collectives), parts.end(),
                                    [&](const Part &part) { return part.member == each.member; });
    if (found == parts.end()) {
      parts.push_back({each.member, {each.stream}, {each.request}});
      continue;
    }
    found->requests.push_back(each.request);
    if (std::ranges::find(found->streams, each.stream) == found->streams.end()) found->streams.push_back(each.stream);
  }
  return parts;
}

}  // namespace

ncclResult_t launch_all(const std::vector<Given> &given) {
  std::vector<Given> rest;
  if (const ncclResult_t result = launch_jointly(given, &rest); result != ncclSuccess) return result;
  const std::vector<Part> parts = parts_of(rest);
  ncclResult_t result = ncclSuccess;
  for (const Part &part : parts) {
    const ncclResult_t each = give_with_streams(part, parts.size() == 1);
    if (result == ncclSuccess) result = each;
  }
  return result;
}

}  // namespace warploom::nccl
