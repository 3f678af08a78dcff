// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuModule*: a module is a shared library, whose static constructor hands over its image.
#include "module.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "../code_place.h"
#include "../message.h"
#include "../registry.h"
#include "driver.h"
#include "launch.h"

struct CUmod_st {
  const warploom::Image *image;
  std::unordered_map<std::string, CUfunc_st *> functions;
};

struct CUlinkState_st {
  std::vector<std::string> inputs;  // machine code
};

namespace warploom {
namespace {

struct Modules {
  std::mutex mutex;
  std::unordered_map<CUmodule, std::unique_ptr<CUmod_st>> loaded;
};

Modules &modules() {
  static auto *const result = new Modules;  // never destroyed: kernels run from destructors of globals
  return *result;
}

// A file of its own for each load: the dynamic linker takes a file that it has seen for the same library. It is memory,
// and its descriptor stays open: a report of a fault reads lines from it. Where the system has no such files, one is
// made.
struct LibraryFile {
  std::string path{};
  bool is_memory = false;
};

LibraryFile write_library(const std::string &code) {
  int file = memfd_create(kModuleName, MFD_CLOEXEC);
  LibraryFile made{"/proc/self/fd/" + std::to_string(file), file >= 0};
  if (file < 0) {
    made.path = (std::filesystem::temp_directory_path() / "warploom-module-XXXXXX").string();
    file = mkstemp(made.path.data());
  }
  if (file < 0) return {};
  std::size_t written = 0;
  while (written < code.size()) {
    const ssize_t count = write(file, code.data() + written, code.size() - written);
    if (count <= 0) break;
    written += static_cast<std::size_t>(count);
  }
  if (!made.is_memory || written != code.size()) close(file);
  if (written == code.size()) return made;
  if (!made.is_memory) unlink(made.path.c_str());
  return {};
}

// Device code reads a managed variable through its slot, which the host side fills in for what is linked in.
void give_storage(const Image &image) {
  for (std::uint32_t i = 0; i < image.variable_count; ++i) {
    const Variable &variable = image.variables[i];
    void *storage = nullptr;
    if (!variable.slot) continue;
    if (cudaMallocManaged(&storage, variable.size, cudaMemAttachGlobal) == cudaSuccess) bind_managed(variable, storage);
  }
}

cudaError_t load_code(CUmodule *module, const std::string &code) {
  const LibraryFile file = write_library(code);
  if (file.path.empty()) return cudaErrorOperatingSystem;
  const Image *image = nullptr;
  {
    const ModuleLoading loading(&image);
    // Never closed: kernels may be in flight, and messages name their places.
    if (!dlopen(file.path.c_str(), RTLD_NOW | RTLD_LOCAL))
      write_error(std::string("the module cannot be loaded: ") + dlerror() +
                  "; compile it with this Warploom's warpcc");
  }
  if (!file.is_memory) unlink(file.path.c_str());
  if (!image) return cudaErrorInvalidKernelImage;
  give_storage(*image);
  auto made = std::make_unique<CUmod_st>(CUmod_st{image, {}});
  *module = made.get();
  const std::lock_guard lock(modules().mutex);
  modules().loaded.emplace(made.get(), std::move(made));
  return cudaSuccess;
}

// A static variable's name is mangled, and asked for as it was written.
bool is_called(const Variable &variable, const char *name) {
  const std::string internal = "_ZL" + std::to_string(std::strlen(name)) + name;
  return std::strcmp(variable.name, name) == 0 || variable.name == internal;
}

// `body` with a loaded module; the error for any other handle.
template <class Body>
cudaError_t with_module(CUmodule module, Body &&body) {
  const std::lock_guard lock(modules().mutex);
  const auto found = modules().loaded.find(module);
  return found == modules().loaded.end() ? cudaErrorInvalidResourceHandle : body(*found->second);
}

cudaError_t read_file(const char *path, std::string &bytes) {
  if (!path) return cudaErrorInvalidValue;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return cudaErrorFileNotFound;
  bytes.assign(std::istreambuf_iterator<char>(stream), {});
  return cudaSuccess;
}

cudaError_t add_input(CUlinkState state, const void *data) {
  if (!state || !data) return cudaErrorInvalidValue;
  std::string code = module_code(data);
  if (code.empty()) return refuse_image("cuLinkAddData", data);
  state->inputs.push_back(std::move(code));
  return cudaSuccess;
}

// The handle of a module's kernel, made when it is first asked for.
CUfunc_st *handle_of(CUmod_st &module, const Kernel &kernel) {
  CUfunc_st *&function = module.functions[kernel.name];
  if (!function) function = add_handle(kernel, &module);
  return function;
}

void empty_log(CUjit_option option, void **value) {
  if (option == CU_JIT_INFO_LOG_BUFFER || option == CU_JIT_ERROR_LOG_BUFFER) {
    if (*value) *static_cast<char *>(*value) = 0;
  } else if (option == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES || option == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
    *value = nullptr;  // the number of bytes written, in place of that of the buffer
  }
}

}  // namespace

cudaError_t load_module(CUmodule *module, const void *data, const char *function) {
  if (!module || !data) return cudaErrorInvalidValue;
  const std::string code = module_code(data);
  return code.empty() ? refuse_image(function, data) : load_code(module, code);
}

cudaError_t load_module_file(CUmodule *module, const char *path, const char *function) {
  std::string bytes;
  const cudaError_t error = read_file(path, bytes);
  return error == cudaSuccess ? load_module(module, bytes.c_str(), function) : error;
}

cudaError_t unload_module(CUmodule module) {
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) return error;
  const std::lock_guard lock(modules().mutex);
  return modules().loaded.erase(module) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t find_in_module(CUmodule module, const char *name, CUfunc_st **function) {
  if (!function || !name) return cudaErrorInvalidValue;
  return with_module(module, [&](CUmod_st &found) {
    *function = nullptr;
    for (std::uint32_t i = 0; !*function && i < found.image->kernel_count; ++i)
      if (!std::strcmp(found.image->kernels[i].name, name)) *function = handle_of(found, found.image->kernels[i]);
    return *function ? cudaSuccess : cudaErrorSymbolNotFound;
  });
}

cudaError_t find_in_module(CUmodule module, const char *name, const Variable **variable) {
  if (!name) return cudaErrorInvalidValue;
  return with_module(module, [&](const CUmod_st &found) {
    for (std::uint32_t i = 0; i < found.image->variable_count; ++i) {
      if (!is_called(found.image->variables[i], name)) continue;
      *variable = &found.image->variables[i];
      return cudaSuccess;
    }
    return cudaErrorSymbolNotFound;
  });
}

cudaError_t functions_of_module(CUmodule module, std::vector<CUfunc_st *> *functions) {
  return with_module(module, [&](CUmod_st &found) {
    for (std::uint32_t i = 0; i < found.image->kernel_count; ++i)
      functions->push_back(handle_of(found, found.image->kernels[i]));
    return cudaSuccess;
  });
}

void empty_logs(unsigned count, const CUjit_option *options, void **values) {
  for (unsigned i = 0; i < count && options && values; ++i) empty_log(options[i], &values[i]);
}

}  // namespace warploom

