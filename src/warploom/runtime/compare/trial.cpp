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
#include "../random.h"

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

void end_with_parent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
}

void wait_for_end(pid_t process) {
  while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void end_process(pid_t process) {
  kill(process, SIGKILL);
  wait_for_end(process);
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

// In pages that all processes have; checksums and one block follow.
struct Snapshot::Report {
  Outcome outcome;
  bool lacked_a_twin;

  std::uint64_t *sums() { return reinterpret_cast<std::uint64_t *>(this + 1); }
  char *block(std::size_t count) { return reinterpret_cast<char *>(sums() + count); }
};

namespace {

// What the snapshot is asked: to start a trial, or how one ended.
struct Request {
  unsigned trial;
  bool starts;
  TrialSetting setting;
};

}  // namespace

bool is_trial() { return in_trial; }

Snapshot::Snapshot(const Launch &launch, const ReachableMemory &memory)
    : launch_(launch),
      memory_(memory),
      report_size_(sizeof(Report) + memory.blocks.size() * sizeof(std::uint64_t) + kBlockBytes) {
  processor_count();  // known before there is a copy
  const pid_t program = getpid();
  if (open_channels()) process_ = fork_with_locks();
  if (process_ == 0) serve(program);
  if (process_ < 0) obstacle_ = std::strerror(errno);
  close(std::exchange(ends_[1], -1));
  for (Channel &each : channels_) close(std::exchange(each.ends[1], -1));
}

bool Snapshot::open_channels() {
  void *const pages =
      mmap(nullptr, kTrials * report_size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_) != 0) return false;
  pages_ = pages;
  for (unsigned i = 0; i < kTrials; ++i) {
    channels_[i].report = reinterpret_cast<Report *>(static_cast<char *>(pages) + i * report_size_);
    channels_[i].messages = memfd_create("warploom-messages", MFD_CLOEXEC);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channels_[i].ends) != 0) return false;
  }
  return true;
}

// The snapshot's life: it ends when the program has closed its end.
void Snapshot::serve(pid_t program) {
  in_trial = true;
  end_with_parent(program);
  close(ends_[0]);
  for (Channel &each : channels_) close(std::exchange(each.ends[0], -1));
  offer_to_be_ended();
  own_shared_pages(memory_);
  pid_t processes[kTrials] = {};
  const pid_t snapshot = getpid();
  Request request;
  while (read_all(ends_[1], &request, sizeof request)) {
    if (request.starts) {
      pid_t &process = processes[request.trial] = fork();
      if (process == 0) run(channels_[request.trial], request.setting, snapshot);
      close(std::exchange(channels_[request.trial].ends[1], -1));
    } else {
      int status = 0;
      const pid_t process = std::exchange(processes[request.trial], 0);
      const bool known = waitpid(process, &status, 0) > 0 && WIFSIGNALED(status);
      const int signal = known ? WTERMSIG(status) : 0;
      if (!write_all(ends_[1], &signal, sizeof signal)) break;
    }
  }
  for (const pid_t each : processes)
    if (each > 0) end_process(each);
  _exit(0);
}

// In a trial's process.
void Snapshot::run(Channel &channel, const TrialSetting &setting, pid_t snapshot) {
  end_with_parent(snapshot);
  close(ends_[1]);
  for (Channel &each : channels_)
    if (&each != &channel) close(each.ends[1]);
  redirect_output(channel.messages);
  own_shared_pages(memory_);
  set_fiber_rounding(static_cast<unsigned>(setting.rounding));
  if (setting.seed != nullptr) set_schedule_seed(setting.seed, setting.opposite);
  if (setting.twin) run_twins();
  Report &report = *new (channel.report) Report{};
  report.outcome = run_grid(launch_);
  report.lacked_a_twin = a_twin_was_missing();
  const std::size_t count = memory_.blocks.size();
  for (std::size_t i = 0; i < count; ++i)
    report.sums()[i] = checksum(memory_.at(memory_.blocks[i]), memory_.blocks[i].size);
  const int file = channel.ends[1];
  char ready = 1;
  std::size_t wanted;
  while (write_all(file, &ready, 1) && read_all(file, &wanted, sizeof wanted)) {
    const MemoryBlock &block = memory_.blocks[wanted];
    std::memcpy(report.block(count), memory_.at(block), block.size);
  }
  _exit(0);
}

unsigned Snapshot::start(const TrialSetting &setting) {
  const Request request = {started_, true, setting};
  write_all(ends_[0], &request, sizeof request);
  return started_++;
}

int Snapshot::signal_of(unsigned trial) {
  const Request request = {trial, false, {}};
  int signal = 0;
  if (write_all(ends_[0], &request, sizeof request)) read_all(ends_[0], &signal, sizeof signal);
  return signal;
}

Snapshot::~Snapshot() {
  if (ends_[0] >= 0) close(ends_[0]);  // which it sees
  if (process_ > 0) wait_for_end(process_);
  if (pages_ != nullptr) munmap(pages_, kTrials * report_size_);
  for (const Channel &each : channels_)
    for (const int file : {each.ends[0], each.messages})
      if (file >= 0) close(file);
}

Trial::Trial(Snapshot &snapshot, const TrialSetting &setting)
    : snapshot_(snapshot), number_(snapshot.start(setting)), channel_(snapshot.channels_[number_]) {}

// A trial whose grid has ended goes.
Trial::~Trial() { close(std::exchange(channel_.ends[0], -1)); }

double Trial::age() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

Trial::End Trial::wait(double seconds) {
  while (!end_) {
    const double left = std::clamp(seconds - age(), 0.0, 1e6);
    pollfd waiting = {channel_.ends[0], POLLIN, 0};
    const int count = poll(&waiting, 1, static_cast<int>(left * 1000));
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) return End::kTooLong;
    char ready = 0;
    seconds_ = age();
    end_ = read_all(channel_.ends[0], &ready, 1) ? End::kGrid : End::kKilled;
    if (end_ == End::kKilled) signal_ = snapshot_.signal_of(number_);
  }
  return *end_;
}

Outcome Trial::outcome() const { return channel_.report->outcome; }
bool Trial::lacked_a_twin() const { return channel_.report->lacked_a_twin; }
std::uint64_t Trial::sum(std::size_t block) const { return channel_.report->sums()[block]; }

std::string Trial::messages() const {
  std::string text(4096, '\0');
  const ssize_t count = pread(channel_.messages, text.data(), text.size(), 0);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

const char *Trial::bytes(std::size_t block) {
  char ready = 0;
  const int file = channel_.ends[0];
  if (!write_all(file, &block, sizeof block) || !read_all(file, &ready, 1)) return nullptr;
  return channel_.report->block(snapshot_.memory_.blocks.size());
}

}  // namespace warploom
