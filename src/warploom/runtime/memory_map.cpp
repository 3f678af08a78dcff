// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory_map.h"

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace warploom {

Mapping find_mapping(const void *address) {
  std::FILE *const maps = std::fopen("/proc/self/maps", "r");
  if (maps == nullptr) return {};
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  Mapping found;
  char line[4400];
  while (found.access.empty() && std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin = 0, end = 0;
    char access[8] = "", path[4200] = "";
    if (std::sscanf(line, "%lx-%lx %7s %*s %*s %*s %4199[^\n]", &begin, &end, access, path) < 3) continue;
    if (wanted < begin || wanted >= end) continue;
    const char *const name = std::strrchr(path, '/');
    found = {access, name != nullptr ? name + 1 : path, begin, end};
  }
  std::fclose(maps);
  return found;
}

}  // namespace warploom
