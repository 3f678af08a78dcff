// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that runs as a descendant of which the calling program's wait() knows nothing and whose end sends no
// signal. Linux gives a child back its SIGCHLD when it calls execve, so the program is a grandchild: between stands a
// process that shares the caller's memory and files, never calls execve, and therefore stays as unseen as it was
// cloned.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace {

constexpr std::size_t kStack = 65536;  // bytes, for each of the two

struct Start {
  char *const *words, *const *environment;
  int input;
  sigset_t mask;  // of signals that the caller had blocked
  char *stack;    // of the program until its execve
  pid_t caller;
};

// The program, in the memory of those above it, which wait.
int begin(void *argument) {
  const Start &start = *static_cast<const Start *>(argument);
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action;
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
  }
  sigprocmask(SIG_SETMASK, &start.mask, nullptr);
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  const bool is_ready =
      dup2(start.input, STDIN_FILENO) >= 0 && dup2(nothing, STDOUT_FILENO) >= 0 && dup2(nothing, STDERR_FILENO) >= 0;
  if (is_ready) execve(start.words[0], start.words, start.environment);
  _exit(127);
}

// The process between, with all signals blocked: waits for the program and ends as it ended, or with the caller, whose
// files and memory it must not keep.
int stand_between(void *argument) {
  const Start &start = *static_cast<const Start *>(argument);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != start.caller) _exit(126);
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;  // a caller that ignores SIGCHLD would have the kernel discard the status
  sigaction(SIGCHLD, &action, nullptr);
  const pid_t program = clone(begin, start.stack + kStack, CLONE_VM | CLONE_VFORK | SIGCHLD, argument);
  int status = -1;
  const bool has_ended = program >= 0 && waitpid(program, &status, 0) == program;
  _exit(has_ended && WIFEXITED(status) ? WEXITSTATUS(status) : 126);
}

}  // namespace

// Runs words[0] with `input` as its standard input and no output, to its end: its exit status, 126 where a signal
// ended it or it could not be started, -1 without memory or processes.
extern "C" __attribute__((visibility("default"))) int __warploom_run_unseen(char *const *words,
                                                                            char *const *environment, int input) {
  char *const stacks = static_cast<char *>(
      mmap(nullptr, 2 * kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0));
  if (stacks == MAP_FAILED) return -1;
  Start start{words, environment, input, {}, stacks + kStack, getpid()};
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &start.mask);
  // CLONE_VFORK: this thread waits until the process between has ended, so the two never use `errno` at once.
  // CLONE_FILES: no copy of an open pipe lives on in it.
  const pid_t between = clone(stand_between, stacks + kStack, CLONE_VM | CLONE_VFORK | CLONE_FILES, &start);
  int status = -1;
  while (between >= 0 && waitpid(between, &status, __WALL) < 0 && errno == EINTR) {
  }
  pthread_sigmask(SIG_SETMASK, &start.mask, nullptr);
  munmap(stacks, 2 * kStack);
  return between >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
