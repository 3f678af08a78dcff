// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the system has at an address.
#pragma once

#include <string>

namespace warploom {

struct Mapping {
  std::string access;  // "rw-p"; empty: there is nothing
  std::string file;    // its name without folders, "[heap]", or empty
};

// Reads /proc/self/maps.
Mapping find_mapping(const void *address);

}  // namespace warploom
