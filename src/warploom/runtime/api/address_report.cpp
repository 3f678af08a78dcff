// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "address_report.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "../code_place.h"
#include "../engine.h"
#include "../fault_report.h"
#include "../memory_map.h"
#include "../message.h"

namespace warploom {
namespace {

// What an address outside of the arena may be away from a variable or from memory of the program's own.
constexpr std::uintptr_t kNear = 1 << 20;
constexpr std::uintptr_t kNowhere = std::numeric_limits<std::uintptr_t>::max();

std::string describe_caller(const Caller &caller, const char *unknown) {
  if (caller.function == nullptr) return unknown;
  const std::string place = describe(find_call(caller.address));
  return caller.function + (place.empty() ? "" : ' ' + place);
}

// Bytes between an address and [base, base + size): 0 inside of it.
struct Distance {
  std::uintptr_t bytes = kNowhere;
  bool is_behind = false;
};

Distance distance(std::uintptr_t address, std::uintptr_t base, std::size_t size) {
  if (address < base) return {base - address, false};
  return address - base < size ? Distance{0, false} : Distance{address - base - size, true};
}

bool holds(std::uintptr_t address, std::uintptr_t base, std::size_t size) {
  return address >= base && address - base < size;
}

std::string describe_distance(std::uintptr_t address, std::uintptr_t base, std::size_t size) {
  if (address == base) return "is the beginning of the ";
  if (holds(address, base, size)) return "is " + with_commas(address - base) + " bytes into the ";
  const Distance found = distance(address, base, size);
  if (found.is_behind && found.bytes == 0) return "is right behind the ";
  return "is " + with_commas(found.bytes) + (found.is_behind ? " bytes behind the " : " bytes before the ");
}

std::string describe_nearest_allocation(std::uintptr_t address, Distance &nearest) {
  const Allocation *found = nullptr;
  const std::vector<Allocation> live = live_allocations();
  for (const Allocation &allocation : live) {
    const Distance there = distance(address, allocation.base, allocation.size);
    if (there.bytes >= nearest.bytes) continue;
    nearest = there;
    found = &allocation;
  }
  return found == nullptr ? "" : describe_distance(address, found->base, found->size) + describe(*found);
}

std::string describe_nearest_variable(std::uintptr_t address, Distance &nearest) {
  std::string text;
  for (const Variable *const variable : all_variables()) {
    const auto base = reinterpret_cast<std::uintptr_t>(storage(*variable));
    const Distance there = distance(address, base, variable->size);
    if (there.bytes >= nearest.bytes) continue;
    nearest = there;
    text = describe_distance(address, base, variable->size) + with_commas(variable->size) + " bytes of variable " +
           variable->name;
  }
  return text;
}

__attribute__((constructor)) void tell_engine() { set_address_describer(describe_address); }

}  // namespace

std::string describe(const Allocation &allocation) {
  return with_commas(allocation.size) + " bytes of " + describe_caller(allocation.made_by, "an allocation");
}

std::string describe_freed_address(const void *pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const std::vector<FreedAllocation> freed = freed_allocations();
  for (auto entry = freed.rbegin(); entry != freed.rend(); ++entry) {
    const Allocation &allocation = entry->allocation;
    if (!holds(address, allocation.base, allocation.size)) continue;
    return describe_distance(address, allocation.base, allocation.size) + describe(allocation) + ", which " +
           describe_caller(entry->freed_by, "the program") + " freed";
  }
  return {};
}

std::string describe_address(const void *pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const bool is_own = is_runtime_address(pointer);
  Distance nearest{is_own ? kNowhere : kNear};
  std::string text = describe_nearest_allocation(address, nearest);
  if (nearest.bytes != 0 || nearest.is_behind) {
    if (std::string freed = describe_freed_address(pointer); !freed.empty()) return freed;
  }
  const std::string variable = describe_nearest_variable(address, nearest);
  // What lies in something else is not said to be near.
  if (!is_own && nearest.bytes != 0 && !find_mapping(pointer).access.empty()) return {};
  return variable.empty() ? text : variable;
}

}  // namespace warploom
