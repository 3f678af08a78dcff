// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registration ABI: static constructors tell which host address stands for which kernel or variable of which
// image. Constructors run in any order, so names are looked up at first use.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "../fork_lock.h"
#include "error.h"
#include "launch.h"
#include "queue.h"
#include "texture_reference.h"

namespace warploom {
namespace {

// An image registered by the host side: `id` is null when the image is not known (separate compilation).
struct FatBinary {
  const char *id;
  bool is_foreign = false;  // nvcc's, of which nothing can run
};

struct FunctionEntry {
  const FatBinary *binary;
  std::string name;
  CUfunc_st function;
};

struct SymbolEntry {
  const FatBinary *binary;
  std::string name;
  const Variable *variable = nullptr;
};

struct Registry {
  Forkable<std::mutex> mutex;
  std::unordered_map<const void *, std::unique_ptr<FunctionEntry>> functions;
  std::unordered_map<const void *, SymbolEntry> symbols;
  std::unordered_set<const void *> handles;                 // of functions
  std::unordered_map<const void *, CUfunc_st *> by_handle;  // what a kernel's address is in device code
  std::deque<CUfunc_st> module_functions;
  std::unordered_set<const void *> entry_tables;
  std::unordered_set<std::string> reported;  // files with code for GPUs
};

// Never destroyed: programs launch from destructors of globals.
Registry &registry() {
  static Registry *const instance = new Registry;
  return *instance;
}

void add_function(const FatBinary *binary, const void *stub, const char *name) {
  Registry &all = registry();
  const std::lock_guard lock(all.mutex);
  std::unique_ptr<FunctionEntry> &entry = all.functions[stub];
  if (!entry) entry = std::make_unique<FunctionEntry>();
  // Not the first one at this address: a library was unloaded and another loaded in its place. Handles stay valid.
  entry->binary = binary;
  entry->name = name;
  entry->function.kernel = nullptr;
}

const Kernel *resolve_kernel(const FatBinary *binary, const char *name) {
  if (binary && binary->is_foreign) return nullptr;
  const Kernel *kernel = binary ? find_kernel(binary->id, name) : nullptr;
  return kernel ? kernel : find_kernel(name);
}

const Variable *resolve_variable(const FatBinary *binary, const char *name) {
  if (binary && binary->is_foreign) return nullptr;
  const Variable *variable = binary ? find_variable(binary->id, name) : nullptr;
  return variable ? variable : find_variable(name);
}

// Kinds of globals in the flags of clang's offload entries.
constexpr std::uint32_t kKindMask = 7, kSurfaceKind = 2, kTextureKind = 3, kNormalizedFlag = 1 << 5;

void add_symbol(const FatBinary *binary, const void *host, const char *name) {
  Registry &all = registry();
  const std::lock_guard lock(all.mutex);
  SymbolEntry &entry = all.symbols[host] = SymbolEntry{binary, name, resolve_variable(binary, name)};
  if (entry.variable && (entry.variable->flags & kManaged)) {
    bind_managed(*entry.variable, const_cast<void *>(host));
    expect_writes_from_outside();
  }
}

// Whether a fat binary is one of nvcc's, with code for GPUs, and not the text that warpcc puts there.
bool is_for_a_gpu(const char *data) {
  constexpr std::uint32_t kMagic = 0xBA55ED50;
  std::uint32_t word = 0;
  if (data) std::memcpy(&word, data, sizeof word);
  return word == kMagic;
}

// `place`: an address in the program or library that holds it.
void report_gpu_code(const void *place) {
  Dl_info found{};
  const char *file = dladdr(place, &found) != 0 && found.dli_fname ? found.dli_fname : "this program";
  Registry &all = registry();
  const std::lock_guard lock(all.mutex);
  if (!all.reported.insert(file).second) return;  // it has several
  std::fprintf(
      stderr,
      "warploom: %s was compiled by nvcc: its kernels are for a GPU and cannot run here; build it with warpcc\n", file);
}

// clang's offload entries, as LLVM lays them out from version 21 on and before.
struct OffloadEntry {
  std::uint64_t reserved;  // 0 tells this layout from the older one, which starts with an address
  std::uint16_t version, kind;
  std::uint32_t flags;
  void *address;
  const char *name;
  std::uint64_t size, data;
  void *auxiliary;
};

struct OldOffloadEntry {
  void *address;
  const char *name;
  std::size_t size;
  std::int32_t flags, data;
};

void add_entry(void *address, const char *name, std::uint64_t size, std::uint32_t flags) {
  if (!address || !name) return;
  if (size != 0 && (flags & kKindMask) == kTextureKind)
    add_texture_reference(nullptr, address, name, flags & kNormalizedFlag);
  else if (size != 0 && (flags & kKindMask) == kSurfaceKind)
    add_surface_reference(nullptr, address, name);
  else if (size == 0)
    add_function(nullptr, address, name);
  else
    add_symbol(nullptr, address, name);
}

template <class Entry>
void add_entries(const void *begin, const void *end) {
  for (auto *entry = static_cast<const Entry *>(begin); entry < end; ++entry)
    add_entry(entry->address, entry->name, entry->size, static_cast<std::uint32_t>(entry->flags));
}

CUfunc_st *resolve_function(Registry &all, FunctionEntry &entry) {
  CUfunc_st &function = entry.function;
  if (!function.kernel) {
    function.kernel = resolve_kernel(entry.binary, entry.name.c_str());
    if (!function.kernel) return nullptr;
    function.max_dynamic_shared = default_dynamic_shared(*function.kernel);
    all.handles.insert(&function);
  }
  return &function;
}

CUfunc_st *find_function_of_handle(const void *handle) {
  const Kernel *const kernel = kernel_of_handle(handle);
  if (!kernel) return nullptr;
  Registry &all = registry();
  const std::lock_guard lock(all.mutex);
  if (const auto known = all.by_handle.find(handle); known != all.by_handle.end()) return known->second;
  for (auto &[stub, entry] : all.functions) {
    if (entry->name != kernel->name) continue;
    CUfunc_st *const function = resolve_function(all, *entry);
    if (function && function->kernel == kernel) return all.by_handle[handle] = function;
  }
  std::unique_ptr<FunctionEntry> &entry = all.functions[handle];  // no host code names the kernel
  entry.reset(new FunctionEntry{nullptr, kernel->name, {kernel, default_dynamic_shared(*kernel)}});
  return all.by_handle[handle] = &entry->function;
}

CUfunc_st *find_registered(const void *stub) {
  Registry &all = registry();
  const std::lock_guard lock(all.mutex);
  if (all.handles.contains(stub)) return static_cast<CUfunc_st *>(const_cast<void *>(stub));
  const auto found = all.functions.find(stub);
  if (found == all.functions.end()) return nullptr;
  return resolve_function(all, *found->second);
}

}  // namespace

CUfunc_st *find_function(const void *stub) {
  if (in_device_code()) return find_function_of_handle(stub);
  // What the thread has launched last: entries stay, and one whose stub is registered again has no kernel until then.
  static constinit thread_local const void *latest __attribute__((tls_model("initial-exec"))) = nullptr;
  static constinit thread_local CUfunc_st *function __attribute__((tls_model("initial-exec"))) = nullptr;
  if (stub == latest && function != nullptr && function->kernel != nullptr) return function;
  latest = stub;
  return function = find_registered(stub);
}

CUfunc_st *add_handle(const Kernel &kernel, CUmod_st *module) {
  Registry &all = registry();
  const std::lock_guard lock(all.mutex);
  CUfunc_st &function = all.module_functions.emplace_back(CUfunc_st{&kernel, default_dynamic_shared(kernel)});
  function.module = module;
  all.handles.insert(&function);
  return &function;
}

void reset_functions() {
  Registry &all = registry();
  const std::lock_guard lock(all.mutex);
  for (CUfunc_st &function : all.module_functions) {
    CUmod_st *const module = function.module;
    function = {function.kernel, default_dynamic_shared(*function.kernel)};
    function.module = module;
  }
  for (auto &[stub, entry] : all.functions) {
    CUfunc_st &function = entry->function;
    if (function.kernel) function = {function.kernel, default_dynamic_shared(*function.kernel)};
  }
}

const void *find_symbol_key(const void *address, const std::string &name) {
  Registry &all = registry();
  const std::lock_guard lock(all.mutex);
  if (all.symbols.contains(address)) return address;
  const std::string internal = "_ZL" + std::to_string(name.size()) + name;  // of a static variable
  for (const auto &[key, entry] : all.symbols)
    if (entry.name == name || entry.name == internal) return key;
  return address;
}

DeviceSymbol find_symbol(const void *symbol) {
  Registry &all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.symbols.find(symbol);
  if (found != all.symbols.end()) {
    SymbolEntry &entry = found->second;
    if (!entry.variable) entry.variable = resolve_variable(entry.binary, entry.name.c_str());
    if (entry.variable) return {storage(*entry.variable), entry.variable->size};
    return {nullptr, 0};
  }
  return {nullptr, 0};
}

}  // namespace warploom

