// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lies at an address, or next to it, in the words of the program: for messages about faults.
#pragma once

#include <string>

#include "allocation.h"

namespace warploom {

// "4,096 bytes of cudaMalloc at main.cu:12"
std::string describe(const Allocation &allocation);

// "is 4 bytes behind the 4,096 bytes of cudaMalloc at main.cu:12", "is 128 bytes into the ..., which cudaFree at
// main.cu:20 freed"; empty for an address that the API knows nothing about.
std::string describe_address(const void *address);

// The freed allocation that held an address last ("is 128 bytes into ..."); empty when none did.
std::string describe_freed_address(const void *address);

}  // namespace warploom
