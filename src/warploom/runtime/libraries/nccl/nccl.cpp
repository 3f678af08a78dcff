// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NCCL's functions that make communicators and tell of them.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <numeric>

#include "../../library_calls.h"
#include "group.h"

namespace warploom::nccl {
namespace {

std::mutex last_mutex;
std::string last_error;

ncclResult_t refuse(const char *function, const std::string &reason, ncclResult_t result = ncclInvalidArgument) {
  say(std::string(function) + ": " + reason);
  return note(result);
}

bool is_blocking(const ncclConfig_t *config) { return config == nullptr || config->blocking != 0; }

ncclResult_t init(const char *function, ncclComm_t *comm, int nranks, const ncclUniqueId &id, int rank,
                  const ncclConfig_t *config, int device) {
  if (comm == nullptr) return refuse(function, "there is no place for the communicator");
  if (nranks < 1 || rank < 0 || rank >= nranks)
    return refuse(function, "rank " + std::to_string(rank) + " of " + std::to_string(nranks) + " cannot be");
  if (nranks > kMaxRanks) return refuse(function, "there can be " + std::to_string(kMaxRanks) + " ranks at most");
  Meeting meeting{.function = function, .made = comm, .ranks = nranks, .is_blocking = is_blocking(config)};
  std::memcpy(&meeting.id, &id, sizeof meeting.id);
  meeting.member->rank = rank;
  meeting.member->device = device;
  return note(add_meeting(std::move(meeting)));
}

int current_device() {
  int device = 0;
  cudaGetDevice(&device);
  return device;
}

ncclResult_t split(const char *function, ncclComm_t comm, int color, int key, std::vector<int> parties,
                   ncclComm_t *made, const ncclConfig_t *config) {
  const std::shared_ptr<Member> parent = member_of(comm);
  if (!parent || made == nullptr)
    return refuse(function,
                  "the communicator is null, or was destroyed or never made, or there is no place for the new one");
  if (color < NCCL_SPLIT_NOCOLOR) return refuse(function, "a colour is not negative");
  if (parent->error != ncclSuccess) return note(parent->error);
  Meeting meeting{.function = function,
                  .made = made,
                  .is_blocking = is_blocking(config),
                  .parent = parent,
                  .color = color,
                  .key = key,
                  .parties = std::move(parties)};
  meeting.member->device = parent->device;
  return note(add_meeting(std::move(meeting)));
}

std::vector<int> all_ranks(ncclComm_t comm) {
  const std::shared_ptr<Member> member = member_of(comm);
  std::vector<int> ranks(member ? static_cast<std::size_t>(member->world->size()) : 0);
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

// Until the rank's operations have ended.
void finish(Member &member) {
  std::unique_lock lock(member.mutex);
  while (!member.tickets.empty()) {
    lock.unlock();
    static_cast<void>(cudaStreamQuery(cudaStreamLegacy));  // what is queued goes on
    lock.lock();
    member.changed.wait_for(lock, std::chrono::milliseconds(1), [&] { return member.tickets.empty(); });
  }
}

ncclResult_t leave(const char *function, ncclComm_t comm, State state) {
  const std::shared_ptr<Member> member = member_of(comm);
  if (!member)
    return comm == nullptr ? ncclSuccess : refuse(function, "the communicator is null, or was destroyed or never made");
  while (member->error == ncclInProgress) sched_yield();
  member->is_aborted = state == State::kAborted;
  if (member->world) {
    finish(*member);
    member->is_destroyed = true;
    member->own().state = state;
  }
  if (member->lane != nullptr) static_cast<void>(cudaStreamDestroy(member->lane));
  forget(comm);
  return ncclSuccess;
}

template <class Value, class Read>
ncclResult_t tell(const char *function, ncclComm_t comm, Value *value, const Read &read) {
  const std::shared_ptr<Member> member = member_of(comm);
  if (!member || value == nullptr)
    return refuse(function,
                  "the communicator is null, or was destroyed or never made, or there is no place for the answer");
  *value = read(*member);
  return ncclSuccess;
}

}  // namespace

void say(const std::string &text) {
  __warploom_library_message(text.c_str());
  const std::lock_guard lock(last_mutex);
  last_error = text;
}

}  // namespace warploom::nccl

using namespace warploom::nccl;

#pragma GCC visibility push(default)
extern "C" {

ncclResult_t ncclGetVersion(int *version) {
  if (version == nullptr) return refuse("ncclGetVersion", "there is no place for the answer");
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  if (id == nullptr) return refuse("ncclGetUniqueId", "there is no place for the answer");
  Id made;
  const ncclResult_t result = make_id(&made);
  std::memset(id, 0, sizeof *id);
  if (result == ncclSuccess) std::memcpy(id, &made, sizeof made);
  return result;
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int nranks, ncclUniqueId id, int rank) {
  return init("ncclCommInitRank", comm, nranks, id, rank, nullptr, current_device());
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int nranks, ncclUniqueId id, int rank, ncclConfig_t *config) {
  return init("ncclCommInitRankConfig", comm, nranks, id, rank, config, current_device());
}

ncclResult_t ncclCommInitRankScalable(ncclComm_t *comm, int nranks, int rank, int ids, ncclUniqueId *id,
                                      ncclConfig_t *config) {
  if (ids < 1 || id == nullptr) return refuse("ncclCommInitRankScalable", "there is no unique id");
  return init("ncclCommInitRankScalable", comm, nranks, *id, rank, config, current_device());
}

ncclResult_t ncclCommInitAll(ncclComm_t *comms, int ndev, const int *devices) {
  static constexpr const char *kName = "ncclCommInitAll";
  int count = 0;
  cudaGetDeviceCount(&count);
  if (comms == nullptr || ndev < 1) return refuse(kName, "there is no communicator to make");
  std::vector<int> chosen(static_cast<std::size_t>(ndev));
  for (int i = 0; i < ndev; ++i) {
    const int device = devices == nullptr ? i : devices[i];
    if (device < 0 || device >= count)
      return refuse(kName, "there is no device " + std::to_string(device) + " (WARPLOOM_DEVICE_COUNT=" +
                               std::to_string(std::max(ndev, device + 1)) + " gives the program more)");
    if (std::find(chosen.begin(), chosen.begin() + i, device) != chosen.begin() + i)
      return refuse(kName, "device " + std::to_string(device) + " is named twice", ncclInvalidUsage);
    chosen[static_cast<std::size_t>(i)] = device;
  }
  ncclUniqueId id;
  if (const ncclResult_t result = ncclGetUniqueId(&id); result != ncclSuccess) return result;
  start_group();
  for (int i = 0; i < ndev; ++i) init(kName, comms + i, ndev, id, i, nullptr, chosen[static_cast<std::size_t>(i)]);
  return end_group();
}

ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *made, ncclConfig_t *config) {
  return split("ncclCommSplit", comm, color, key, all_ranks(comm), made, config);
}

ncclResult_t ncclCommShrink(ncclComm_t comm, int *excluded, int count, ncclComm_t *made, ncclConfig_t *config, int) {
  static constexpr const char *kName = "ncclCommShrink";
  if (excluded == nullptr || count < 1) return refuse(kName, "no rank is to be left out");
  const std::shared_ptr<Member> member = member_of(comm);
  std::vector<int> parties = all_ranks(comm);
  std::erase_if(parties, [&](int rank) { return std::find(excluded, excluded + count, rank) != excluded + count; });
  if (member && std::find(parties.begin(), parties.end(), member->rank) == parties.end())
    return refuse(kName, "a rank that is left out calls it", ncclInvalidUsage);
  return split(kName, comm, 0, member ? member->rank : 0, std::move(parties), made, config);
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  const std::shared_ptr<Member> member = member_of(comm);
  if (!member) return refuse("ncclCommFinalize", "the communicator is null, or was destroyed or never made");
  finish(*member);
  return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) { return leave("ncclCommDestroy", comm, State::kLeft); }
ncclResult_t ncclCommAbort(ncclComm_t comm) { return leave("ncclCommAbort", comm, State::kAborted); }

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error) {
  return tell("ncclCommGetAsyncError", comm, error, [](const Member &member) { return member.error.load(); });
}
ncclResult_t ncclCommCount(const ncclComm_t comm, int *count) {
  return tell("ncclCommCount", comm, count, [](const Member &member) { return member.world->size(); });
}
ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int *device) {
  return tell("ncclCommCuDevice", comm, device, [](const Member &member) { return member.device; });
}
ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank) {
  return tell("ncclCommUserRank", comm, rank, [](const Member &member) { return member.rank; });
}

