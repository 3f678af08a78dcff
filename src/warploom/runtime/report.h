// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages about what went wrong in device code.
#pragma once

#include <cstdint>
#include <string>

#include "block.h"
#include "fault.h"

namespace warploom {

// Writes "warploom: MESSAGE" and a newline to stderr in one piece.
void write_error(const std::string &message);

// "0x2a"
std::string hexadecimal(std::uint64_t value);
std::string kernel_name(const Kernel &kernel);
// "(x, y, z)"
std::string describe_position(const Extent &position);
// "kernel K, block (x, y, z)"
std::string describe_block(const Block &block);
// "kernel K, block (x, y, z), thread (x, y, z)"
std::string describe_thread(const Thread &thread);
// Groups the threads by what they wait for and where.
std::string describe_deadlock(const Block &block);
std::string describe_fault(const Thread &thread, const Fault &fault);

}  // namespace warploom
