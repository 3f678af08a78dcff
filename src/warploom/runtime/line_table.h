// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an address to a line of the source: the line tables of DWARF 2 to 5 (section 6.2 of the standard), as compilers
// write them for -g and -lineinfo. Read without any tool, since the machine where a program fails may have none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warploom {

struct SourceLine {
  std::string file;  // empty: not known
  unsigned line = 0;
  bool is_near = false;  // the instruction itself is of no one line; the one before it is of this
};

struct LineSections {
  std::string_view lines, strings, line_strings;  // .debug_line, .debug_str, .debug_line_str
};

// The line of the instruction at `address`, as linked.
SourceLine find_line(const LineSections &sections, std::uint64_t address);

}  // namespace warploom
