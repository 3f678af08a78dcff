// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "message.h"

#include <cstdio>

namespace warploom {

void write_error(const std::string &message) {
  const std::string line = "warploom: " + message + '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

std::string hexadecimal(std::uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string with_commas(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t i = text.size(); i > 3;) text.insert(i -= 3, 1, ',');
  return text;
}

}  // namespace warploom