using namespace warploom;

extern "C" {

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  return driver_call([&] { return load_module(module, image, "cuModuleLoadData"); });
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions, CUjit_option *options,
                            void **optionValues) {
  empty_logs(numOptions, options, optionValues);
  return cuModuleLoadData(module, image);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin) { return cuModuleLoadData(module, fatCubin); }

CUresult cuModuleLoad(CUmodule *module, const char *fname) {
  return driver_call([&] { return load_module_file(module, fname, "cuModuleLoad"); });
}

CUresult cuModuleUnload(CUmodule hmod) {
  return anywhere_call([&] { return unload_module(hmod); });
}

CUresult cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name) {
  return anywhere_call([&] { return find_in_module(hmod, name, hfunc); });
}

CUresult cuModuleGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name) {
  return anywhere_call([&] {
    const Variable *variable = nullptr;
    const cudaError_t error = find_in_module(hmod, name, &variable);
    if (error != cudaSuccess) return error;
    if (dptr) *dptr = reinterpret_cast<CUdeviceptr>(storage(*variable));
    if (bytes) *bytes = variable->size;
    return cudaSuccess;
  });
}

CUresult cuLinkCreate(unsigned int, CUjit_option *, void **, CUlinkState *stateOut) {
  return driver_call([&] {
    if (!stateOut) return cudaErrorInvalidValue;
    *stateOut = new CUlinkState_st;
    return cudaSuccess;
  });
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType, void *data, size_t, const char *, unsigned int,
                       CUjit_option *, void **) {
  return anywhere_call([&] { return add_input(state, data); });
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType, const char *path, unsigned int, CUjit_option *, void **) {
  return anywhere_call([&] {
    std::string bytes;
    const cudaError_t error = read_file(path, bytes);
    return error == cudaSuccess ? add_input(state, bytes.c_str()) : error;
  });
}

CUresult cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut) {
  return anywhere_call([&]() -> cudaError_t {
    if (!state || !cubinOut || state->inputs.empty()) return cudaErrorInvalidValue;
    if (state->inputs.size() > 1)
      return not_supported("cuLinkComplete", "modules are linked one by one; compile the sources together");
    *cubinOut = state->inputs[0].data();
    if (sizeOut) *sizeOut = state->inputs[0].size();
    return cudaSuccess;
  });
}

CUresult cuLinkDestroy(CUlinkState state) {
  return anywhere_call([&] {
    delete state;
    return state ? cudaSuccess : cudaErrorInvalidValue;
  });
}

}  // extern "C"

WARPLOOM_DRIVER_VERSION(cuModuleGetGlobal, _v2);
WARPLOOM_DRIVER_VERSION(cuLinkCreate, _v2);
WARPLOOM_DRIVER_VERSION(cuLinkAddData, _v2);
WARPLOOM_DRIVER_VERSION(cuLinkAddFile, _v2);
