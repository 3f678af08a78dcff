// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations of kernels in Python.
#pragma once
#include "arrays.cuh"

namespace warploom_jit {

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
  return exchange_by<typename Chosen<T>::Bits>(at, [=](T old) { return value > old ? value : old; });
}
template <class T>
__device__ T atomic_min(T *at, T value) {
  if constexpr (is_whole<T>) return atomicMin(at, value);
  return exchange_by<typename Chosen<T>::Bits>(at, [=](T old) { return value < old ? value : old; });
}
// What is not a number loses, in memory too.
template <class T>
__device__ T atomic_nanmax(T *at, T value) {
  if constexpr (is_whole<T>) return atomicMax(at, value);
  return exchange_by<typename Chosen<T>::Bits>(at, [=](T old) { return value > old || old != old ? value : old; });
}
template <class T>
__device__ T atomic_nanmin(T *at, T value) {
  if constexpr (is_whole<T>) return atomicMin(at, value);
  return exchange_by<typename Chosen<T>::Bits>(at, [=](T old) { return value < old || old != old ? value : old; });
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
// Up by one, to zero beyond `last`; down by one, to `last` from zero or beyond it.
template <class T>
__device__ T atomic_increment(T *at, T last) {
  return exchange_by<typename Chosen<T>::Bits>(at, [=](T old) { return old >= last ? T(0) : T(old + 1); });
}
template <class T>
__device__ T atomic_decrement(T *at, T last) {
  return exchange_by<typename Chosen<T>::Bits>(at, [=](T old) { return old == 0 || old > last ? last : T(old - 1); });
}

}  // namespace warploom_jit
