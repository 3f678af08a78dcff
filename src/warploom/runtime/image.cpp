// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The images of the program: one a translation unit with device code, from static constructors and dlopen.
#include "image.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device_functions.h"
#include "engine.h"
#include "fork_lock.h"
#include "registry.h"
#include "report.h"

namespace warploom {
namespace {

constexpr std::size_t kSharedAlignment = 128;

struct Registry {
  Forkable<std::shared_mutex> mutex;
  std::unordered_map<std::string, const Kernel *> kernels;      // by id and name (key), and by name alone
  std::unordered_map<std::string, const Variable *> variables;  // the same
  std::unordered_map<const void *, const Kernel *> kernels_by_handle, twins_by_handle;
  std::map<std::uintptr_t, const Variable *> variables_by_address;
  std::map<const Kernel *, std::uint32_t> architectures;  // of images, by their first kernel
  DeviceFunctions functions;
  std::vector<std::pair<const Image *, std::string>> unusable;  // with the CPU features that are missing
  std::atomic<std::size_t> static_shared{0};
  std::size_t next_shared = 0;  // where the image's part starts that registers, or registered last
  std::atomic<bool> all_usable{true};
};

Registry &registry() {
  static auto *const result = new Registry;  // static constructors of any order use it; never destroyed
  return *result;
}

thread_local const Image **module_image = nullptr;  // see ModuleLoading

std::string key(const char *image_id, const char *name) { return std::string(image_id) + '\0' + name; }

template <typename Value>
const Value *find(const std::unordered_map<std::string, const Value *> &table, const std::string &name) {
  const std::shared_lock lock(registry().mutex);
  const auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

// A name means the first image's that has it; a later version of an image takes the place of an earlier one.
template <class Value>
void add_name(std::unordered_map<std::string, const Value *> &table, const Image &image, const Value &value) {
  const auto [by_id, is_new] = table.emplace(key(image.id, value.name), &value);
  const Value *const before = by_id->second;
  const auto [by_name, _] = table.emplace(value.name, &value);
  if (is_new || image.rank <= 1) return;
  by_id->second = &value;
  if (by_name->second == before) by_name->second = &value;
}

void add_names(Registry &all, const Image &image) {
  for (std::uint32_t i = 0; i < image.kernel_count; ++i) add_name(all.kernels, image, image.kernels[i]);
  for (std::uint32_t i = 0; i < image.variable_count; ++i) add_name(all.variables, image, image.variables[i]);
}

// A module's kernels reach no other image's shared variables: all modules use the same bytes.
void place_shared(Registry &all, const Image &image) {
  if (image.rank <= 1) all.next_shared = module_image ? 0 : all.static_shared.load();
  const std::size_t offset = all.next_shared;  // only one version of an image runs
  const std::size_t end = offset + (image.static_shared + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment;
  if (image.shared_offset != nullptr) *image.shared_offset = offset;
  all.static_shared = std::max(end, all.static_shared.load());
}

void register_image(const Image &image) {
  if (image.version != kImageVersion) {
    write_error("an object file has device code of image version " + std::to_string(image.version) +
                ", this runtime reads version " + std::to_string(kImageVersion) +
                ": its kernels cannot be launched; compile it again");
    return;
  }
  Registry &all = registry();
  const std::unique_lock lock(all.mutex);
  if (std::string missing = missing_cpu_features(image.cpu_features); !missing.empty()) {
    if (image.rank > 1) return;  // an earlier version runs
    all.unusable.emplace_back(&image, std::move(missing));
    all.all_usable = false;
  }
  place_shared(all, image);
  auto &by_handle = image.is_twin != 0 ? all.twins_by_handle : all.kernels_by_handle;
  for (std::uint32_t i = 0; i < image.kernel_count; ++i)
    if (image.kernels[i].handle != nullptr) by_handle.emplace(image.kernels[i].handle, &image.kernels[i]);
  if (image.is_twin != 0) return;
  if (image.kernel_count != 0) all.architectures.insert_or_assign(image.kernels, image.arch);
  all.functions.add(image);
  all.functions.settle();
  for (std::uint32_t i = 0; i < image.variable_count; ++i)
    all.variables_by_address.emplace(reinterpret_cast<std::uintptr_t>(image.variables[i].address), &image.variables[i]);
  if (module_image)
    *module_image = &image;
  else
    add_names(all, image);
}

}  // namespace

ModuleLoading::ModuleLoading(const Image **image) { module_image = image; }
ModuleLoading::~ModuleLoading() { module_image = nullptr; }

const Kernel *find_kernel(const char *image_id, const char *name) {
  return find(registry().kernels, key(image_id, name));
}
const Kernel *find_kernel(const char *name) { return find(registry().kernels, name); }
const Kernel *kernel_of_handle(const void *handle) {
  const std::shared_lock lock(registry().mutex);
  const auto found = registry().kernels_by_handle.find(handle);
  return found == registry().kernels_by_handle.end() ? nullptr : found->second;
}
const Kernel *twin_of(const Kernel &kernel) {
  const std::shared_lock lock(registry().mutex);
  const auto found = registry().twins_by_handle.find(kernel.handle);
  return found == registry().twins_by_handle.end() ? nullptr : found->second;
}
const Variable *find_variable(const char *image_id, const char *name) {
  return find(registry().variables, key(image_id, name));
}
const Variable *find_variable(const char *name) { return find(registry().variables, name); }

void bind_managed(const Variable &variable, void *host) {
  Registry &all = registry();
  const std::unique_lock lock(all.mutex);
  if (*variable.slot == host) return;
  std::memcpy(host, variable.address, variable.size);
  *variable.slot = host;
  all.variables_by_address.emplace(reinterpret_cast<std::uintptr_t>(host), &variable);
}

const Variable *variable_at(const void *address) {
  Registry &all = registry();
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  const std::shared_lock lock(all.mutex);
  auto after = all.variables_by_address.upper_bound(wanted);
  if (after == all.variables_by_address.begin()) return nullptr;
  const auto &[start, variable] = *--after;
  return wanted - start < variable->size ? variable : nullptr;
}

std::vector<const Variable *> all_variables() {
  std::vector<const Variable *> found;
  const std::shared_lock lock(registry().mutex);
  for (const auto &[start, variable] : registry().variables_by_address)
    if (start == reinterpret_cast<std::uintptr_t>(variable->address)) found.push_back(variable);
  return found;
}

std::uint32_t architecture_of(const Kernel &kernel) {
  Registry &all = registry();
  const std::shared_lock lock(all.mutex);
  const auto after = all.architectures.upper_bound(&kernel);
  return after == all.architectures.begin() ? 0 : std::prev(after)->second;
}

std::size_t static_shared_size() { return registry().static_shared; }

std::string unusable_reason(const Kernel *kernel) {
  Registry &all = registry();
  if (all.all_usable) return {};
  const std::shared_lock lock(all.mutex);
  for (const auto &[image, missing] : all.unusable) {
    if (kernel >= image->kernels && kernel < image->kernels + image->kernel_count) {
      return "it was compiled for a CPU with " + missing +
             ", which this one lacks; compile it on this machine, or with -march=NAME for lesser ones, or with --fat";
    }
  }
  return {};
}

}  // namespace warploom

extern "C" __attribute__((visibility("default"))) void __warploom_register_image(const warploom::Image *image) {
  warploom::register_image(*image);
}
