// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that lie a step apart, to float or double and back.
#include "gather.h"

namespace warploom::dnn::WARPLOOM_LEVEL {
namespace {

template <class T, class S>
void read_as(const void *from, Size step, Size count, T *to) {
  const S *const source = static_cast<const S *>(from);
  if (step == 0) {
    const T value = static_cast<T>(widen(*source));
    for (Size i = 0; i < count; ++i) to[i] = value;
  } else if (step == 1) {
    for (Size i = 0; i < count; ++i) to[i] = static_cast<T>(widen(source[i]));
  } else {
    for (Size i = 0; i < count; ++i) to[i] = static_cast<T>(widen(source[i * step]));
  }
}
template <class T, class S, class Narrowest>
void write_as(const T *from, void *to, Size step, Size count) {
  S *const target = static_cast<S *>(to);
  if (step == 1) {
    for (Size i = 0; i < count; ++i) narrow(static_cast<Narrowest>(from[i]), target[i]);
  } else {
    for (Size i = 0; i < count; ++i) narrow(static_cast<Narrowest>(from[i]), target[i * step]);
  }
}

template <class T>
void read(Kind kind, const void *from, Size step, Size count, T *to) {
  switch (kind) {
    case Kind::kFloat:
      return read_as<T, float>(from, step, count, to);
    case Kind::kDouble:
      return read_as<T, double>(from, step, count, to);
    case Kind::kHalf:
      return read_as<T, Half>(from, step, count, to);
    case Kind::kBfloat:
      return read_as<T, Bfloat>(from, step, count, to);
  }
}
template <class T>
void write(Kind kind, const T *from, void *to, Size step, Size count) {
  switch (kind) {
    case Kind::kFloat:
      return write_as<T, float, float>(from, to, step, count);
    case Kind::kDouble:
      return write_as<T, double, double>(from, to, step, count);
    case Kind::kHalf:
      return write_as<T, Half, float>(from, to, step, count);
    case Kind::kBfloat:
      return write_as<T, Bfloat, float>(from, to, step, count);
  }
}

}  // namespace

extern const LineKernels<float> kFloatLines;
extern const LineKernels<double> kDoubleLines;
const LineKernels<float> kFloatLines = {read<float>, write<float>};
const LineKernels<double> kDoubleLines = {read<double>, write<double>};

}  // namespace warploom::dnn::WARPLOOM_LEVEL
