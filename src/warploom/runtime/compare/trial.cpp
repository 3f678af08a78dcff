// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trial.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "../fiber.h"
#include "../fork_lock.h"

namespace warploom {
namespace {

bool in_trial = false;

bool write_all(int file, const void *data, std::size_t size) {
  return send(file, data, size, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
}

bool read_all(int file, void *data, std::size_t size) {
  ssize_t count;
  do count = read(file, data, size);
  while (count < 0 && errno == EINTR);
  return count == static_cast<ssize_t>(size);
}

// The program's own output is not for the copy to write; its messages are for whoever made it.
void redirect_output(int messages) {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nowhere, STDOUT_FILENO);
  dup2(messages < 0 ? nowhere : messages, STDERR_FILENO);
}

// When memory runs out the system ends this process and not the program.
void offer_to_be_ended() {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  if (write(file, "1000", 4) != 4) {
  }
  close(file);
}

}  // namespace

// In pages that both processes have; checksums and one block follow.
struct Trial::Report {
  Outcome outcome;
  bool lacked_a_twin;

  std::uint64_t *sums() { return reinterpret_cast<std::uint64_t *>(this + 1); }
  char *block(std::size_t count) { return reinterpret_cast<char *>(sums() + count); }
};

bool is_trial() { return in_trial; }

Trial::Trial(const Launch &launch, const ReachableMemory &memory, const TrialSetting &setting)
    : block_count_(memory.blocks.size()),
      report_size_(sizeof(Report) + block_count_ * sizeof(std::uint64_t) + kBlockBytes) {
  processor_count();  // known before there is a copy
  void *const pages = mmap(nullptr, report_size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (pages != MAP_FAILED && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_) == 0) {
    report_ = new (pages) Report{};
    messages_ = memfd_create("warploom-messages", MFD_CLOEXEC);
    process_ = fork_with_locks();
    if (process_ == 0) run_in_copy(launch, memory, setting);
  } else if (pages != MAP_FAILED) {
    munmap(pages, report_size_);
  }
  if (process_ < 0) {
    reason_ = std::strerror(errno);
    end_ = End::kNotStarted;
  }
  close(std::exchange(ends_[1], -1));
}

void Trial::run_in_copy(const Launch &launch, const ReachableMemory &memory, const TrialSetting &setting) {
  in_trial = true;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  close(ends_[0]);
  redirect_output(messages_);
  offer_to_be_ended();
  own_shared_pages(memory);
  set_fiber_rounding(static_cast<unsigned>(setting.rounding));
  if (setting.seed != nullptr) setenv("WARPLOOM_SCHEDULE_SEED", setting.seed, 1);
  if (setting.twin) run_twins();
  report_->outcome = run_grid(launch);
  report_->lacked_a_twin = a_twin_was_missing();
  for (std::size_t i = 0; i < block_count_; ++i) {
    const MemoryBlock &block = memory.blocks[i];
    report_->sums()[i] = checksum(memory.at(block), block.size);
  }
  char ready = 1;
  std::size_t wanted;
  if (write_all(ends_[1], &ready, 1)) {
    while (read_all(ends_[1], &wanted, sizeof wanted)) {
      const MemoryBlock &block = memory.blocks[wanted];
      std::memcpy(report_->block(block_count_), memory.at(block), block.size);
      if (!write_all(ends_[1], &ready, 1)) break;
    }
  }
  _exit(0);
}

double Trial::age() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

Trial::End Trial::wait(double seconds) {
  while (!end_) {
    const double left = std::clamp(seconds - age(), 0.0, 1e6);
    pollfd waiting = {ends_[0], POLLIN, 0};
    const int count = poll(&waiting, 1, static_cast<int>(left * 1000));
    if (count < 0 && errno == EINTR) continue;
    char ready = 0;
    if (count == 0) return End::kTooLong;
    if (read_all(ends_[0], &ready, 1)) {
      end_ = End::kGrid;
    } else {
      int status = 0;
      if (waitpid(process_, &status, 0) == process_ && WIFSIGNALED(status)) signal_ = WTERMSIG(status);
      process_ = -1;
      end_ = End::kKilled;
    }
  }
  return *end_;
}

Outcome Trial::outcome() const { return report_->outcome; }
bool Trial::lacked_a_twin() const { return report_->lacked_a_twin; }
std::uint64_t Trial::sum(std::size_t block) const { return report_->sums()[block]; }

std::string Trial::messages() const {
  std::string text(4096, '\0');
  const ssize_t count = pread(messages_, text.data(), text.size(), 0);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

const char *Trial::bytes(std::size_t block) {
  char ready = 0;
  if (!write_all(ends_[0], &block, sizeof block) || !read_all(ends_[0], &ready, 1)) return nullptr;
  return report_->block(block_count_);
}

Trial::~Trial() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (report_ != nullptr) munmap(report_, report_size_);
  for (const int file : {ends_[0], messages_})
    if (file >= 0) close(file);
}

}  // namespace warploom
