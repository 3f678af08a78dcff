// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler of NVRTC and nvJitLink: a process that is kept for as long as this one lives.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warploom {

// Runs a command line of nvcc, words[0] being its file; messages go to the file `log`. Its exit status; -1 when it
// could not be started or did not end by itself.
int run_compiler(const std::vector<std::string> &words, const std::string &log);

// The toolkit's nvcc, which lies beside this library.
std::filesystem::path compiler();

// A folder as long as this lives; `path` is empty when there can be none.
struct CompilerFolder {
  CompilerFolder();
  ~CompilerFolder();
  CompilerFolder(const CompilerFolder &) = delete;
  CompilerFolder &operator=(const CompilerFolder &) = delete;
  std::filesystem::path path;
};

void write_file(const std::filesystem::path &path, const std::string &content);
std::string read_file(const std::filesystem::path &path);

}  // namespace warploom
