// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if !defined(__x86_64__)
#include <sys/auxv.h>
#endif

#include <array>
#include <cstdlib>
#include <string_view>

#include "registry.h"
#include "report.h"

namespace warploom {
namespace {

#if defined(__x86_64__)
// The level that WARPLOOM_MAX_CPU allows at most: 1 to 4, of x86-64 to x86-64-v4.
unsigned allowed_level() {
  constexpr std::array<std::string_view, 4> levels = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
  static const unsigned result = [&] {
    const char *const text = std::getenv("WARPLOOM_MAX_CPU");
    if (text == nullptr || *text == '\0') return 4U;
    for (unsigned i = 0; i < levels.size(); ++i) {
      if (levels[i] == text) return i + 1;
    }
    write_error(std::string("WARPLOOM_MAX_CPU=") + text +
                " ignored: expected x86-64, x86-64-v2, x86-64-v3 or x86-64-v4");
    return 4U;
  }();
  return result;
}

// The first level that has the feature, or would, were it in one.
unsigned level_of(std::string_view feature) {
  for (const std::string_view name : {"sse3", "ssse3", "sse4.1", "sse4.2", "popcnt"}) {
    if (feature == name) return 2;
  }
  return feature.starts_with("avx512") ? 4 : 3;
}

// The names that LLVM and the compiler's run-time check share and that a compiler may use unasked.
bool is_missing(std::string_view feature) {
  if (level_of(feature) > allowed_level()) return true;
#define WARPLOOM_CHECK(name) \
  if (feature == name) return !__builtin_cpu_supports(name);
  WARPLOOM_CHECK("sse3")
  WARPLOOM_CHECK("ssse3")
  WARPLOOM_CHECK("sse4.1")
  WARPLOOM_CHECK("sse4.2")
  WARPLOOM_CHECK("popcnt")
  WARPLOOM_CHECK("avx")
  WARPLOOM_CHECK("avx2")
  WARPLOOM_CHECK("fma")
  WARPLOOM_CHECK("bmi")
  WARPLOOM_CHECK("bmi2")
  WARPLOOM_CHECK("f16c")
  WARPLOOM_CHECK("lzcnt")
  WARPLOOM_CHECK("movbe")
  WARPLOOM_CHECK("gfni")
  WARPLOOM_CHECK("aes")
  WARPLOOM_CHECK("pclmul")
  WARPLOOM_CHECK("vaes")
  WARPLOOM_CHECK("vpclmulqdq")
  WARPLOOM_CHECK("avx512f")
  WARPLOOM_CHECK("avx512cd")
  WARPLOOM_CHECK("avx512bw")
  WARPLOOM_CHECK("avx512dq")
  WARPLOOM_CHECK("avx512vl")
  WARPLOOM_CHECK("avx512ifma")
  WARPLOOM_CHECK("avx512vbmi")
  WARPLOOM_CHECK("avx512vbmi2")
  WARPLOOM_CHECK("avxvnni")
  WARPLOOM_CHECK("avx512vnni")
  WARPLOOM_CHECK("avx512bitalg")
  WARPLOOM_CHECK("avx512vpopcntdq")
  WARPLOOM_CHECK("avx512bf16")
  WARPLOOM_CHECK("avx512fp16")
#undef WARPLOOM_CHECK
  return false;
}
#else
// What `--cpu` can ask for besides the base of the architecture, as bits of AT_HWCAP.
bool is_missing(std::string_view feature) {
#if defined(__aarch64__)
  constexpr unsigned long kAtomics = 1UL << 8;
  constexpr unsigned long kDotProducts = 1UL << 20;
  if (feature == "dotprod") return (getauxval(AT_HWCAP) & kDotProducts) == 0;
  if (feature == "lse") return (getauxval(AT_HWCAP) & kAtomics) == 0;
#elif defined(__riscv)
  constexpr unsigned long kVectors = 1UL << ('v' - 'a');
  if (feature == "v") return (getauxval(AT_HWCAP) & kVectors) == 0;
#endif
  return false;
}
#endif

}  // namespace

std::string missing_cpu_features(const char *features) {
  std::string missing;
  std::string_view rest = features == nullptr ? "" : features;
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(item.size() < rest.size() ? item.size() + 1 : item.size());
    if (item.empty() || item.front() != '+' || !is_missing(item.substr(1))) continue;
    if (!missing.empty()) missing += ' ';
    missing += item.substr(1);
  }
  return missing;
}

}  // namespace warploom
