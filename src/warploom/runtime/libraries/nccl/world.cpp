// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "world.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

namespace warploom::nccl {
namespace {

constexpr char kMagic[8] = "wl-nccl";

// Files that this process has made, until all ranks have joined.
struct MadeFiles {
  std::mutex mutex;
  std::map<std::uint64_t, int> by_number;
};
MadeFiles &made_files() {
  static auto *const instance = new MadeFiles;
  return *instance;
}

void close_made(std::uint64_t number) {
  MadeFiles &files = made_files();
  const std::lock_guard lock(files.mutex);
  const auto found = files.by_number.find(number);
  if (found == files.by_number.end()) return;
  close(found->second);
  files.by_number.erase(found);
}

void read_machine(char (&text)[40]) {
  std::memset(text, 0, sizeof text);
  const int file = ::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  static_cast<void>(!read(file, text, sizeof text - 1));
  close(file);
}

std::size_t piece_size_for(int ranks) {
  constexpr std::size_t kAll = 64 << 20, kMost = 64 << 10, kLeast = 4 << 10;
  const auto pairs = static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks);
  return std::clamp(std::bit_floor(kAll / pairs), kLeast, kMost);
}

std::size_t size_for(int ranks) {
  const auto n = static_cast<std::size_t>(ranks);
  return sizeof(Header) + n * sizeof(RankState) + n * n * sizeof(Channel) + 2 * n * kSlot +
         2 * n * n * piece_size_for(ranks) + 4096;
}

// -1: the file is not there any more, or another one.
int open_file(const Id &id) {
  const std::string path = "/proc/" + std::to_string(id.process) + "/fd/" + std::to_string(id.file);
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  std::uint64_t number[2] = {};
  if (file >= 0 && pread(file, number, sizeof number, 0) == sizeof number &&
      std::memcmp(number, id.number, sizeof number) == 0)
    return file;
  if (file >= 0) close(file);
  return -1;
}

void say_unreachable(const Id &id, const char *function) {
  char machine[40];
  read_machine(machine);
  const std::string start(function);
  if (std::memcmp(machine, id.machine, sizeof machine) != 0) {
    say(start +
        ": the unique id is of another machine: ranks on several machines are not supported, sockets are not "
        "used; run all ranks on one");
  } else {
    say(start + ": process " + std::to_string(id.process) +
        ", which made the unique id, has ended, or its memory cannot be opened (" + std::strerror(errno) + ")");
  }
}

int open_process(std::int32_t process) {
#ifdef SYS_pidfd_open
  return static_cast<int>(syscall(SYS_pidfd_open, process, 0));
#else
  static_cast<void>(process);
  return -1;
#endif
}

std::byte *aligned(std::byte *place) {
  return reinterpret_cast<std::byte *>((reinterpret_cast<std::uintptr_t>(place) + 4095) / 4096 * 4096);
}

}  // namespace

ncclResult_t make_id(Id *id) {
  *id = {};
  std::memcpy(id->magic, kMagic, sizeof kMagic);
  const int file = memfd_create("warploom-nccl", MFD_CLOEXEC);
  Header header{};
  if (file < 0 || getrandom(header.number, sizeof header.number, 0) != sizeof header.number ||
      ftruncate(file, sizeof header) != 0 || pwrite(file, header.number, sizeof header.number, 0) < 0) {
    say(std::string("ncclGetUniqueId: there is no shared memory: ") + std::strerror(errno));
    return ncclSystemError;
  }
  std::memcpy(id->number, header.number, sizeof header.number);
  id->process = getpid();
  id->file = file;
  read_machine(id->machine);
  MadeFiles &files = made_files();
  const std::lock_guard lock(files.mutex);
  files.by_number[id->number[0]] = file;
  return ncclSuccess;
}

std::shared_ptr<World> World::open(const Id &id, int ranks, const char *function) {
  // Ranks of one process share a view.
  static std::mutex mutex;
  static auto *const known = new std::map<std::uint64_t, std::weak_ptr<World>>;
  if (std::memcmp(id.magic, kMagic, sizeof kMagic) != 0) {
    say(std::string(function) + ": the unique id was not made by ncclGetUniqueId");
    return nullptr;
  }
  const std::lock_guard lock(mutex);
  std::weak_ptr<World> &entry = (*known)[id.number[0]];
  if (std::shared_ptr<World> there = entry.lock()) {
    if (there->size() == ranks) return there;
    say(std::string(function) + ": " + std::to_string(ranks) + " ranks are asked for, where another rank asked for " +
        std::to_string(there->size()));
    return nullptr;
  }
  const int file = open_file(id);
  if (file < 0) {
    say_unreachable(id, function);
    return nullptr;
  }
  const std::size_t size = size_for(ranks);
  struct stat status;
  const bool is_short = fstat(file, &status) != 0 || static_cast<std::size_t>(status.st_size) < size;
  const bool is_sized = !is_short || ftruncate(file, static_cast<off_t>(size)) == 0;
  void *const memory = is_sized ? mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  close(file);
  if (memory == MAP_FAILED) {
    say(std::string(function) + ": no memory to share: " + std::strerror(errno));
    return nullptr;
  }
  std::shared_ptr<World> made(new World(static_cast<std::byte *>(memory), size, ranks));
  std::int32_t none = 0;
  if (!made->header().ranks.compare_exchange_strong(none, ranks) && none != ranks) {
    say(std::string(function) + ": " + std::to_string(ranks) + " ranks are asked for, where another rank asked for " +
        std::to_string(none));
    return nullptr;
  }
  entry = made;
  return made;
}

World::World(std::byte *memory, std::size_t size, int ranks)
    : memory_(memory), size_(size), ranks_(ranks), piece_size_(piece_size_for(ranks)) {
  const auto n = static_cast<std::size_t>(ranks);
  states_ = reinterpret_cast<RankState *>(memory_ + sizeof(Header));
  channels_ = reinterpret_cast<Channel *>(states_ + n);
  slots_ = aligned(reinterpret_cast<std::byte *>(channels_ + n * n));
  pieces_ = slots_ + 2 * n * kSlot;
}

World::~World() {
  for (const int process : processes_)
    if (process >= 0) close(process);
  munmap(memory_, size_);
}

void World::complete() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (!processes_.empty()) return;
  for (int i = 0; i < ranks_; ++i) {
    const bool is_here = states_[i].process == getpid();
    local_ranks_ += is_here ? 1 : 0;
    processes_.push_back(is_here ? -1 : open_process(states_[i].process));
  }
  close_made(header().number[0]);
}

bool World::is_gone(int i) const {
  const State state = states_[i].state.load();
  if (state == State::kLeft || state == State::kAborted) return true;
  const auto place = static_cast<std::size_t>(i);
  if (state == State::kAbsent) return false;
  if (place < processes_.size() && processes_[place] >= 0) {
    pollfd ended = {processes_[place], POLLIN, 0};
    return poll(&ended, 1, 0) > 0;
  }
  return kill(states_[i].process, 0) != 0 && errno == ESRCH;
}

void sleep_at(const std::atomic<std::uint64_t> &word, std::uint64_t value) {
  static_assert(std::endian::native == std::endian::little);
  const timespec limit = {0, 50'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT, static_cast<std::uint32_t>(value), &limit, nullptr, 0);
}

void wake_all(const std::atomic<std::uint64_t> &word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

}  // namespace warploom::nccl
