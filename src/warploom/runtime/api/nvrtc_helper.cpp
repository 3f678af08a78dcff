// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The protocol is that of cli/serve.py. Each request carries the folder and the environment of this process as they are
// then. A helper that has gone (killed, or of the process that this one was forked from) is replaced by another one,
// and what it was at runs in a process of its own.
#include "nvrtc_helper.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>

namespace warploom {
namespace {

constexpr int kSocket = 3;  // in the helper

struct Helper {
  std::mutex mutex;
  int socket = -1;
  pid_t owner = 0;  // the process that started it
};

Helper &helper() {
  static auto *const result = new Helper;  // never destroyed: programs compile from destructors of globals
  return *result;
}

pid_t spawn(const std::vector<std::string> &words, posix_spawn_file_actions_t *actions) {
  std::vector<char *> arguments;
  for (const std::string &word : words) arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  return posix_spawn(&child, arguments[0], actions, nullptr, arguments.data(), environ) == 0 ? child : -1;
}

int run_alone(const std::vector<std::string> &words, const std::string &log) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  const pid_t child = spawn(words, &actions);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  while (child >= 0 && waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return child >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The helper is started by a child that ends at once, so that the program's own wait() never meets it. It has no part
// in Ctrl-C, and ends when the socket does.
void start(Helper &kept, const std::string &compiler) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
  // A duplicate under its own number would keep the flag that closes it.
  const int number = ends[1] == kSocket ? kSocket + 1 : kSocket;
  posix_spawn_file_actions_adddup2(&actions, ends[1], number);
  const pid_t child = spawn({"/bin/sh", "-c", "\"$0\" --serve=$1 &", compiler, std::to_string(number)}, &actions);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  int status = 0;
  while (child >= 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  kept.socket = ends[0];
  kept.owner = getpid();
}

bool send_all(int socket, const std::string &data) {
  std::size_t sent = 0;
  while (sent < data.size()) {
    const ssize_t count = send(socket, data.data() + sent, data.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

bool receive_all(int socket, void *data, std::size_t size) {
  std::size_t got = 0;
  while (got < size) {
    const ssize_t count = recv(socket, static_cast<char *>(data) + got, size - got, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    got += static_cast<std::size_t>(count);
  }
  return true;
}

std::string request(const std::vector<std::string> &words, const std::string &log) {
  std::error_code error;
  std::string text;
  const auto add = [&](const std::string &part) { text.append(part).push_back('\0'); };
  add(std::filesystem::current_path(error).string());
  add(log);
  add(std::to_string(words.size() - 1));
  for (std::size_t i = 1; i < words.size(); ++i) add(words[i]);
  for (char **entry = environ; entry && *entry; ++entry) add(*entry);
  const std::uint64_t size = text.size();
  return std::string(reinterpret_cast<const char *>(&size), sizeof size) + text;
}

}  // namespace

int run_compiler(const std::vector<std::string> &words, const std::string &log) {
  Helper &kept = helper();
  const std::lock_guard lock(kept.mutex);
  if (kept.socket >= 0 && kept.owner != getpid()) {  // the other process's: two that ask at once would mix
    close(kept.socket);
    kept.socket = -1;
  }
  if (kept.socket < 0) start(kept, words[0]);
  std::int32_t status = -1;
  if (kept.socket >= 0 && send_all(kept.socket, request(words, log)) &&
      receive_all(kept.socket, &status, sizeof status))
    return status;
  if (kept.socket >= 0) close(kept.socket);
  kept.socket = -1;
  return run_alone(words, log);
}

std::filesystem::path compiler() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void *>(&run_compiler), &info) || !info.dli_fname) return "nvcc";
  const std::filesystem::path library = std::filesystem::canonical(info.dli_fname);
  return library.parent_path().parent_path() / "bin" / "nvcc";
}

CompilerFolder::CompilerFolder() {
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "warploom-nvrtc-XXXXXX").string();
  if (!error && mkdtemp(name.data())) path = name;
}

CompilerFolder::~CompilerFolder() {
  std::error_code error;
  if (!path.empty()) std::filesystem::remove_all(path, error);
}

void write_file(const std::filesystem::path &path, const std::string &content) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

std::string read_file(const std::filesystem::path &path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace warploom
