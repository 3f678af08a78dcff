// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NCCL's functions that move data, and those that are refused.
#include <cstring>

#include "../common/refused.h"
#include "group.h"

namespace warploom::nccl {
namespace {

ncclResult_t refuse(const char *function, const std::string &reason, ncclResult_t result = ncclInvalidArgument) {
  say(std::string(function) + ": " + reason);
  return note(result);
}

bool is_type(ncclDataType_t type) { return type >= 0 && type < ncclNumTypes; }

bool find_operator(Member &member, ncclRedOp_t op, Type type, Operator *found) {
  const auto number = static_cast<int>(op);
  if (number < 0) return false;
  if (number >= ncclNumOps) {
    const std::lock_guard lock(member.mutex);
    const auto place = static_cast<std::size_t>(number - ncclNumOps);
    if (place >= member.made.size() || !member.made[place].is_there || member.made[place].type != type) return false;
    *found = member.made[place].what;
    return true;
  }
  constexpr Combine kCombines[] = {Combine::kSum, Combine::kProduct, Combine::kMax, Combine::kMin, Combine::kSum};
  *found = {.number = number, .combine = kCombines[number], .is_average = op == ncclAvg};
  return true;
}

// A call: its type and operator (null: none) as the program has given them.
struct Asked {
  const void *send;
  void *recv;
  std::size_t count;
  ncclDataType_t type;
  const ncclRedOp_t *op = nullptr;
  int root = 0;
};

ncclResult_t call(const char *function, Kind kind, const Asked &asked, ncclComm_t comm, cudaStream_t stream) {
  const std::shared_ptr<Member> member = member_of(comm);
  if (!member) return refuse(function, "the communicator is null, or was destroyed or never made");
  if (member->error != ncclSuccess) return note(member->error);
  if (!is_type(asked.type)) return refuse(function, "there is no data type " + std::to_string(asked.type));
  const int ranks = member->world->size();
  if (asked.root < 0 || asked.root >= ranks)
    return refuse(function, "there is no rank " + std::to_string(asked.root) + " of " + std::to_string(ranks));
  Request request{.kind = kind,
                  .function = function,
                  .send = static_cast<const std::byte *>(asked.send),
                  .recv = static_cast<std::byte *>(asked.recv),
                  .count = asked.count,
                  .type = static_cast<Type>(asked.type),
                  .root = asked.root};
  if (asked.op != nullptr && !find_operator(*member, *asked.op, request.type, &request.op))
    return refuse(function, "there is no operator " + std::to_string(*asked.op) + " for the data type");
  if (asked.count == 0) return ncclSuccess;
  const bool is_root = member->rank == asked.root;
  const bool sends = kind != Kind::kRecv && (kind != Kind::kBroadcast || is_root);
  const bool receives = kind != Kind::kSend && (kind != Kind::kReduce || is_root);
  if ((sends && asked.send == nullptr) || (receives && asked.recv == nullptr))
    return refuse(function, "there is no memory to read or to write");
  const bool is_default = stream == nullptr || stream == cudaStreamLegacy;
  if (is_default && member->lane != nullptr) stream = member->lane;
  return note(add_request({member, stream, request}));
}

// Messages of a group of their own.
template <class Add>
ncclResult_t in_group(const Add &add) {
  start_group();
  const ncclResult_t added = add();
  const ncclResult_t ended = end_group();
  return added != ncclSuccess ? added : ended;
}

struct Place {
  int rank, size;
};
ncclResult_t find_place(const char *function, ncclComm_t comm, ncclDataType_t type, Place *place) {
  const std::shared_ptr<Member> member = member_of(comm);
  if (!member) return refuse(function, "the communicator is null, or was destroyed or never made");
  if (!is_type(type)) return refuse(function, "there is no data type " + std::to_string(type));
  *place = {member->rank, member->world->size()};
  return ncclSuccess;
}

const std::byte *part(const void *base, int i, std::size_t count, ncclDataType_t type) {
  return static_cast<const std::byte *>(base) + static_cast<std::size_t>(i) * count * size_of(static_cast<Type>(type));
}
std::byte *part(void *base, int i, std::size_t count, ncclDataType_t type) {
  return const_cast<std::byte *>(part(static_cast<const void *>(base), i, count, type));
}

}  // namespace
}  // namespace warploom::nccl

using namespace warploom::nccl;

