// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the system has at an address.
#pragma once

#include <cstdint>
#include <string>

namespace warploom {

struct Mapping {
  std::string access;  // "rw-p"; empty: there is nothing
  std::string file;    // its name without folders, "[heap]", or empty
  std::uintptr_t begin = 0, end = 0;
};

// Reads /proc/self/maps.
Mapping find_mapping(const void *address);

}  // namespace warploom
