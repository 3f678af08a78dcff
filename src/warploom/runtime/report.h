// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages about what went wrong in device code.
#pragma once

#include <cstdint>
#include <string>

#include "block.h"
#include "message.h"

namespace warploom {

std::string kernel_name(const Kernel &kernel);
// "(x, y, z)"
std::string describe_position(const Extent &position);
// "kernel K, block (x, y, z)"
std::string describe_block(const Block &block);
// "kernel K, block (x, y, z), thread (x, y, z)"
std::string describe_thread(const Thread &thread);
// Groups the threads by what they wait for and where.
std::string describe_deadlock(const Block &block);
// That there is no memory for `what`, and how a program needs less of what each OS thread has one of, or each block.
std::string no_memory_for_threads(const std::string &what);
std::string no_memory_for_blocks(const std::string &what);

}  // namespace warploom
