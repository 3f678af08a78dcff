// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "company.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "engine.h"

namespace warploom {
namespace {

// The number of the layout is part of the name: processes of several versions do not meet.
std::string usual_path() { return "/dev/shm/warploom-1-" + std::to_string(geteuid()); }

bool is_same_file(int one, int other) {
  struct stat first, second;
  return one >= 0 && fstat(one, &first) == 0 && fstat(other, &second) == 0 && first.st_ino == second.st_ino &&
         first.st_dev == second.st_dev;
}

// Of this user alone, and with memory behind every byte: to write to a page that the system has none for is a fault.
bool is_ready(int file, std::size_t size) {
  struct stat found;
  if (fstat(file, &found) != 0 || !S_ISREG(found.st_mode) || found.st_uid != geteuid()) return false;
  return (found.st_mode & 077) == 0 && posix_fallocate(file, 0, static_cast<off_t>(size)) == 0;
}

bool lock_byte(int file, unsigned number) {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = number;
  lock.l_len = 1;
  return fcntl(file, F_SETLK, &lock) == 0;
}

// Of what the processes of a machine have in common; it moves every 1 to 4 ms, and costs a few nanoseconds.
std::uint64_t milliseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000 + static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
}

// This process, and its latest look at the others.
struct Present {
  std::atomic_flag is_looking;
  Company company;
  bool has_joined = false, is_alone = false;
  std::atomic<std::uint64_t> next_look{0};
  std::atomic<unsigned> share{0};  // 0: never looked
};

Present &present() {
  static auto *const result = new Present;  // never destroyed: members of the team may ask while the process ends
  return *result;
}

// At the first look: WARPLOOM_ALONE=1, and who says how many threads there shall be, want no advice.
bool wants_company() {
  const char *const alone = std::getenv("WARPLOOM_ALONE");
  return processor_count() > 1 && !is_count_given() && (alone == nullptr || *alone == '\0' || *alone == '0');
}

unsigned look(Present &here, std::uint64_t now) {
  if (here.is_looking.test_and_set(std::memory_order_acquire)) {
    const unsigned share = here.share.load(std::memory_order_relaxed);
    return share == 0 ? processor_count() : share;
  }
  if (!here.has_joined) {
    here.has_joined = true;
    here.is_alone = !wants_company() || !here.company.join(usual_path(), usable_processors());
  }
  unsigned share = processor_count();
  if (!here.is_alone) share = std::min(share, here.company.share(now, usable_count()));
  here.share.store(share, std::memory_order_relaxed);
  here.next_look.store(here.is_alone ? UINT64_MAX : now + 1, std::memory_order_relaxed);
  here.is_looking.clear(std::memory_order_release);
  return share;
}

}  // namespace

// -1: there is none.
int Company::open_table(const std::string &path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return -1;
  // A parent's, in its child; who closes a file loses the locks on it, so before there are any.
  if (is_same_file(file_, file)) close(file_);
  file_ = -1;
  if (is_ready(file, sizeof(Table))) return file;
  close(file);
  return -1;
}

bool Company::join(const std::string &path, const Processors &processors) {
  const int file = open_table(path);
  if (file < 0) return false;
  void *const memory = mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  unsigned number = 0;
  while (memory != MAP_FAILED && number < kSlots && !lock_byte(file, number)) ++number;
  if (memory == MAP_FAILED || number == kSlots) {
    if (memory != MAP_FAILED) munmap(memory, sizeof(Table));
    close(file);
    return false;
  }
  if (table_ != nullptr) munmap(table_, sizeof(Table));
  table_ = static_cast<Table *>(memory);
  file_ = file;  // stays open: the lock goes with it
  own_ = number;
  std::array<std::uint64_t, kMaskWords> mask{};
  for (const unsigned each : processors) mask[each / 64 % kMaskWords] |= std::uint64_t{1} << each % 64;
  unsigned used = table_->used.load(std::memory_order_relaxed);
  while (used <= own_ && !table_->used.compare_exchange_weak(used, own_ + 1, std::memory_order_relaxed)) continue;
  Slot &own = table_->slots[own_];
  own.at_work.store(0, std::memory_order_relaxed);
  for (unsigned i = 0; i < kMaskWords; ++i) own.processors[i].store(mask[i], std::memory_order_relaxed);
  return true;
}

bool Company::is_beside(const Slot &other, std::uint64_t now) const {
  const std::uint64_t then = other.at_work.load(std::memory_order_relaxed);
  if (then + kAtWork < now || then > now + kAtWork) return false;
  const Slot &own = table_->slots[own_];
  for (unsigned i = 0; i < kMaskWords; ++i) {
    const std::uint64_t theirs = other.processors[i].load(std::memory_order_relaxed);
    if ((own.processors[i].load(std::memory_order_relaxed) & theirs) != 0) return true;
  }
  return false;
}

unsigned Company::share(std::uint64_t now, unsigned total) {
  table_->slots[own_].at_work.store(now, std::memory_order_relaxed);
  unsigned others = 0, before = 0;
  const unsigned used = std::min(table_->used.load(std::memory_order_relaxed), kSlots);
  for (unsigned i = 0; i < used; ++i) {
    if (i == own_ || !is_beside(table_->slots[i], now)) continue;
    ++others;
    before += i < own_ ? 1 : 0;
  }
  // What is left over goes to the first ones.
  return std::max(total / (others + 1) + (before < total % (others + 1) ? 1 : 0), 1U);
}

unsigned processors_now() {
  Present &here = present();
  const std::uint64_t now = milliseconds();
  if (now < here.next_look.load(std::memory_order_relaxed)) return here.share.load(std::memory_order_relaxed);
  return look(here, now);
}

void company_of_child() {
  Present &here = present();
  here.has_joined = false;
  here.share = 0;
  here.next_look = 0;
  here.is_looking.clear();  // the parent's other threads are not here
}

}  // namespace warploom