using namespace warploom;

#define WARPLOOM_ENTRY __attribute__((visibility("default")))

extern "C" {

WARPLOOM_ENTRY void **__cudaRegisterFatBinary(void *wrapper) {
  struct Wrapper {
    std::int32_t magic, version;
    const char *data;
  };
  const char *data = static_cast<const Wrapper *>(wrapper)->data;
  auto *binary = new FatBinary{data, is_for_a_gpu(data)};
  if (binary->is_foreign) report_gpu_code(wrapper);
  return reinterpret_cast<void **>(binary);
}

WARPLOOM_ENTRY void __cudaRegisterFatBinaryEnd(void **) {}

// What nvcc of CUDA 13 makes of <<<...>>> beside the two calls of a configuration. A handle is null where there is no
// kernel.
WARPLOOM_ENTRY char __cudaInitModule(void **) { return 1; }

WARPLOOM_ENTRY cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub) {
  return cudaGetKernel(kernel, stub);
}

WARPLOOM_ENTRY cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                                              std::size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

WARPLOOM_ENTRY cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                                                   std::size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel_ptsz(kernel, grid, block, arguments, shared, stream);
}

// Kernels stay callable: destructors of globals run in any order too. But their library may be about to go.
WARPLOOM_ENTRY void __cudaUnregisterFatBinary(void **) { finish_or_drop(); }

