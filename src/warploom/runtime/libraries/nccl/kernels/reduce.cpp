// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of elements are combined beside each other: the block stays in the nearest cache.
#include "../reduce.h"

#include "../../common/small_numbers.h"

namespace warploom::nccl::WARPLOOM_LEVEL {
namespace {

using namespace warploom::libraries::WARPLOOM_LEVEL;
using Size = std::uint64_t;

constexpr Size kBlock = 1024;

// How elements are stored, and what they are combined as.
template <class T>
struct Plain {
  using Stored = T;
  using Value = T;
  static Value load(Stored x) { return x; }
  static Stored store(Value x) { return x; }
  static Value factor(std::uint64_t bits) {
    Value value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
  }
};
template <class T, float (*Widen)(T), T (*Narrow)(float)>
struct Small {
  using Stored = T;
  using Value = float;
  static Value load(Stored x) { return Widen(x); }
  static Stored store(Value x) { return Narrow(x); }
  static Value factor(std::uint64_t bits) { return Widen(static_cast<T>(bits)); }
};

inline float widen_bfloat(std::uint16_t x) { return float_of(Bits{x} << 16); }
inline float widen_e5m2(std::uint8_t x) { return widen_half(static_cast<std::uint16_t>(x << 8)); }
inline std::uint8_t narrow_e4m3(float x) { return narrow_byte<3, 7>(x, 0x7e, 0x7f); }
inline std::uint8_t narrow_e5m2(float x) { return narrow_byte<2, 15>(x, 0x7b, 0x7f); }

// Signed sums and products wrap around.
template <class T>
struct Unsigned {
  using Type = T;
};
template <>
struct Unsigned<std::int8_t> {
  using Type = std::uint8_t;
};
template <>
struct Unsigned<std::int32_t> {
  using Type = std::uint32_t;
};
template <>
struct Unsigned<std::int64_t> {
  using Type = std::uint64_t;
};

template <Combine kCombine, class V>
inline V combined(V a, V b) {
  using U = typename Unsigned<V>::Type;
  if constexpr (kCombine == Combine::kSum) {
    return static_cast<V>(static_cast<U>(a) + static_cast<U>(b));
  } else if constexpr (kCombine == Combine::kProduct) {
    return static_cast<V>(static_cast<U>(a) * static_cast<U>(b));
  } else if constexpr (kCombine == Combine::kMax) {
    return a > b || b != b ? a : b;
  } else {
    return a < b || b != b ? a : b;
  }
}

template <class V>
inline V scaled(V x, V factor) {
  return combined<Combine::kProduct>(x, factor);
}

template <class E, Combine kCombine>
void combine_block(const Reduction &work, Size first, Size n, typename E::Stored *out) {
  using Value = typename E::Value;
  using Stored = typename E::Stored;
  Value block[kBlock];
  for (unsigned r = 0; r < work.count; ++r) {
    const Stored *const from = static_cast<const Stored *>(work.inputs[r]) + first;
    if (work.scales != nullptr) {
      const Value factor = E::factor(work.scales[r]);
      if (r == 0) {
        for (Size i = 0; i < n; ++i) block[i] = scaled(E::load(from[i]), factor);
      } else {
        for (Size i = 0; i < n; ++i) block[i] = combined<kCombine>(block[i], scaled(E::load(from[i]), factor));
      }
    } else if (r == 0) {
      for (Size i = 0; i < n; ++i) block[i] = E::load(from[i]);
    } else {
      for (Size i = 0; i < n; ++i) block[i] = combined<kCombine>(block[i], E::load(from[i]));
    }
  }
  if (work.divisor != 1) {
    const auto divisor = static_cast<Value>(work.divisor);
    for (Size i = 0; i < n; ++i) block[i] = static_cast<Value>(block[i] / divisor);
  }
  for (Size i = 0; i < n; ++i) out[first + i] = E::store(block[i]);
}

// Nothing but two inputs and no conversion: no block in between.
template <class T, Combine kCombine>
void combine_two(const Reduction &work, Size n, T *out) {
  const T *const a = static_cast<const T *>(work.inputs[0]);
  const T *const b = static_cast<const T *>(work.inputs[1]);
#pragma clang loop vectorize(assume_safety)
  for (Size i = 0; i < n; ++i) out[i] = combined<kCombine>(a[i], b[i]);
}

template <class E, Combine kCombine>
void combine_all(const Reduction &work, Size n, void *to) {
  auto *const out = static_cast<typename E::Stored *>(to);
  if constexpr (__is_same(typename E::Stored, typename E::Value)) {
    if (work.count == 2 && work.scales == nullptr && work.divisor == 1) {
      return combine_two<typename E::Value, kCombine>(work, n, out);
    }
  }
  for (Size first = 0; first < n; first += kBlock) {
    combine_block<E, kCombine>(work, first, n - first < kBlock ? n - first : kBlock, out);
  }
}

template <class E>
void combine_elements(const Reduction &work, Size n, void *out) {
  switch (work.combine) {
    case Combine::kSum:
      return combine_all<E, Combine::kSum>(work, n, out);
    case Combine::kProduct:
      return combine_all<E, Combine::kProduct>(work, n, out);
    case Combine::kMax:
      return combine_all<E, Combine::kMax>(work, n, out);
    case Combine::kMin:
      return combine_all<E, Combine::kMin>(work, n, out);
  }
}

}  // namespace

ReduceFunction reduce;
void reduce(const Reduction &work, Size n, void *out) {
  switch (work.type) {
    case Type::kInt8:
      return combine_elements<Plain<std::int8_t>>(work, n, out);
    case Type::kUint8:
      return combine_elements<Plain<std::uint8_t>>(work, n, out);
    case Type::kInt32:
      return combine_elements<Plain<std::int32_t>>(work, n, out);
    case Type::kUint32:
      return combine_elements<Plain<std::uint32_t>>(work, n, out);
    case Type::kInt64:
      return combine_elements<Plain<std::int64_t>>(work, n, out);
    case Type::kUint64:
      return combine_elements<Plain<std::uint64_t>>(work, n, out);
    case Type::kHalf:
      return combine_elements<Small<std::uint16_t, widen_half, narrow_half>>(work, n, out);
    case Type::kFloat:
      return combine_elements<Plain<float>>(work, n, out);
    case Type::kDouble:
      return combine_elements<Plain<double>>(work, n, out);
    case Type::kBfloat:
      return combine_elements<Small<std::uint16_t, widen_bfloat, narrow_bfloat>>(work, n, out);
    case Type::kE4m3:
      return combine_elements<Small<std::uint8_t, widen_e4m3, narrow_e4m3>>(work, n, out);
    case Type::kE5m2:
      return combine_elements<Small<std::uint8_t, widen_e5m2, narrow_e5m2>>(work, n, out);
  }
}

}  // namespace warploom::nccl::WARPLOOM_LEVEL
