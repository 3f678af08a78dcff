// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which parameters are pointers is not known here: those of eight bytes are looked at whose value is an address of
// memory that the program may write. A number that is one by chance would be named, too.
#include "argument_check.h"

#include <cstdint>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

#include "../code_place.h"
#include "../memory_map.h"
#include "../message.h"
#include "../report.h"
#include "address_report.h"
#include "allocation.h"
#include "texture.h"

namespace warploom {
namespace {

bool is_new(const Kernel &kernel, std::uint32_t number) {
  static std::mutex mutex;
  static std::set<std::pair<const Kernel *, std::uint32_t>> seen;
  const std::lock_guard lock(mutex);
  return seen.emplace(&kernel, number).second;
}

// What is wrong with the pointer; empty: nothing.
std::string fault_of(const void *pointer) {
  if (find_allocation(pointer) || variable_at(pointer) != nullptr) return {};
  if (is_runtime_address(pointer)) {
    const std::string freed = describe_freed_address(pointer);
    return freed.empty() ? "" : "which " + freed;
  }
  if (is_texture_object(pointer) || !find_mapping(pointer).access.starts_with("rw-")) return {};
  return "which is memory of the host, that a GPU reads and writes on some systems only";
}

}  // namespace

void check_arguments(const Launch &launch) {
  const Kernel &kernel = *launch.kernel;
  for (std::uint32_t i = 0; i < kernel.parameter_count; ++i) {
    const void *value = nullptr;
    if (kernel.parameters[i].size != sizeof value) continue;
    std::memcpy(&value, launch.arguments[i], sizeof value);
    const std::string wrong = fault_of(value);
    if (wrong.empty() || !is_new(kernel, i)) continue;
    const std::string site = describe(find_call(launch.site));
    write_error("kernel " + kernel_name(kernel) + " gets " + hexadecimal(reinterpret_cast<std::uintptr_t>(value)) +
                " as argument " + std::to_string(i + 1) + ", " + wrong +
                (site.empty() ? "" : "\n  the kernel was launched " + site));
  }
}

}  // namespace warploom