WARPLOOM_ENTRY void __cudaRegisterFunction(void **handle, const char *stub, char *, const char *name, int, void *,
                                           void *, void *, void *, int *) {
  add_function(reinterpret_cast<const FatBinary *>(handle), stub, name);
}

WARPLOOM_ENTRY void __cudaRegisterVar(void **handle, char *host, char *, const char *name, int, std::size_t, int, int) {
  add_symbol(reinterpret_cast<const FatBinary *>(handle), host, name);
}

WARPLOOM_ENTRY void __cudaRegisterManagedVar(void **handle, void **host, char *, const char *name, int, std::size_t,
                                             int, int) {
  add_symbol(reinterpret_cast<const FatBinary *>(handle), host, name);
}

WARPLOOM_ENTRY void __cudaRegisterTexture(void **handle, const textureReference *host, const void **, const char *name,
                                          int, int normalized, int) {
  add_texture_reference(reinterpret_cast<const FatBinary *>(handle)->id, host, name, normalized != 0);
}

WARPLOOM_ENTRY void __cudaRegisterSurface(void **handle, const surfaceReference *host, const void **, const char *name,
                                          int, int) {
  add_surface_reference(reinterpret_cast<const FatBinary *>(handle)->id, host, name);
}

WARPLOOM_ENTRY void __warploom_register_offload_entries(const void *begin, const void *end) {
  if (!begin || begin == end) return;
  {
    Registry &all = registry();
    const std::lock_guard lock(all.mutex);
    if (!all.entry_tables.insert(begin).second) return;
  }
  std::uint64_t first_word;
  std::memcpy(&first_word, begin, sizeof first_word);
  if (first_word == 0)
    add_entries<OffloadEntry>(begin, end);
  else
    add_entries<OldOffloadEntry>(begin, end);
}

}  // extern "C"
