// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvJitLink: nvcc links the bitcode of several sources, as NVRTC's -dlto and nvcc's -ltoir write it, to one module. A
// module that is there already stays as it is: machine code of several is not linked.
#include "nvJitLink.h"

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "module.h"
#include "nvrtc_helper.h"

struct nvJitLink {
  std::vector<std::string> options;  // for nvcc
  bool optimises = false, wants_text = false;
  std::vector<std::string> bitcodes, modules;
  std::string errors, result;
};

namespace warploom {
namespace {

constexpr unsigned kCudaMajor = 13, kCudaMinor = 0;
constexpr std::string_view kBitcode = "BC\xC0\xDE";

// What nvcc is told as well.
constexpr std::string_view kPassedOn[] = {"-ftz=", "-prec-div=", "-prec-sqrt=", "-fma=", "-maxrregcount=", "-lineinfo"};
// What says how to link, which does not change what comes out.
constexpr std::string_view kNoEffect[] = {"-kernels-used=",
                                          "-variables-used=",
                                          "-optimize-unused-variables",
                                          "-split-compile=",
                                          "-split-compile-extended=",
                                          "-jump-table-density=",
                                          "-Xptxas=",
                                          "-Xnvvm=",
                                          "-no-cache",
                                          "-verbose",
                                          "-time",
                                          "-O0",
                                          "-O1",
                                          "-O2",
                                          "-O3"};

template <std::size_t n>
bool is_one_of(std::string_view option, const std::string_view (&known)[n]) {
  for (const std::string_view each : known) {
    if (each.back() == '=' ? option.starts_with(each) : option == each) return true;
  }
  return false;
}

nvJitLinkResult refuse(nvJitLink &link, nvJitLinkResult why, const std::string &text) {
  link.errors += "error: " + text + "\n";
  return why;
}

nvJitLinkResult read_option(nvJitLink &link, const std::string &option) {
  if (option == "-lto") {
    link.optimises = true;
  } else if (option == "-ptx") {
    link.wants_text = true;
  } else if (option == "-g") {
    link.options.emplace_back("-lineinfo");
  } else if (option.starts_with("-arch=")) {
    const bool is_known = option.starts_with("-arch=sm_") || option.starts_with("-arch=compute_");
    if (!is_known) return refuse(link, NVJITLINK_ERROR_UNRECOGNIZED_ARCH, option + " names no architecture");
    link.options.push_back(option);
  } else if (is_one_of(option, kPassedOn)) {
    link.options.push_back(option);
  } else if (!is_one_of(option, kNoEffect)) {
    return refuse(link, NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "unknown option '" + option + "'");
  }
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult read_options(nvJitLink &link, std::uint32_t count, const char **options) {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!options[i]) return NVJITLINK_ERROR_NULL_INPUT;
    if (const nvJitLinkResult result = read_option(link, options[i]); result != NVJITLINK_SUCCESS) return result;
  }
  for (const std::string &option : link.options) {
    if (option.starts_with("-arch=")) return NVJITLINK_SUCCESS;
  }
  return refuse(link, NVJITLINK_ERROR_MISSING_ARCH, "-arch=sm_NN is not there");
}

nvJitLinkResult add(nvJitLink &link, nvJitLinkInputType type, std::string bytes, const std::string &name) {
  if (bytes.empty()) return NVJITLINK_ERROR_NULL_INPUT;
  const bool is_bitcode = bytes.starts_with(kBitcode);
  switch (type) {
    case NVJITLINK_INPUT_LTOIR:
      if (!is_bitcode) return refuse(link, NVJITLINK_ERROR_UNRECOGNIZED_INPUT, name + " is not what -dlto writes");
      break;
    case NVJITLINK_INPUT_CUBIN:
    case NVJITLINK_INPUT_PTX:
    case NVJITLINK_INPUT_FATBIN:
      if (is_bitcode) return refuse(link, NVJITLINK_ERROR_INCORRECT_INPUT_TYPE, name + " is what -dlto writes");
      break;
    case NVJITLINK_INPUT_ANY:
      break;
    case NVJITLINK_INPUT_OBJECT:
    case NVJITLINK_INPUT_LIBRARY:
    case NVJITLINK_INPUT_INDEX:
      return refuse(link, NVJITLINK_ERROR_UNRECOGNIZED_INPUT,
                    name + ": objects and libraries hold no bitcode; compile the sources with -ltoir");
    default:
      return NVJITLINK_ERROR_INVALID_INPUT;
  }
  if (is_bitcode) {
    if (!link.optimises) return refuse(link, NVJITLINK_ERROR_LTO_NOT_ENABLED, name + " wants the option -lto");
    link.bitcodes.push_back(std::move(bytes));
    return NVJITLINK_SUCCESS;
  }
  std::string code = module_code(bytes.c_str(), bytes.size() + 1);
  if (code.empty()) return refuse(link, NVJITLINK_ERROR_UNRECOGNIZED_INPUT, name + " is no module of warpcc's");
  link.modules.push_back(std::move(code));
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult link_bitcodes(nvJitLink &link) {
  const CompilerFolder folder;
  if (folder.path.empty()) return NVJITLINK_ERROR_INTERNAL;
  const std::filesystem::path output = folder.path / "module.so", log = folder.path / "log.txt";
  std::vector<std::string> words{compiler().string(), "-cubin", "-o", output.string()};
  words.insert(words.end(), link.options.begin(), link.options.end());
  for (std::size_t i = 0; i < link.bitcodes.size(); ++i) {
    words.push_back((folder.path / (std::to_string(i) + ".ltoir")).string());
    write_file(words.back(), link.bitcodes[i]);
  }
  const int status = run_compiler(words, log.string());
  link.errors += read_file(log);
  if (status != 0) return status < 0 ? NVJITLINK_ERROR_INTERNAL : NVJITLINK_ERROR_NVVM_COMPILE;
  link.result = read_file(output);
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult complete(nvJitLink &link) {
  if (link.bitcodes.empty() && link.modules.empty()) {
    return refuse(link, NVJITLINK_ERROR_INVALID_INPUT, "there is nothing to link");
  }
  if (link.modules.size() + (link.bitcodes.empty() ? 0 : 1) > 1) {
    return refuse(link, NVJITLINK_ERROR_INVALID_INPUT,
                  "machine code is not linked: compile all sources with -dlto (NVRTC) or -ltoir (nvcc)");
  }
  if (!link.bitcodes.empty()) return link_bitcodes(link);
  link.result = link.modules.front();
  return NVJITLINK_SUCCESS;
}

// `content` and `extra` zero bytes behind it.
nvJitLinkResult copy_out(const std::string &content, void *target, std::size_t extra) {
  if (!target) return NVJITLINK_ERROR_NULL_INPUT;
  std::memcpy(target, content.c_str(), content.size() + extra);
  return NVJITLINK_SUCCESS;
}
nvJitLinkResult size_out(std::size_t size, std::size_t *target) {
  if (!target) return NVJITLINK_ERROR_NULL_INPUT;
  *target = size;
  return NVJITLINK_SUCCESS;
}

// `body` with what was linked, as text if that was asked for.
template <class Body>
nvJitLinkResult with_result(nvJitLinkHandle link, bool as_text, Body &&body) {
  if (!link || link->result.empty() || link->wants_text != as_text) return NVJITLINK_ERROR_INVALID_INPUT;
  return body(as_text ? module_text(link->result) : link->result);
}

// The size of a log and of the zero byte behind it; 0 when it says nothing.
std::size_t log_size(const std::string &log) { return log.empty() ? 0 : log.size() + 1; }

}  // namespace
}  // namespace warploom

using namespace warploom;

extern "C" {

nvJitLinkResult nvJitLinkVersion(unsigned int *major, unsigned int *minor) {
  if (!major || !minor) return NVJITLINK_ERROR_NULL_INPUT;
  *major = kCudaMajor;
  *minor = kCudaMinor;
  return NVJITLINK_SUCCESS;
}

// The handle is there even where an option is refused: its log says which.
nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle *handle, uint32_t numOptions, const char **options) {
  if (!handle || (numOptions > 0 && !options)) return NVJITLINK_ERROR_NULL_INPUT;
  *handle = new nvJitLink;
  return read_options(**handle, numOptions, options);
}

nvJitLinkResult nvJitLinkDestroy(nvJitLinkHandle *handle) {
  if (!handle || !*handle) return NVJITLINK_ERROR_NULL_INPUT;
  delete *handle;
  *handle = nullptr;
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult nvJitLinkAddData(nvJitLinkHandle handle, nvJitLinkInputType inputType, const void *data, size_t size,
                                 const char *name) {
  if (!handle || !data) return NVJITLINK_ERROR_NULL_INPUT;
  return add(*handle, inputType, {static_cast<const char *>(data), size}, name ? name : "the input");
}

nvJitLinkResult nvJitLinkAddFile(nvJitLinkHandle handle, nvJitLinkInputType inputType, const char *fileName) {
  if (!handle || !fileName) return NVJITLINK_ERROR_NULL_INPUT;
  std::error_code error;
  if (!std::filesystem::is_regular_file(fileName, error)) {
    return refuse(*handle, NVJITLINK_ERROR_INVALID_INPUT, std::string(fileName) + " cannot be read");
  }
  return add(*handle, inputType, read_file(fileName), fileName);
}

nvJitLinkResult nvJitLinkComplete(nvJitLinkHandle handle) {
  return handle ? complete(*handle) : NVJITLINK_ERROR_NULL_INPUT;
}

nvJitLinkResult nvJitLinkGetLinkedCubinSize(nvJitLinkHandle handle, size_t *size) {
  return with_result(handle, false, [&](const std::string &code) { return size_out(code.size(), size); });
}
nvJitLinkResult nvJitLinkGetLinkedCubin(nvJitLinkHandle handle, void *cubin) {
  return with_result(handle, false, [&](const std::string &code) { return copy_out(code, cubin, 0); });
}
nvJitLinkResult nvJitLinkGetLinkedPtxSize(nvJitLinkHandle handle, size_t *size) {
  return with_result(handle, true, [&](const std::string &text) { return size_out(text.size() + 1, size); });
}
nvJitLinkResult nvJitLinkGetLinkedPtx(nvJitLinkHandle handle, char *ptx) {
  return with_result(handle, true, [&](const std::string &text) { return copy_out(text, ptx, 1); });
}

nvJitLinkResult nvJitLinkGetErrorLogSize(nvJitLinkHandle handle, size_t *size) {
  return handle ? size_out(log_size(handle->errors), size) : NVJITLINK_ERROR_NULL_INPUT;
}
nvJitLinkResult nvJitLinkGetErrorLog(nvJitLinkHandle handle, char *log) {
  return handle ? copy_out(handle->errors, log, handle->errors.empty() ? 0 : 1) : NVJITLINK_ERROR_NULL_INPUT;
}
nvJitLinkResult nvJitLinkGetInfoLogSize(nvJitLinkHandle handle, size_t *size) {
  return handle ? size_out(0, size) : NVJITLINK_ERROR_NULL_INPUT;
}
nvJitLinkResult nvJitLinkGetInfoLog(nvJitLinkHandle handle, char *log) {
  return handle ? copy_out("", log, 0) : NVJITLINK_ERROR_NULL_INPUT;
}

}  // extern "C"
