// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the program's source calls a place in its code, for messages.
#pragma once

#include <string>

#include "line_table.h"

namespace warploom {

// What the memory that holds a module's code is called.
inline constexpr char kModuleName[] = "warploom-module";

struct CodePlace {
  SourceLine line;
  std::string function;  // demangled; empty: not known
  std::string object;    // the file name of the program or library; empty: the address is in none
  unsigned long offset_in_object = 0;
};

// The place of the instruction at `address`. Reads the program's file: not for code that should be fast.
CodePlace find_place(const void *address);
// That of the call that returns to `address`.
CodePlace find_call(const void *return_address);

// "at main.cu:12", "in main (app+0x1230)" where no line is known, "in app+0x1230" where no function is; empty for
// nothing.
std::string describe(const CodePlace &place);

}  // namespace warploom
