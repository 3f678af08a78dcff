// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers that matrices are made of, and what sums of them are made in.
#pragma once

#include <library_types.h>

#include <cstdint>
#include <cstring>

namespace warploom::sparse {

template <class T>
struct Complex {
  T r, i;
  Complex() = default;
  constexpr Complex(T real, T imaginary = 0) : r(real), i(imaginary) {}
  friend Complex operator+(Complex a, Complex b) { return {a.r + b.r, a.i + b.i}; }
  friend Complex operator-(Complex a, Complex b) { return {a.r - b.r, a.i - b.i}; }
  friend Complex operator*(Complex a, Complex b) { return {a.r * b.r - a.i * b.i, a.r * b.i + a.i * b.r}; }
  friend Complex operator/(Complex a, Complex b) {
    const T scale = T(1) / (b.r * b.r + b.i * b.i);
    return {(a.r * b.r + a.i * b.i) * scale, (a.i * b.r - a.r * b.i) * scale};
  }
  Complex &operator+=(Complex b) { return *this = *this + b; }
  Complex &operator-=(Complex b) { return *this = *this - b; }
  friend bool operator==(Complex a, Complex b) { return a.r == b.r && a.i == b.i; }
};
struct Half {
  _Float16 value;
};
struct Bfloat16 {
  std::uint16_t bits;
};

// What values of a type are computed in, and how they get there and back.
template <class T>
struct Number {
  using Work = T;
  static T load(T value) { return value; }
  static T store(T value) { return value; }
};
template <>
struct Number<Half> {
  using Work = float;
  static float load(Half value) { return static_cast<float>(value.value); }
  static Half store(float value) { return {static_cast<_Float16>(value)}; }
};
template <>
struct Number<Bfloat16> {
  using Work = float;
  static float load(Bfloat16 value) {
    const std::uint32_t bits = std::uint32_t{value.bits} << 16;
    float result;
    std::memcpy(&result, &bits, sizeof result);
    return result;
  }
  static Bfloat16 store(float value) {  // to the nearest, ties to even
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    bits = value != value ? 0x7fff0000 : bits + 0x7fff + (bits >> 16 & 1);
    return {static_cast<std::uint16_t>(bits >> 16)};
  }
};
template <class T>
using Work = typename Number<T>::Work;
template <class T>
Work<T> load(const T &value) {
  return Number<T>::load(value);
}

template <class T>
T conjugate(T value) {
  return value;
}
template <class T>
Complex<T> conjugate(Complex<T> value) {
  return {value.r, -value.i};
}

template <class T>
struct Tag {
  using type = T;
};

// Calls visit(Tag<T>) for the type that values have; false: none of ours.
template <class Visit>
bool with_value_type(cudaDataType type, Visit visit) {
  switch (type) {
    case CUDA_R_32F:
      return visit(Tag<float>()), true;
    case CUDA_R_64F:
      return visit(Tag<double>()), true;
    case CUDA_C_32F:
      return visit(Tag<Complex<float>>()), true;
    case CUDA_C_64F:
      return visit(Tag<Complex<double>>()), true;
    case CUDA_R_16F:
      return visit(Tag<Half>()), true;
    case CUDA_R_16BF:
      return visit(Tag<Bfloat16>()), true;
    default:
      return false;
  }
}

inline bool is_value_type(cudaDataType type) {
  return with_value_type(type, [](auto) {});
}
// The type that values of a type are computed in.
inline cudaDataType work_type(cudaDataType type) {
  return type == CUDA_R_16F || type == CUDA_R_16BF ? CUDA_R_32F : type;
}

}  // namespace warploom::sparse
