// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small numbers to float, which is exact, and back, rounded to the nearest, ties to even.
#include "../../common/small_numbers.h"
#include "../kernels.h"

namespace warploom::blas::WARPLOOM_LEVEL {
namespace {

using Size = std::int64_t;
using namespace warploom::libraries::WARPLOOM_LEVEL;
template <class From, class Convert>
void widen_all(Size n, const void *from, Size step, float *to, const Convert &convert) {
  const From *const source = static_cast<const From *>(from);
  if (step == 1) {
    for (Size i = 0; i < n; ++i) to[i] = convert(source[i]);
  } else {
    for (Size i = 0; i < n; ++i) to[i] = convert(source[i * step]);
  }
}

void widen(Small type, Size n, const void *from, Size step, float *to) {
  switch (type) {
    case Small::kHalf:
      return widen_all<std::uint16_t>(n, from, step, to, [](std::uint16_t x) { return widen_half(x); });
    case Small::kBfloat:
      return widen_all<std::uint16_t>(n, from, step, to, [](std::uint16_t x) { return float_of(Bits{x} << 16); });
    case Small::kE4m3:
      return widen_all<std::uint8_t>(n, from, step, to, [](std::uint8_t x) { return widen_e4m3(x); });
    case Small::kE5m2:
      return widen_all<std::uint8_t>(n, from, step, to,
                                     [](std::uint8_t x) { return widen_half(static_cast<std::uint16_t>(x << 8)); });
    case Small::kSigned:
      return widen_all<std::int8_t>(n, from, step, to, [](std::int8_t x) { return static_cast<float>(x); });
  }
}

template <class To, class Convert>
void narrow_all(Size n, const float *from, void *to, const Convert &convert) {
  To *const target = static_cast<To *>(to);
  for (Size i = 0; i < n; ++i) target[i] = convert(from[i]);
}

void narrow(Small type, Size n, const float *from, void *to) {
  switch (type) {
    case Small::kHalf:
      return narrow_all<std::uint16_t>(n, from, to, [](float x) { return narrow_half(x); });
    case Small::kBfloat:
      return narrow_all<std::uint16_t>(n, from, to, [](float x) { return narrow_bfloat(x); });
    case Small::kE4m3:
      return narrow_all<std::uint8_t>(n, from, to, [](float x) { return narrow_byte<3, 7>(x, 0x7e, 0x7f); });
    case Small::kE5m2:
      return narrow_all<std::uint8_t>(n, from, to, [](float x) { return narrow_byte<2, 15>(x, 0x7b, 0x7f); });
    case Small::kSigned:
      return narrow_all<std::int8_t>(n, from, to, [](float x) {
        const float rounded = __builtin_rintf(x);
        return static_cast<std::int8_t>(rounded > 127 ? 127 : rounded < -128 ? -128 : rounded == rounded ? rounded : 0);
      });
  }
}

}  // namespace

extern const ConversionKernels kConversions;
const ConversionKernels kConversions = {widen, narrow};

}  // namespace warploom::blas::WARPLOOM_LEVEL
