// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "strict.h"

#include <link.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "../access_check.h"
#include "../code_place.h"
#include "../fault.h"
#include "../fork_lock.h"
#include "../memory_map.h"
#include "../message.h"
#include "../own_pages.h"
#include "../report.h"
#include "address_report.h"
#include "allocation.h"
#include "texture.h"

namespace warploom::strict {

constinit bool is_on = false, guards_managed = false;

namespace {

struct State {
  Forkable<std::mutex> mutex;
  unsigned open = 0;                            // how many scopes are
  std::map<unsigned long long, bool> unwaited;  // streams that the host has not waited for; whether they block
};

State &state() {
  static auto *const instance = new State;  // never destroyed: operations run until the process ends
  return *instance;
}

thread_local bool own_wait = false;

// Requires the state's lock.
void show_or_hide(const State &all) {
  HiddenMemory hidden;
  hidden.device = all.open == 0;
  if (all.open == 0 && guards_managed)
    for (const auto &[stream, is_blocking] : all.unwaited) hidden.busy_streams.insert(stream);
  hide_memory(hidden);
}

// The writable data of a program or library, where its variables are: the host's and those of device code alike.
bool is_in_data(const void *address) {
  struct Search {
    std::uintptr_t address;
    bool found;
  } search{reinterpret_cast<std::uintptr_t>(address), false};
  const auto look = [](dl_phdr_info *object, std::size_t, void *data) {
    auto &wanted = *static_cast<Search *>(data);
    for (int i = 0; i < object->dlpi_phnum && !wanted.found; ++i) {
      const ElfW(Phdr) &part = object->dlpi_phdr[i];
      const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
      wanted.found = part.p_type == PT_LOAD && wanted.address - begin < part.p_memsz;
    }
    return wanted.found ? 1 : 0;
  };
  dl_iterate_phdr(look, &search);
  return search.found;
}

bool is_argument(const void *address) {
  const Launch &launch = calling_launch();
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  for (std::uint32_t i = 0; i < launch.kernel->parameter_count; ++i)
    if (value - reinterpret_cast<std::uintptr_t>(launch.arguments[i]) < launch.kernel->parameters[i].size) return true;
  return false;
}

// Of addresses outside of the arena: what is no memory at all faults by itself.
bool is_host_memory(const void *address) {
  struct Range {
    std::uintptr_t begin = 0, end = 0;
  };
  thread_local Range harmless;
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  if (is_runtime_address(address) || (value >= harmless.begin && value < harmless.end)) return false;
  if (is_in_own_pages(address) || is_argument(address)) return false;
  if (find_allocation(address) || is_in_texture_object(address)) return false;
  const Mapping mapping = find_mapping(address);
  if (mapping.access.empty()) return false;
  const bool is_writable = mapping.access.find('w') != std::string::npos;
  const bool is_anonymous = mapping.file.empty() || mapping.file.starts_with('[');
  if (is_writable && is_anonymous && !is_in_data(address)) return true;
  // The end of the program's data and the first of what it allocates may be one mapping.
  if (!is_writable || !is_anonymous) harmless = {mapping.begin, mapping.end};
  return false;
}

void report_host_access(const void *address, Access access, const void *code) {
  if (!is_runtime_address(address)) return;
  const auto allocation = find_allocation(address);
  const bool is_managed = allocation && allocation->kind == MemoryKind::kManaged;
  const char *const verb = access == Access::kRead ? "reads" : access == Access::kWrite ? "writes" : "touches";
  std::string text =
      std::string("WARPLOOM_STRICT: the host ") + verb + (is_managed ? " managed" : " device") + " memory";
  if (is_managed) text += " before it has waited for the kernels that were launched";
  if (const std::string place = describe(find_place(code)); !place.empty()) text += "\n  " + place;
  if (const std::string what = describe_address(address); !what.empty())
    text += "\n  the address " + hexadecimal(reinterpret_cast<std::uintptr_t>(address)) + ' ' + what;
  text +=
      is_managed ? "\n  to mend it: cudaDeviceSynchronize() before the access" : "\n  to mend it: copy with cudaMemcpy";
  write_error(text);
}

// Early, before anything is allocated.
__attribute__((constructor(200))) void start() {
  const char *const text = std::getenv("WARPLOOM_STRICT");
  if (text == nullptr || *text == '\0' || std::string_view(text) == "0") return;
  is_on = true;
  guards_managed = std::string_view(text) != "concurrent";
  set_host_memory_test(is_host_memory);
  set_host_access_report(report_host_access);
  install_fault_handlers();
  const std::lock_guard lock(state().mutex);
  show_or_hide(state());
}

}  // namespace

void open_memory() {
  State &all = state();
  const std::lock_guard lock(all.mutex);
  if (all.open++ == 0) show_or_hide(all);
}

void close_memory() {
  State &all = state();
  const std::lock_guard lock(all.mutex);
  if (--all.open == 0) show_or_hide(all);
}

void note_launch(unsigned long long stream, unsigned stream_flags) {
  if (!guards_managed) return;
  State &all = state();
  const std::lock_guard lock(all.mutex);
  all.unwaited[stream] = (stream_flags & cudaStreamNonBlocking) == 0;
  if (all.open == 0) show_or_hide(all);
}

void note_wait(unsigned long long stream) {
  constexpr unsigned long long kLegacy = 0;
  if (!guards_managed || own_wait) return;
  State &all = state();
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.unwaited,
                [=](const auto &each) { return each.first == stream || (stream == kLegacy && each.second); });
  if (all.open == 0) show_or_hide(all);
}

void note_wait_for_all() {
  if (!guards_managed || own_wait) return;
  State &all = state();
  const std::lock_guard lock(all.mutex);
  all.unwaited.clear();
  if (all.open == 0) show_or_hide(all);
}

OwnWait::OwnWait() { own_wait = true; }
OwnWait::~OwnWait() { own_wait = false; }

bool gets_host_variable(const Launch &launch) {
  const Kernel &kernel = *launch.kernel;
  for (std::uint32_t i = 0; i < kernel.parameter_count; ++i) {
    const void *value = nullptr;
    if (kernel.parameters[i].size != sizeof value) continue;
    std::memcpy(&value, launch.arguments[i], sizeof value);
    if (variable_at(value) != nullptr || find_allocation(value) || !find_mapping(value).access.starts_with("rw"))
      continue;
    if (!is_in_data(value)) continue;
    const std::string site = describe(find_call(launch.site));
    write_error("WARPLOOM_STRICT: kernel " + kernel_name(kernel) + " gets a variable of the host as argument " +
                std::to_string(i + 1) + ", which a GPU does not reach" +
                (site.empty() ? "" : "\n  the kernel was launched " + site));
    return true;
  }
  return false;
}

}  // namespace warploom::strict
