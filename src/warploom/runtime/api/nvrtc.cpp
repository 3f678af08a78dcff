// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVRTC by a child process: the toolkit's nvcc, which lies beside this library, makes a module of the source.
#include "nvrtc.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../registry.h"
#include "module.h"

struct _nvrtcProgram {
  std::string source, name;
  std::vector<std::pair<std::string, std::string>> headers;  // name and content
  std::vector<std::string> expressions;
  std::map<std::string, std::string> lowered;
  std::string log, code, text;
  bool compiled = false;
};

namespace warploom {
namespace {

namespace fs = std::filesystem;

constexpr int kArchitecture = 80, kCudaMajor = 13, kCudaMinor = 0;
// Marks the kernel whose mangled name holds the mangled name of an expression's entity, as a template argument.
constexpr std::string_view kMarker = "__warploom_named_", kArgument = "XadL", kArgumentEnd = "EEEvv";

fs::path compiler() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void *>(&nvrtcVersion), &info) || !info.dli_fname) return "nvcc";
  const fs::path library = fs::canonical(info.dli_fname);
  return library.parent_path().parent_path() / "bin" / "nvcc";
}

void write_file(const fs::path &path, const std::string &content) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

std::string read_file(const fs::path &path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// For each name expression a kernel that has it as template argument, and a use that instantiates both.
std::string markers(const std::vector<std::string> &expressions) {
  std::string text = "\n";
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const std::string marker = std::string(kMarker) + std::to_string(i);
    text += "template <auto> __global__ void " + marker + "() {}\ninline void *" + marker + "_use() { return (void *)" +
            marker + "<&" + expressions[i] + ">; }\n";
  }
  return text;
}

int run(const std::vector<std::string> &words, const fs::path &log) {
  std::vector<char *> arguments;
  for (const std::string &word : words) arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  int status = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (status != 0) return -1;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Mangled names by expression, from the kernels that `markers` added. An entity with C linkage keeps its name.
void read_lowered_names(_nvrtcProgram &program, const fs::path &library) {
  const Image *image = nullptr;
  const ModuleLoading loading(&image);
  if (program.expressions.empty() || !dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL) || !image) return;
  for (std::uint32_t k = 0; k < image->kernel_count; ++k) {
    const std::string_view name = image->kernels[k].name;
    const std::size_t marker = name.find(kMarker), argument = name.find(kArgument);
    if (marker == name.npos || argument == name.npos || !name.ends_with(kArgumentEnd)) continue;
    const std::size_t number = std::stoul(std::string(name.substr(marker + kMarker.size())));
    const std::size_t begin = argument + kArgument.size();
    std::string found(name.substr(begin, name.size() - kArgumentEnd.size() - begin));
    for (std::uint32_t other = 0; other < image->kernel_count; ++other)
      if (program.expressions[number] == image->kernels[other].name) found = program.expressions[number];
    program.lowered[program.expressions[number]] = found;
  }
}

nvrtcResult compile_in(_nvrtcProgram &program, const std::vector<std::string> &options, const fs::path &folder) {
  fs::path source = folder / fs::path(program.name).filename();
  if (source.extension() != ".cu") source += ".cu";
  const fs::path output = folder / "module.so", log = folder / "log.txt", headers = folder / "headers";
  write_file(source, program.source + markers(program.expressions));
  for (const auto &[name, content] : program.headers) write_file(headers / name, content);
  std::vector<std::string> words{compiler().string(), "-fatbin", source.string(),  "-o",
                                 output.string(),     "-I",      headers.string(), "-D__CUDACC_RTC__"};
  words.insert(words.end(), options.begin(), options.end());
  const int status = run(words, log);
  program.log = read_file(log);
  if (status != 0) {
    const bool option = program.log.find("unknown option") != std::string::npos;
    return status < 0 ? NVRTC_ERROR_INTERNAL_ERROR : option ? NVRTC_ERROR_INVALID_OPTION : NVRTC_ERROR_COMPILATION;
  }
  program.code = read_file(output);
  program.text = module_text(program.code);
  read_lowered_names(program, output);
  return NVRTC_SUCCESS;
}

// Copies `content` and the zero byte behind it.
nvrtcResult copy_out(const _nvrtcProgram *program, const std::string &content, char *target, std::size_t extra) {
  if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
  if (!target) return NVRTC_ERROR_INVALID_INPUT;
  std::memcpy(target, content.c_str(), content.size() + extra);
  return NVRTC_SUCCESS;
}

