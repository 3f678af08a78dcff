// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cudaLibrary* and cuLibrary*: a library is a module that belongs to no context. A kernel's handle is its function's.
#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "device.h"
#include "driver_helpers.h"
#include "module.h"

struct CUlib_st {
  CUmodule module;
};

namespace warploom {
namespace {

struct Libraries {
  std::mutex mutex;
  std::unordered_map<CUlibrary, std::unique_ptr<CUlib_st>> loaded;
};

Libraries &libraries() {
  static auto *const result = new Libraries;
  return *result;
}

// Null for a handle that is no library's.
CUmodule module_behind(CUlibrary library) {
  const std::lock_guard lock(libraries().mutex);
  const auto found = libraries().loaded.find(library);
  return found == libraries().loaded.end() ? nullptr : found->second->module;
}

// The body of an entry point on a library.
template <class Body>
cudaError_t library_call(CUlibrary library, Body &&body, const Caller &caller = WARPLOOM_CALLER) {
  const auto on_module = [&]() -> cudaError_t {
    const CUmodule module = module_behind(library);
    return module ? body(module) : cudaErrorInvalidResourceHandle;
  };
  return api_call(on_module, caller);
}

template <class Load>
cudaError_t add_library(CUlibrary *library, Load &&load, const Caller &caller = WARPLOOM_CALLER) {
  const auto add = [&]() -> cudaError_t {
    CUmodule module = nullptr;
    if (!library) return cudaErrorInvalidValue;
    if (const cudaError_t error = load(&module); error != cudaSuccess) return error;
    auto made = std::make_unique<CUlib_st>(CUlib_st{module});
    *library = made.get();
    const std::lock_guard lock(libraries().mutex);
    libraries().loaded.emplace(made.get(), std::move(made));
    return cudaSuccess;
  };
  return api_call(add, caller);
}

cudaError_t give(const Variable &variable, void **memory, std::size_t *size) {
  if (memory) *memory = storage(variable);
  if (size) *size = variable.size;
  return cudaSuccess;
}

void empty_logs_of(unsigned count, const cudaJitOption *options, void **values) {
  std::vector<CUjit_option> same;
  for (unsigned i = 0; options && i < count; ++i) same.push_back(static_cast<CUjit_option>(options[i]));
  empty_logs(static_cast<unsigned>(same.size()), same.data(), values);
}

}  // namespace

cudaError_t module_of(CUfunction function, CUmodule *module) {
  const CUfunc_st *const found = function ? find_function(function) : nullptr;
  if (!module) return cudaErrorInvalidValue;
  if (!found) return cudaErrorInvalidResourceHandle;
  if (!found->module) return not_supported("cuFuncGetModule", "the program's own kernels are in no module");
  *module = found->module;
  return cudaSuccess;
}

cudaError_t module_of(CUlibrary library, CUmodule *module) {
  if (!module) return cudaErrorInvalidValue;
  *module = module_behind(library);
  return *module ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t library_of(CUfunction function, CUlibrary *library) {
  const CUfunc_st *const found = function ? find_function(function) : nullptr;
  if (!library) return cudaErrorInvalidValue;
  const std::lock_guard lock(libraries().mutex);
  for (const auto &[handle, entry] : libraries().loaded) {
    if (!found || entry->module != found->module) continue;
    *library = handle;
    return cudaSuccess;
  }
  return cudaErrorInvalidResourceHandle;
}

cudaError_t loading_state(CUfunction function, CUfunctionLoadingState *state) {
  if (!state) return cudaErrorInvalidValue;
  if (!function || !find_function(function)) return cudaErrorInvalidResourceHandle;
  *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return cudaSuccess;
}

cudaError_t loading_mode(CUmoduleLoadingMode *mode) {
  if (!mode) return cudaErrorInvalidValue;
  *mode = CU_MODULE_EAGER_LOADING;
  return cudaSuccess;
}

cudaError_t count_functions(CUmodule module, unsigned *count) {
  std::vector<CUfunc_st *> all;
  if (!count) return cudaErrorInvalidValue;
  const cudaError_t error = functions_of_module(module, &all);
  if (error == cudaSuccess) *count = static_cast<unsigned>(all.size());
  return error;
}

cudaError_t enumerate_functions(CUmodule module, CUfunction *functions, unsigned count) {
  std::vector<CUfunc_st *> all;
  if (!functions) return cudaErrorInvalidValue;
  const cudaError_t error = functions_of_module(module, &all);
  for (unsigned i = 0; i < count && i < all.size(); ++i) functions[i] = all[i];
  return error;
}

}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, cudaJitOption *jitOptions,
                                void **jitOptionsValues, unsigned int numJitOptions, cudaLibraryOption *, void **,
                                unsigned int) {
  empty_logs_of(numJitOptions, jitOptions, jitOptionsValues);
  return add_library(library, [&](CUmodule *module) { return load_module(module, code, "cudaLibraryLoadData"); });
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *fileName, cudaJitOption *jitOptions,
                                    void **jitOptionsValues, unsigned int numJitOptions, cudaLibraryOption *, void **,
                                    unsigned int) {
  empty_logs_of(numJitOptions, jitOptions, jitOptionsValues);
  return add_library(library,
                     [&](CUmodule *module) { return load_module_file(module, fileName, "cudaLibraryLoadFromFile"); });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return library_call(library, [&](CUmodule module) {
    const cudaError_t error = unload_module(module);
    const std::lock_guard lock(libraries().mutex);
    libraries().loaded.erase(library);
    return error;
  });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *pKernel, cudaLibrary_t library, const char *name) {
  return library_call(library, [&](CUmodule module) {
    CUfunc_st *function = nullptr;
    if (!pKernel) return cudaErrorInvalidValue;
    const cudaError_t error = find_in_module(module, name, &function);
    if (error == cudaSuccess) *pKernel = reinterpret_cast<cudaKernel_t>(function);
    return error;
  });
}

cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t lib) {
  return library_call(lib, [&](CUmodule module) { return count_functions(module, count); });
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int numKernels, cudaLibrary_t lib) {
  return library_call(lib, [&](CUmodule module) {
    return enumerate_functions(module, reinterpret_cast<CUfunction *>(kernels), numKernels);
  });
}

cudaError_t cudaLibraryGetGlobal(void **dptr, size_t *bytes, cudaLibrary_t library, const char *name) {
  return library_call(library, [&](CUmodule module) {
    const Variable *variable = nullptr;
    const cudaError_t error = find_in_module(module, name, &variable);
    return error == cudaSuccess ? give(*variable, dptr, bytes) : error;
  });
}

cudaError_t cudaLibraryGetManaged(void **dptr, size_t *bytes, cudaLibrary_t library, const char *name) {
  return library_call(library, [&](CUmodule module) {
    const Variable *variable = nullptr;
    const cudaError_t error = find_in_module(module, name, &variable);
    if (error != cudaSuccess) return error;
    return variable->flags & kManaged ? give(*variable, dptr, bytes) : cudaErrorSymbolNotFound;
  });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attr, int value, int device) {
  if (!is_device(device)) return record(cudaErrorInvalidDevice);
  return cudaFuncSetAttribute(kernel, attr, value);
}

}  // extern "C"