#pragma GCC visibility push(default)
extern "C" {

ncclResult_t ncclAllReduce(const void *send, void *recv, size_t count, ncclDataType_t type, ncclRedOp_t op,
                           ncclComm_t comm, cudaStream_t stream) {
  return call("ncclAllReduce", Kind::kAllReduce, {send, recv, count, type, &op}, comm, stream);
}
ncclResult_t ncclReduce(const void *send, void *recv, size_t count, ncclDataType_t type, ncclRedOp_t op, int root,
                        ncclComm_t comm, cudaStream_t stream) {
  return call("ncclReduce", Kind::kReduce, {send, recv, count, type, &op, root}, comm, stream);
}
ncclResult_t ncclBroadcast(const void *send, void *recv, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                           cudaStream_t stream) {
  return call("ncclBroadcast", Kind::kBroadcast, {send, recv, count, type, nullptr, root}, comm, stream);
}
ncclResult_t ncclBcast(void *buffer, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                       cudaStream_t stream) {
  return call("ncclBcast", Kind::kBroadcast, {buffer, buffer, count, type, nullptr, root}, comm, stream);
}
ncclResult_t ncclAllGather(const void *send, void *recv, size_t count, ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream) {
  return call("ncclAllGather", Kind::kAllGather, {send, recv, count, type}, comm, stream);
}
ncclResult_t ncclReduceScatter(const void *send, void *recv, size_t count, ncclDataType_t type, ncclRedOp_t op,
                               ncclComm_t comm, cudaStream_t stream) {
  return call("ncclReduceScatter", Kind::kReduceScatter, {send, recv, count, type, &op}, comm, stream);
}
ncclResult_t ncclSend(const void *send, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return call("ncclSend", Kind::kSend, {send, nullptr, count, type, nullptr, peer}, comm, stream);
}
ncclResult_t ncclRecv(void *recv, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream) {
  return call("ncclRecv", Kind::kRecv, {nullptr, recv, count, type, nullptr, peer}, comm, stream);
}

ncclResult_t ncclAlltoAll(const void *send, void *recv, size_t count, ncclDataType_t type, ncclComm_t comm,
                          cudaStream_t stream) {
  Place place{};
  if (const ncclResult_t result = find_place("ncclAlltoAll", comm, type, &place); result != ncclSuccess) return result;
  return in_group([&] {
    ncclResult_t result = ncclSuccess;
    for (int i = 0; i < place.size && result == ncclSuccess; ++i) {
      result = ncclSend(part(send, i, count, type), count, type, i, comm, stream);
      if (result == ncclSuccess) result = ncclRecv(part(recv, i, count, type), count, type, i, comm, stream);
    }
    return result;
  });
}

ncclResult_t ncclGather(const void *send, void *recv, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                        cudaStream_t stream) {
  Place place{};
  if (const ncclResult_t result = find_place("ncclGather", comm, type, &place); result != ncclSuccess) return result;
  return in_group([&] {
    ncclResult_t result = ncclSend(send, count, type, root, comm, stream);
    for (int i = 0; place.rank == root && i < place.size && result == ncclSuccess; ++i)
      result = ncclRecv(part(recv, i, count, type), count, type, i, comm, stream);
    return result;
  });
}

ncclResult_t ncclScatter(const void *send, void *recv, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                         cudaStream_t stream) {
  Place place{};
  if (const ncclResult_t result = find_place("ncclScatter", comm, type, &place); result != ncclSuccess) return result;
  return in_group([&] {
    ncclResult_t result = ncclSuccess;
    for (int i = 0; place.rank == root && i < place.size && result == ncclSuccess; ++i)
      result = ncclSend(part(send, i, count, type), count, type, i, comm, stream);
    return result == ncclSuccess ? ncclRecv(recv, count, type, root, comm, stream) : result;
  });
}

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t *op, void *scalar, ncclDataType_t type,
                                      ncclScalarResidence_t residence, ncclComm_t comm) {
  static constexpr const char *kName = "ncclRedOpCreatePreMulSum";
  const std::shared_ptr<Member> member = member_of(comm);
  if (!member || op == nullptr || scalar == nullptr || !is_type(type))
    return refuse(kName, "the communicator, the factor or its type does not exist");
  MadeOperator made{
      .what = {.number = ncclNumOps, .is_scaled = true}, .type = static_cast<Type>(type), .is_there = true};
  if (residence == ncclScalarHostImmediate) {
    std::memcpy(&made.what.bits, scalar, size_of(made.type));
  } else {
    made.what.address = scalar;
  }
  const std::lock_guard lock(member->mutex);
  std::size_t place = 0;
  while (place < member->made.size() && member->made[place].is_there) ++place;
  if (place == member->made.size()) member->made.emplace_back();
  member->made[place] = made;
  *op = static_cast<ncclRedOp_t>(ncclNumOps + place);
  return ncclSuccess;
}

ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm) {
  const std::shared_ptr<Member> member = member_of(comm);
  const auto place = static_cast<std::size_t>(op) - ncclNumOps;
  if (!member || op < ncclNumOps) return refuse("ncclRedOpDestroy", "the communicator or the operator does not exist");
  const std::lock_guard lock(member->mutex);
  if (place >= member->made.size() || !member->made[place].is_there)
    return refuse("ncclRedOpDestroy", "the operator does not exist");
  member->made[place].is_there = false;
  return ncclSuccess;
}

ncclResult_t ncclGroupStart() { return start_group(); }
ncclResult_t ncclGroupEnd() { return end_group(); }

#define WARPLOOM_NCCL_REFUSED(NAME, PARAMETERS)                                                                   \
  ncclResult_t NAME PARAMETERS {                                                                                  \
    return WARPLOOM_REFUSE(#NAME, "it has not been written; docs/libraries.md lists what has", ncclInvalidUsage); \
  }                                                                                                               \
  decltype(NAME) p##NAME __attribute__((alias(#NAME)));
#include <warploom/libraries/nccl_refused.def>

#define WARPLOOM_ALSO(NAME) decltype(NAME) p##NAME __attribute__((alias(#NAME)));
WARPLOOM_ALSO(ncclAllReduce)
WARPLOOM_ALSO(ncclReduce)
WARPLOOM_ALSO(ncclBroadcast)
WARPLOOM_ALSO(ncclBcast)
WARPLOOM_ALSO(ncclAllGather)
WARPLOOM_ALSO(ncclReduceScatter)
WARPLOOM_ALSO(ncclSend)
WARPLOOM_ALSO(ncclRecv)
WARPLOOM_ALSO(ncclAlltoAll)
WARPLOOM_ALSO(ncclGather)
WARPLOOM_ALSO(ncclScatter)
WARPLOOM_ALSO(ncclRedOpCreatePreMulSum)
WARPLOOM_ALSO(ncclRedOpDestroy)
WARPLOOM_ALSO(ncclGroupStart)
WARPLOOM_ALSO(ncclGroupEnd)

}  // extern "C"
#pragma GCC visibility pop
