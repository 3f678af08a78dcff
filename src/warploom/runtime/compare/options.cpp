// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.h"

#include <cstdlib>
#include <string>
#include <string_view>

#include "../report.h"

namespace warploom {
namespace {

// The number behind `name=`; 0 when the word is another one, or has no number above 0.
double number(std::string_view word, std::string_view name) {
  if (word.substr(0, name.size()) != name || word.substr(name.size(), 1) != "=") return 0;
  const std::string text(word.substr(name.size() + 1));
  char *end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return *end == '\0' && value > 0 ? value : 0;
}

bool take(CompareOptions &options, std::string_view word) {
  if (word == "1" || word == "close") return true;
  if (word == "exact") return options.exact = true;
  if (const double ulps = number(word, "ulps"); ulps > 0) return options.ulps = ulps, true;
  if (const double seconds = number(word, "seconds"); seconds > 0) return options.seconds = seconds, true;
  if (const double launches = number(word, "launches"); launches >= 1) {
    options.launches = static_cast<std::uint64_t>(launches);
    return true;
  }
  return false;
}

CompareOptions read_options() {
  CompareOptions options;
  const char *const set = std::getenv("WARPLOOM_COMPARE");
  std::string_view text = set == nullptr ? "" : set;
  if (text.empty() || text == "0") return options;
  options.is_on = true;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find(','), text.size());
    const std::string_view word = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    if (!take(options, word)) {
      write_error("WARPLOOM_COMPARE: '" + std::string(word) +
                  "' is ignored; known are 1, close, exact, ulps=N, seconds=N, launches=N");
    }
  }
  return options;
}

}  // namespace

const CompareOptions &compare_options() {
  static const CompareOptions options = read_options();
  return options;
}

}  // namespace warploom
