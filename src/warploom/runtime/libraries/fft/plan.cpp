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

}  // namespace

template <>
std::unique_ptr<Transform> plan<float>(const Shape &shape) {
#ifdef __x86_64__
  if (level() == Level::kV4) return v4::plan_float(shape);
  if (level() == Level::kV3) return v3::plan_float(shape);
#endif
  return basic::plan_float(shape);
}

template <>
std::unique_ptr<Transform> plan<double>(const Shape &shape) {
#ifdef __x86_64__
  if (level() == Level::kV4) return v4::plan_double(shape);
  if (level() == Level::kV3) return v3::plan_double(shape);
#endif
  return basic::plan_double(shape);
}

}  // namespace warploom::fft
