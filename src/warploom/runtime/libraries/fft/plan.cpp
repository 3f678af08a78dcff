// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which code a processor runs.
#include <cstdlib>
#include <cstring>

#include "levels.h"

namespace warploom::fft {

namespace {

enum class Level { kBasic, kV3, kV4 };

Level level() {
#ifdef __x86_64__
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return Level::kV4;
  if (__builtin_cpu_supports("x86-64-v3")) return Level::kV3;
#endif
  return Level::kBasic;
}

#ifdef __x86_64__
// Short rows, for which vectors of 64 bytes are too long: they would be filled from several rows, which takes longer
// than two passes over a row by vectors of 32. On a Zen 4 (of its family the one that has such vectors), which works on
// 64 bytes in two halves, so it does for the shortest, and for short axes of real floats, which fill sixteen lanes.
bool wants_short_vectors(const Shape &shape, bool is_double) {
  constexpr std::int64_t kShortest = 10, kShortReal = 256;
  static const bool has_halves = __builtin_cpu_is("amdfam19h");
  const std::int64_t n = shape.length[0];
  const bool are_rows =
      shape.kind == Kind::kComplex && shape.rank == 1 && shape.in.stride[0] == 1 && shape.out.stride[0] == 1;
  if (shape.kind != Kind::kComplex)
    return has_halves && !is_double && shape.rank > 1 && shape.length[shape.rank - 1] <= kShortReal;
  if (!are_rows) return false;
  return (has_halves && n <= kShortest) || (v3::takes_two_passes(n, is_double) && !v4::takes_two_passes(n, is_double));
}
#endif

}  // namespace

template <>
std::unique_ptr<Transform> plan<float>(const Shape &shape) {
#ifdef __x86_64__
  if (level() == Level::kV4 && !wants_short_vectors(shape, false)) return v4::plan_float(shape);
  if (level() != Level::kBasic) return v3::plan_float(shape);
#endif
  return basic::plan_float(shape);
}

template <>
std::unique_ptr<Transform> plan<double>(const Shape &shape) {
#ifdef __x86_64__
  if (level() == Level::kV4 && !wants_short_vectors(shape, true)) return v4::plan_double(shape);
  if (level() != Level::kBasic) return v3::plan_double(shape);
#endif
  return basic::plan_double(shape);
}

}  // namespace warploom::fft
