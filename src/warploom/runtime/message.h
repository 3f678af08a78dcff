// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What messages are made of.
#pragma once

#include <cstdint>
#include <string>

namespace warploom {

// Writes "warploom: MESSAGE" and a newline to stderr in one piece.
void write_error(const std::string &message);

// "0x1230"; "1,048,576".
std::string hexadecimal(std::uint64_t value);
std::string with_commas(std::uint64_t value);

}  // namespace warploom