// All memory can be reached by all ranks as it is.
ncclResult_t ncclCommRegister(const ncclComm_t comm, void *buffer, size_t, void **handle) {
  if (!member_of(comm) || handle == nullptr)
    return refuse("ncclCommRegister", "the communicator is null, or was destroyed or never made");
  *handle = buffer;
  return ncclSuccess;
}
ncclResult_t ncclCommDeregister(const ncclComm_t comm, void *) {
  return member_of(comm) ? ncclSuccess
                         : refuse("ncclCommDeregister", "the communicator is null, or was destroyed or never made");
}

ncclResult_t ncclMemAlloc(void **ptr, size_t size) {
  if (ptr == nullptr) return refuse("ncclMemAlloc", "there is no place for the address");
  return cudaMalloc(ptr, size) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
ncclResult_t ncclMemFree(void *ptr) { return cudaFree(ptr) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError; }

const char *ncclGetErrorString(ncclResult_t result) {
  static constexpr const char *kTexts[] = {"no error",
                                           "unhandled cuda error",
                                           "unhandled system error",
                                           "internal error",
                                           "invalid argument",
                                           "invalid usage",
                                           "remote process exited or there was a network error",
                                           "operation in progress"};
  return result >= ncclSuccess && result < ncclNumResults ? kTexts[result] : "unknown result code";
}

const char *ncclGetLastError(ncclComm_t) {
  static thread_local std::string kept;
  const std::lock_guard lock(last_mutex);
  kept = last_error;
  return kept.c_str();
}

#define WARPLOOM_ALSO(NAME) decltype(NAME) p##NAME __attribute__((alias(#NAME)));
WARPLOOM_ALSO(ncclGetVersion)
WARPLOOM_ALSO(ncclGetUniqueId)
WARPLOOM_ALSO(ncclCommInitRank)
WARPLOOM_ALSO(ncclCommInitRankConfig)
WARPLOOM_ALSO(ncclCommInitRankScalable)
WARPLOOM_ALSO(ncclCommInitAll)
WARPLOOM_ALSO(ncclCommSplit)
WARPLOOM_ALSO(ncclCommShrink)
WARPLOOM_ALSO(ncclCommFinalize)
WARPLOOM_ALSO(ncclCommDestroy)
WARPLOOM_ALSO(ncclCommAbort)
WARPLOOM_ALSO(ncclCommGetAsyncError)
WARPLOOM_ALSO(ncclCommCount)
WARPLOOM_ALSO(ncclCommCuDevice)
WARPLOOM_ALSO(ncclCommUserRank)
WARPLOOM_ALSO(ncclCommRegister)
WARPLOOM_ALSO(ncclCommDeregister)
WARPLOOM_ALSO(ncclMemAlloc)
WARPLOOM_ALSO(ncclMemFree)
WARPLOOM_ALSO(ncclGetErrorString)
WARPLOOM_ALSO(ncclGetLastError)

}  // extern "C"
#pragma GCC visibility pop
