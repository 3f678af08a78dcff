// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "found.h"

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>

namespace warploom::nccl {
namespace {

struct Handles {
  std::mutex mutex;
  std::set<ncclComm_t> alive;
};
Handles &handles() {
  static auto *const instance = new Handles;
  return *instance;
}

ncclComm_t make_handle(const std::shared_ptr<Member> &member) {
  auto *const made = new ncclComm{member};
  const std::lock_guard lock(handles().mutex);
  handles().alive.insert(made);
  return made;
}

std::uint64_t lines_of(std::uint64_t number) { return number & 1; }

// Says what colour the rank has.
void choose(Meeting &meeting) {
  Member &parent = *meeting.parent;
  RankState &own = parent.own();
  meeting.number = ++parent.splits;
  own.choices[lines_of(meeting.number)] = {meeting.color, meeting.key};
  advance(own.chosen, own.sleepers, meeting.number);
}

ncclResult_t wait_at(Visit &visit, const Counter &word, RankState &other, std::uint64_t number, int rank) {
  const auto is_there = [&] { return word.load() >= number; };
  const Waited waited = visit.until(word, other.sleepers, is_there, [&](int i) { return i == rank && !is_there(); });
  if (waited == Waited::kReady) return ncclSuccess;
  return visit.member.error == ncclSuccess ? ncclInvalidUsage : visit.member.error.load();
}

// Learns who has the same colour; the first of them makes the memory.
ncclResult_t gather(Meeting &meeting) {
  Member &parent = *meeting.parent;
  const World &world = *parent.world;
  Visit visit(parent, meeting.function, false, false);
  std::vector<std::tuple<int, int>> same;  // key, rank
  for (const int i : meeting.parties) {
    if (const ncclResult_t result = wait_at(visit, world.rank(i).chosen, world.rank(i), meeting.number, i);
        result != ncclSuccess)
      return result;
    const Choice choice = world.rank(i).choices[lines_of(meeting.number)];
    if (choice.color == meeting.color) same.emplace_back(choice.key, i);
  }
  if (meeting.color == NCCL_SPLIT_NOCOLOR) return ncclSuccess;
  std::ranges::sort(same);
  const auto own = std::ranges::find(same, parent.rank, [](const auto &each) { return std::get<1>(each); });
  meeting.ranks = static_cast<int>(same.size());
  meeting.member->rank = static_cast<int>(own - same.begin());
  meeting.leader = std::get<1>(same.front());
  if (meeting.leader != parent.rank) return ncclSuccess;
  if (const ncclResult_t result = make_id(&meeting.id); result != ncclSuccess) return result;
  RankState &state = parent.own();
  state.places[lines_of(meeting.number)] = meeting.id;
  advance(state.met, state.sleepers, meeting.number);
  return ncclSuccess;
}

ncclResult_t learn_place(Meeting &meeting) {
  if (meeting.leader < 0 || meeting.leader == meeting.parent->rank) return ncclSuccess;
  RankState &leader = meeting.parent->world->rank(meeting.leader);
  Visit visit(*meeting.parent, meeting.function, false, false);
  const ncclResult_t result = wait_at(visit, leader.met, leader, meeting.number, meeting.leader);
  if (result == ncclSuccess) meeting.id = leader.places[lines_of(meeting.number)];
  return result;
}

ncclResult_t join(Meeting &meeting) {
  Member &member = *meeting.member;
  member.world = World::open(meeting.id, meeting.ranks, meeting.function);
  if (!member.world) return ncclInvalidArgument;
  RankState &own = member.own();
  own.process = getpid();
  State none = State::kAbsent;
  if (!own.state.compare_exchange_strong(none, State::kJoined)) {
    say(std::string(meeting.function) + ": rank " + std::to_string(member.rank) + " has joined before");
    return ncclInvalidUsage;
  }
  Header &header = member.world->header();
  header.joined.fetch_add(1);
  if (header.sleepers.load() != 0) wake_all(header.joined);
  return ncclSuccess;
}

ncclResult_t wait_for_all(Meeting &meeting) {
  Member &member = *meeting.member;
  const World &world = *member.world;
  Header &header = world.header();
  Visit visit(member, meeting.function, false, false);
  const auto ranks = static_cast<std::uint64_t>(meeting.ranks);
  const Waited waited = visit.until(
      header.joined, header.sleepers, [&] { return header.joined.load() >= ranks; },
      [&](int i) { return world.rank(i).state == State::kAbsent || world.is_gone(i); });
  if (waited != Waited::kReady) return member.error == ncclSuccess ? ncclInvalidUsage : member.error.load();
  member.world->complete();
  if (world.local_ranks() > 1 && member.lane == nullptr) {
    int device = 0;
    cudaGetDevice(&device);
    cudaSetDevice(member.device);
    const cudaError_t error = cudaStreamCreate(&member.lane);
    cudaSetDevice(device);
    if (error != cudaSuccess) return ncclUnhandledCudaError;
  }
  return ncclSuccess;
}

ncclResult_t run_all(std::vector<Meeting> &meetings) {
  using Step = ncclResult_t (*)(Meeting &);
  constexpr Step kSteps[] = {gather, learn_place, join, wait_for_all};
  for (Meeting &each : meetings)
    if (each.parent) choose(each);
  for (const Step step : kSteps) {
    for (Meeting &each : meetings) {
      if (!each.parent && (step == gather || step == learn_place)) continue;
      if (each.ranks == 0 && step != gather) continue;  // without a colour
      if (const ncclResult_t result = step(each); result != ncclSuccess) return result;
    }
  }
  return ncclSuccess;
}

}  // namespace

ncclResult_t meet(std::vector<Meeting> &meetings) {
  const bool is_blocking = std::ranges::all_of(meetings, &Meeting::is_blocking);
  for (Meeting &each : meetings) {
    const bool is_left_out = each.parent && each.color == NCCL_SPLIT_NOCOLOR;
    *each.made = is_left_out ? nullptr : make_handle(each.member);
    if (!is_blocking) each.member->error = ncclInProgress;
  }
  const auto finish = [](std::vector<Meeting> &all) {
    const ncclResult_t result = run_all(all);
    for (const Meeting &each : all) {
      ncclResult_t before = ncclInProgress;
      each.member->error.compare_exchange_strong(before, result);
    }
    return result;
  };
  if (!is_blocking) {
    std::thread([finish, all = std::move(meetings)]() mutable { finish(all); }).detach();
    return ncclInProgress;
  }
  const ncclResult_t result = finish(meetings);
  if (result == ncclSuccess) return ncclSuccess;
  for (const Meeting &each : meetings) {
    forget(*each.made);
    *each.made = nullptr;
  }
  return result;
}

std::shared_ptr<Member> member_of(ncclComm_t comm) {
  const std::lock_guard lock(handles().mutex);
  return handles().alive.contains(comm) ? comm->member : nullptr;
}

void forget(ncclComm_t comm) {
  std::unique_lock lock(handles().mutex);
  if (handles().alive.erase(comm) == 0) return;
  lock.unlock();
  delete comm;
}

}  // namespace warploom::nccl
