// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a fault of device code says: the kernel, the block and the thread; the line; what lies at the address.
//
//     illegal address 0x7fa2f3a00000 in kernel scale(float*, int), block (8, 0, 0), thread (0, 0, 0)
//       reading at main.cu:6
//       the address is right behind the 4,096 bytes of cudaMalloc at main.cu:11
//       the kernel was launched at main.cu:12
#pragma once

#include <cstdint>
#include <string>

#include "block.h"
#include "fault.h"

namespace warploom {

// How much is known of code that runs whole blocks.
struct Whole {
  std::uint32_t merged = 1;    // blocks that run as the one that the thread belongs to
  bool names_threads = false;  // the thread has the position of the one that runs
};
std::string describe_fault(const Thread &thread, const Fault &fault, const Whole &whole = {});

// What the CUDA API knows of an address ("is 4 bytes behind ..."; empty: nothing). The engine itself knows no
// allocations.
using DescribeAddress = std::string (*)(const void *address);
void set_address_describer(DescribeAddress describe);

}  // namespace warploom
