// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of code become lines, functions and objects; what has none says so.
#include "../../src/warploom/runtime/code_place.h"

#include <cstdlib>
#include <cstring>
#include <string>

#include "../../src/warploom/runtime/line_table.h"
#include "check.h"

using namespace warploom;

namespace {

struct Here {
  const void *address;
  unsigned line;
};

__attribute__((noinline)) const void *caller() { return __builtin_return_address(0); }

__attribute__((noinline)) Here here() {
  const void *const address = caller();
  asm volatile("");
  return {address, __LINE__ - 2};
}

void put(std::string &bytes, std::initializer_list<int> values) {
  for (const int value : values) bytes += static_cast<char>(value);
}

// A line table of version 2 with one file: rows at 0x1000 (line 7), 0x1004 (line 0), 0x1008 (line 9), end 0x1010.
std::string small_table() {
  std::string header, program, unit;
  put(header, {1, 1, 0, 10, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1});  // lengths, line base 0, range 10, opcodes below 10
  put(header, {'d', 0, 0, 'f', '.', 'c', 'u', 0, 1, 0, 0, 0});
  put(program, {0, 9, 2, 0x00, 0x10, 0, 0, 0, 0, 0, 0, 3, 6, 1});  // address 0x1000, line 7, row
  put(program, {2, 4, 3, 0x79, 1, 2, 4, 3, 9, 1});                 // +4, line 0, row; +4, line 9, row
  put(program, {2, 8, 0, 1, 1});                                   // +8, end
  put(unit, {2, 0, static_cast<int>(header.size()), 0, 0, 0});
  unit += header + program;
  std::string table;
  put(table, {static_cast<int>(unit.size()), 0, 0, 0});
  return table + unit;
}

void damaged_tables_give_nothing_or_a_line() {
  const std::string whole = small_table();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    for (const int value : {0, 1, 0x7f, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[size] = static_cast<char>(value);
      static_cast<void>(find_line({damaged, {}, {}}, 0x1004));
    }
    CHECK(find_line({std::string_view(whole).substr(0, size), {}, {}}, 0x100c).file.empty());
  }
}

}  // namespace

int main() {
  test("the line of a call", [] {
    const Here place = here();
    const CodePlace found = find_call(place.address);
    CHECK(found.line.file.ends_with("code_places.cpp"));
    CHECK(found.line.line == place.line);
    CHECK(found.function.ends_with("here()"));
    CHECK(describe(found).starts_with("at "));
  });
  test("a function of a library without lines", [] {
    const CodePlace found = find_place(reinterpret_cast<const void *>(&std::qsort));
    CHECK(found.line.file.empty());
    CHECK(describe(found).starts_with("in "));
  });
  test("an address that is no code", [] {
    const int local = 0;
    CHECK(describe(find_place(&local)).empty());
    CHECK(describe(find_place(nullptr)).empty());
    CHECK(describe(find_call(nullptr)).empty());
  });
  test("rows of a table", [] {
    const std::string table = small_table();
    const LineSections sections{table, {}, {}};
    CHECK(find_line(sections, 0x1003).file == std::string("d/f.cu"));
    CHECK(find_line(sections, 0x1003).line == 7U);
    CHECK(find_line(sections, 0x1004).is_near);
    CHECK(find_line(sections, 0x1004).line == 7U);
    CHECK(find_line(sections, 0x100f).line == 9U);
    CHECK(find_line(sections, 0x1010).file.empty());
    CHECK(find_line(sections, 0xfff).file.empty());
  });
  test("damaged tables", damaged_tables_give_nothing_or_a_line);
  return finish();
}