nvrtcResult size_out(const _nvrtcProgram *program, std::size_t size, std::size_t *target) {
  if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
  if (!target) return NVRTC_ERROR_INVALID_INPUT;
  *target = size;
  return NVRTC_SUCCESS;
}

}  // namespace
}  // namespace warploom

using namespace warploom;

extern "C" {

const char *nvrtcGetErrorString(nvrtcResult result) {
  static constexpr const char *kNames[] = {
      "NVRTC_SUCCESS",
      "NVRTC_ERROR_OUT_OF_MEMORY",
      "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
      "NVRTC_ERROR_INVALID_INPUT",
      "NVRTC_ERROR_INVALID_PROGRAM",
      "NVRTC_ERROR_INVALID_OPTION",
      "NVRTC_ERROR_COMPILATION",
      "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
      "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
      "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
      "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
      "NVRTC_ERROR_INTERNAL_ERROR",
  };
  const auto index = static_cast<std::size_t>(result);
  return index < std::size(kNames) ? kNames[index] : "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int *major, int *minor) {
  if (!major || !minor) return NVRTC_ERROR_INVALID_INPUT;
  *major = kCudaMajor;
  *minor = kCudaMinor;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int *numArchs) {
  if (!numArchs) return NVRTC_ERROR_INVALID_INPUT;
  *numArchs = 1;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *supportedArchs) {
  if (!supportedArchs) return NVRTC_ERROR_INVALID_INPUT;
  supportedArchs[0] = kArchitecture;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *prog, const char *src, const char *name, int numHeaders,
                               const char *const *headers, const char *const *includeNames) {
  if (!prog || !src || numHeaders < 0 || (numHeaders > 0 && (!headers || !includeNames)))
    return NVRTC_ERROR_INVALID_INPUT;
  auto *program = new _nvrtcProgram;
  program->source = src;
  program->name = name && *name ? name : "default_program";
  for (int i = 0; i < numHeaders; ++i) program->headers.emplace_back(includeNames[i], headers[i]);
  *prog = program;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *prog) {
  if (!prog || !*prog) return NVRTC_ERROR_INVALID_PROGRAM;
  delete *prog;
  *prog = nullptr;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram prog, int numOptions, const char *const *options) {
  if (!prog) return NVRTC_ERROR_INVALID_PROGRAM;
  if (numOptions < 0 || (numOptions > 0 && !options)) return NVRTC_ERROR_INVALID_INPUT;
  std::error_code error;
  std::string folder = (fs::temp_directory_path(error) / "warploom-nvrtc-XXXXXX").string();
  if (error || !mkdtemp(folder.data())) return NVRTC_ERROR_INTERNAL_ERROR;
  const nvrtcResult result = compile_in(*prog, {options, options + numOptions}, folder);
  fs::remove_all(folder, error);
  prog->compiled = true;
  return result;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram prog, size_t *ptxSizeRet) {
  return size_out(prog, prog ? prog->text.size() + 1 : 0, ptxSizeRet);
}

nvrtcResult nvrtcGetPTX(nvrtcProgram prog, char *ptx) { return copy_out(prog, prog ? prog->text : "", ptx, 1); }

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram prog, size_t *cubinSizeRet) {
  return size_out(prog, prog ? prog->code.size() : 0, cubinSizeRet);
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram prog, char *cubin) { return copy_out(prog, prog ? prog->code : "", cubin, 0); }

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram prog, size_t *logSizeRet) {
  return size_out(prog, prog ? prog->log.size() + 1 : 0, logSizeRet);
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram prog, char *log) { return copy_out(prog, prog ? prog->log : "", log, 1); }

nvrtcResult nvrtcAddNameExpression(nvrtcProgram prog, const char *const name_expression) {
  if (!prog) return NVRTC_ERROR_INVALID_PROGRAM;
  if (!name_expression) return NVRTC_ERROR_INVALID_INPUT;
  if (prog->compiled) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
  const std::string_view text = name_expression;
  prog->expressions.emplace_back(text.substr(text.starts_with('&')));
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram prog, const char *const name_expression, const char **lowered_name) {
  if (!prog) return NVRTC_ERROR_INVALID_PROGRAM;
  if (!name_expression || !lowered_name) return NVRTC_ERROR_INVALID_INPUT;
  if (!prog->compiled) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  const std::string_view text = name_expression;
  const auto found = prog->lowered.find(std::string(text.substr(text.starts_with('&'))));
  if (found == prog->lowered.end()) return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
  *lowered_name = found->second.c_str();
  return NVRTC_SUCCESS;
}

}  // extern "C"
