// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVRTC from several threads, after the folder and the environment have changed, and in a forked process.
#include <nvrtc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

static int compile(const std::string &source, std::vector<const char *> options, std::string *log = nullptr) {
  nvrtcProgram program;
  size_t size = 0;
  if (nvrtcCreateProgram(&program, source.c_str(), "own.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS) return -1;
  const int result = nvrtcCompileProgram(program, static_cast<int>(options.size()), options.data());
  nvrtcGetProgramLogSize(program, &size);
  std::string text(size, 0);
  nvrtcGetProgramLog(program, text.data());
  if (log) *log = text;
  nvrtcDestroyProgram(&program);
  return result;
}

int main(int, char **argv) {
  const std::string plain = "__global__ void k(int *x) { *x = VALUE; }";
  int results[4] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] { results[i] = compile(plain, {("-DVALUE=" + std::to_string(i)).c_str()}); });
  for (std::thread &thread : threads) thread.join();
  std::printf("threads: %d %d %d %d\n", results[0], results[1], results[2], results[3]);
  std::string log;
  std::printf("wrong: %d", compile(plain, {}, &log));
  std::printf(" %s\n", log.find("own.cu(1)") == 0 || log.find("own.cu:1:") == 0 ? "at line 1" : log.c_str());
  if (chdir(argv[1]) != 0) return 1;
  std::printf("folder: %d\n", compile("#include \"value.h\"\n" + plain, {"-I", "."}));
  setenv("NVCC_APPEND_FLAGS", "-DVALUE=5", 1);
  std::printf("environment: %d\n", compile(plain, {}));
  unsetenv("NVCC_APPEND_FLAGS");
  std::printf("environment: %d\n", compile(plain, {}) == NVRTC_ERROR_COMPILATION ? 0 : 1);
  std::fflush(stdout);
  if (const pid_t child = fork(); child == 0) {
    const int result = compile(plain, {"-DVALUE=6"});
    _exit(result);
  } else {
    int status = 0;
    waitpid(child, &status, 0);
    std::printf("forked: %d\n", WEXITSTATUS(status));
  }
  std::printf("after: %d\n", compile(plain, {"-DVALUE=7"}));
  int status = 0;
  std::printf("children: %d\n", waitpid(-1, &status, WNOHANG) == -1 ? 0 : 1);
}
