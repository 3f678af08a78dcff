// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVRTC by a kept process: the toolkit's nvcc, which lies beside this library, makes a module of the source.
#include "nvrtc.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../registry.h"
#include "module.h"
#include "nvrtc_helper.h"

struct _nvrtcProgram {
  std::string source, name;
  std::vector<std::pair<std::string, std::string>> headers;  // name and content
  std::vector<std::string> expressions;
  std::map<std::string, std::string> lowered;
  std::string log, code, text, lto_ir;
  bool compiled = false;
};

namespace warploom {
namespace {

namespace fs = std::filesystem;

constexpr int kArchitecture = 80, kCudaMajor = 13, kCudaMinor = 0;
// Begins the name of a variable that points to what a name expression stands for; its number follows.
constexpr std::string_view kMarker = "__warploom_named_";

constexpr std::string_view kForLinking[] = {"-dlto", "--dlink-time-opt"};  // options: bitcode, which nvJitLink links

std::string marker(std::size_t number) { return std::string(kMarker) + std::to_string(number); }

// For each name expression a variable that is initialised with it: the address of a kernel or of a variable, as nothing
// else is one of the image's.
std::string markers(const std::vector<std::string> &expressions) {
  std::string text = "\n";
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    text += "extern \"C\" { __device__ auto *" + marker(i) + " =\n#line 1 \"name expression\"\n" + expressions[i] +
            "\n; }\n";
  }
  return text;
}

// The name of the kernel or variable at `address` in device code; null when there is none.
const char *name_at(const Image &image, const void *address) {
  for (std::uint32_t k = 0; k < image.kernel_count; ++k)
    if (image.kernels[k].handle == address) return image.kernels[k].name;
  for (std::uint32_t v = 0; v < image.variable_count; ++v)
    if (image.variables[v].address == address || storage(image.variables[v]) == address) return image.variables[v].name;
  return nullptr;
}

// Names by expression, as the module has them: what its markers point to. False, and a line in the log, when one is
// neither a kernel nor a variable.
bool read_lowered_names(_nvrtcProgram &program, const fs::path &library) {
  const Image *image = nullptr;
  const ModuleLoading loading(&image);
  if (program.expressions.empty()) return true;
  if (!dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL) || !image) return false;
  for (std::uint32_t v = 0; v < image->variable_count; ++v) {
    const std::string_view name = image->variables[v].name;
    if (!name.starts_with(kMarker)) continue;
    const std::string &expression = program.expressions[std::stoul(std::string(name.substr(kMarker.size())))];
    const char *const found = name_at(*image, *static_cast<void *const *>(image->variables[v].address));
    if (found) {
      program.lowered[expression] = found;
    } else {
      program.log += "error: name expression \"" + expression +
                     "\" is neither a __global__ function nor the address of a __device__ or __constant__ variable\n";
    }
  }
  return program.lowered.size() == std::set(program.expressions.begin(), program.expressions.end()).size();
}

nvrtcResult compile_in(_nvrtcProgram &program, const std::vector<std::string> &options, const fs::path &folder) {
  fs::path source = folder / fs::path(program.name).filename();
  if (source.extension() != ".cu") source += ".cu";
  const fs::path output = folder / "module.so", log = folder / "log.txt", headers = folder / "headers";
  // NVRTC's programs have assert without asking, and its messages name the program as it was created.
  const std::string head = "#include <assert.h>\n#line 1 \"" + program.name + "\"\n";
  write_file(source, head + program.source + markers(program.expressions));
  for (const auto &[name, content] : program.headers) write_file(headers / name, content);
  const bool for_linking = std::find_first_of(options.begin(), options.end(), std::begin(kForLinking),
                                              std::end(kForLinking)) != options.end();
  if (for_linking && !program.expressions.empty()) {
    program.log = "error: names of templates are not known before linking: leave out -dlto, or the name expressions\n";
    return NVRTC_ERROR_COMPILATION;
  }
  std::vector<std::string> words{compiler().string(), for_linking ? "-ltoir" : "-fatbin",
                                 source.string(),     "-o",
                                 output.string(),     "-I",
                                 headers.string(),    "-D__CUDACC_RTC__"};
  bool source_folder = true;  // where the program's name says that it lies
  for (const std::string &option : options) {
    if (option == "-no-source-include" || option == "--no-source-include")
      source_folder = false;
    else
      words.push_back(option);
  }
  if (source_folder) words.insert(words.end(), {"-I", fs::path("." / fs::path(program.name).parent_path()).string()});
  const int status = run_compiler(words, log.string());
  program.log = read_file(log);
  if (status != 0) {
    const bool option = program.log.find("unknown option") != std::string::npos;
    return status < 0 ? NVRTC_ERROR_INTERNAL_ERROR : option ? NVRTC_ERROR_INVALID_OPTION : NVRTC_ERROR_COMPILATION;
  }
  if (for_linking) {
    program.lto_ir = read_file(output);
    return NVRTC_SUCCESS;
  }
  program.code = read_file(output);
  program.text = module_text(program.code);
  return read_lowered_names(program, output) ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
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
  const CompilerFolder folder;
  if (folder.path.empty()) return NVRTC_ERROR_INTERNAL_ERROR;
  const nvrtcResult result = compile_in(*prog, {options, options + numOptions}, folder.path);
  prog->compiled = result == NVRTC_SUCCESS;
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

nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram prog, size_t *LTOIRSizeRet) {
  return size_out(prog, prog ? prog->lto_ir.size() : 0, LTOIRSizeRet);
}

nvrtcResult nvrtcGetLTOIR(nvrtcProgram prog, char *LTOIR) { return copy_out(prog, prog ? prog->lto_ir : "", LTOIR, 0); }

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram prog, size_t *logSizeRet) {
  return size_out(prog, prog ? prog->log.size() + 1 : 0, logSizeRet);
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram prog, char *log) { return copy_out(prog, prog ? prog->log : "", log, 1); }

nvrtcResult nvrtcAddNameExpression(nvrtcProgram prog, const char *const name_expression) {
  if (!prog) return NVRTC_ERROR_INVALID_PROGRAM;
  if (!name_expression) return NVRTC_ERROR_INVALID_INPUT;
  if (prog->compiled) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
  prog->expressions.emplace_back(name_expression);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram prog, const char *const name_expression, const char **lowered_name) {
  if (!prog) return NVRTC_ERROR_INVALID_PROGRAM;
  if (!name_expression || !lowered_name) return NVRTC_ERROR_INVALID_INPUT;
  if (!prog->compiled) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  const auto found = prog->lowered.find(name_expression);
  if (found == prog->lowered.end()) return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
  *lowered_name = found->second.c_str();
  return NVRTC_SUCCESS;
}

}  // extern "C"
