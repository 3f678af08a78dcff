// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels in Python are written with: arrays with extents, and numbers as Python has them.
#include <limits.h>

namespace warploom_jit {

using Int = long long;

template <class T, int N>
struct Rows {
  T *data;
  Int shape[N];
  template <class... Indices>
  __device__ T &operator()(Int first, Indices... rest) const {
    Int place = first;
    int axis = 0;
    ((place = place * shape[++axis] + Int(rest)), ...);
    return data[place];
  }
  __device__ Rows<T, (N > 1 ? N - 1 : 1)> row(Int index) const {
    Rows<T, (N > 1 ? N - 1 : 1)> made = {data, {}};
    Int size = 1;
    for (int axis = 1; axis < N; ++axis) size *= made.shape[axis - 1] = shape[axis];
    made.data += index * size;
    return made;
  }
  __device__ Int size() const {
    Int count = 1;
    for (int axis = 0; axis < N; ++axis) count *= shape[axis];
    return count;
  }
};

template <class T, int N>
struct Strided {
  T *data;
  Int shape[N], strides[N];  // in bytes
  template <class... Indices>
  __device__ T &operator()(Indices... indices) const {
    Int place = 0;
    int axis = 0;
    ((place += Int(indices) * strides[axis++]), ...);
    return *(T *)((char *)data + place);
  }
  __device__ Strided<T, (N > 1 ? N - 1 : 1)> row(Int index) const {
    Strided<T, (N > 1 ? N - 1 : 1)> made = {(T *)((char *)data + index * strides[0]), {}, {}};
    for (int axis = 1; axis < N; ++axis) {
      made.shape[axis - 1] = shape[axis];
      made.strides[axis - 1] = strides[axis];
    }
    return made;
  }
  __device__ Int size() const {
    Int count = 1;
    for (int axis = 0; axis < N; ++axis) count *= shape[axis];
    return count;
  }
};

template <class... Members>
struct Tuple {};
template <class Only>
struct Tuple<Only> {
  Only f0;
};
template <class A, class B>
struct Tuple<A, B> {
  A f0;
  B f1;
};
template <class A, class B, class C>
struct Tuple<A, B, C> {
  A f0;
  B f1;
  C f2;
};
template <class A, class B, class C, class D>
struct Tuple<A, B, C, D> {
  A f0;
  B f1;
  C f2;
  D f3;
};

// An index that may count from the end.
__device__ inline Int from_end(Int index, Int extent) { return index < 0 ? index + extent : index; }

// Towards minus infinity, and the remainder with the divisor's sign; dividing by zero is what the device does.
template <class T>
__device__ T floor_divide(T a, T b) {
  const T quotient = a / b;
  if constexpr (T(-1) < T(0)) return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
  return quotient;
}
template <class T>
__device__ T modulo(T a, T b) {
  const T rest = a % b;
  if constexpr (T(-1) < T(0)) return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  return rest;
}
__device__ inline double modulo(double a, double b) {
  const double rest = fmod(a, b);
  return rest == 0 ? copysign(0.0, b) : (rest < 0) != (b < 0) ? rest + b : rest;
}
__device__ inline float modulo(float a, float b) {
  const float rest = fmodf(a, b);
  return rest == 0 ? copysignf(0.0f, b) : (rest < 0) != (b < 0) ? rest + b : rest;
}
// As Python's: the floor of the exact quotient, which is a - a % b divided by b.
__device__ inline double floor_divide(double a, double b) {
  if (b == 0) return a / b;
  const double quotient = (a - fmod(a, b)) / b, rest = fmod(a, b);
  const double exact = rest != 0 && (rest < 0) != (b < 0) ? quotient - 1 : quotient;
  const double low = floor(exact);
  return exact == 0 ? copysign(0.0, a / b) : exact - low > 0.5 ? low + 1 : low;
}
__device__ inline float floor_divide(float a, float b) { return float(floor_divide(double(a), double(b))); }

// A shift by as many bits as there are, or more, gives nothing, or the sign.
template <class T>
__device__ T shift_left(T a, T b) {
  return b < 0 || b >= 64 ? 0 : T((unsigned long long)a << b);
}
template <class T>
__device__ T shift_right(T a, T b) {
  return a >> (b < 0 || b >= 64 ? 63 : b);
}

template <class T, class E>
__device__ T power(T base, E exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == T(-1) ? (exponent % 2 == 0 ? 1 : T(-1)) : 0;
  T result = 1;
  for (unsigned long long left = exponent; left != 0; left >>= 1) {
    if (left & 1) result *= base;
    base *= base;
  }
  return result;
}
__device__ inline double float_power(double base, Int exponent) { return pow(base, double(exponent)); }
__device__ inline float float_power(float base, Int exponent) { return powf(base, float(exponent)); }

// To the nearest, of two the even one.
__device__ inline Int round_even(double x) { return Int(rint(x)); }

template <class T>
__device__ T smaller(T a, T b) {
  return b < a ? b : a;
}
template <class T>
__device__ T larger(T a, T b) {
  return b > a ? b : a;
}

// By compare and swap of the bits: `chosen` is what the place is to hold.
template <class Bits, class T, class Choose>
__device__ T exchange_by(T *at, Choose chosen) {
  static_assert(sizeof(Bits) == sizeof(T));
  Bits seen = *(volatile Bits *)at;
  for (;;) {
    T value;
    __builtin_memcpy(&value, &seen, sizeof value);
    const T wanted = chosen(value);
    Bits bits;
    __builtin_memcpy(&bits, &wanted, sizeof bits);
    const Bits found = atomicCAS((Bits *)at, seen, bits);
    if (found == seen) return value;
    seen = found;
  }
}
template <class T>
struct Chosen {
  using Bits = unsigned int;
};
template <>
struct Chosen<double> {
  using Bits = unsigned long long;
};
template <>
struct Chosen<Int> {
  using Bits = unsigned long long;
};
template <>
struct Chosen<unsigned long long> {
  using Bits = unsigned long long;
};
template <class T>
inline constexpr bool is_whole = T(0.5) == T(0);
// CUDA's own operations are for numbers without a sign where they are of 64 bits and the sign does not matter.
template <class T>
__device__ auto as_bits(T *at) {
  return (typename Chosen<T>::Bits *)at;
}

template <class T>
__device__ T atomic_add(T *at, T value) {
  if constexpr (is_whole<T>)
    return T(atomicAdd(as_bits(at), (typename Chosen<T>::Bits)value));
  else
    return atomicAdd(at, value);
}
template <class T>
__device__ T atomic_subtract(T *at, T value) {
  return atomic_add<T>(at, T(-value));
}
template <class T>
__device__ T atomic_max(T *at, T value) {
  if constexpr (is_whole<T>) return atomicMax(at, value);
  return exchange_by<typename Chosen<T>::Bits>(at, [=](T old) { return old > value || value != value ? old : value; });
}
template <class T>
__device__ T atomic_min(T *at, T value) {
  if constexpr (is_whole<T>) return atomicMin(at, value);
  return exchange_by<typename Chosen<T>::Bits>(at, [=](T old) { return old < value || value != value ? old : value; });
}
template <class T>
__device__ T atomic_exchange(T *at, T value) {
  if constexpr (is_whole<T>) return T(atomicExch(as_bits(at), (typename Chosen<T>::Bits)value));
  return exchange_by<typename Chosen<T>::Bits>(at, [=](T) { return value; });
}
template <class T>
__device__ T atomic_compare(T *at, T expected, T value) {
  using Bits = typename Chosen<T>::Bits;
  if constexpr (is_whole<T>) return T(atomicCAS(as_bits(at), (Bits)expected, (Bits)value));
  return exchange_by<Bits>(at, [=](T old) { return old == expected ? value : old; });
}
template <class T>
__device__ T atomic_and(T *at, T value) {
  return T(atomicAnd(as_bits(at), (typename Chosen<T>::Bits)value));
}
template <class T>
__device__ T atomic_or(T *at, T value) {
  return T(atomicOr(as_bits(at), (typename Chosen<T>::Bits)value));
}
template <class T>
__device__ T atomic_xor(T *at, T value) {
  return T(atomicXor(as_bits(at), (typename Chosen<T>::Bits)value));
}

}  // namespace warploom_jit

using namespace warploom_jit;
