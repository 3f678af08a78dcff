// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that runs as a child of which the calling program's wait() knows nothing: cloned as posix_spawn does it,
// but for the signal at its end.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace {

struct Start {
  char *const *words, *const *environment;
  int input;
  sigset_t mask;  // of signals that the caller had blocked
};

// In the memory of the caller, which waits.
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

}  // namespace

// Runs words[0] with `input` as its standard input and no output, to its end: its exit status, -1 without one.
extern "C" __attribute__((visibility("default"))) int __warploom_run_unseen(char *const *words,
                                                                            char *const *environment, int input) {
  constexpr std::size_t kStack = 65536;
  void *const stack = mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return -1;
  Start start{words, environment, input, {}};
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &start.mask);
  const pid_t child = clone(begin, static_cast<char *>(stack) + kStack, CLONE_VM | CLONE_VFORK, &start);
  pthread_sigmask(SIG_SETMASK, &start.mask, nullptr);
  munmap(stack, kStack);
  int status = -1;
  while (child >= 0 && waitpid(child, &status, __WALL) < 0)
    if (errno != EINTR) return -1;
  return child >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
