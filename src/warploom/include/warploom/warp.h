// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warp collectives: votes, shuffles, matches and reductions, with masks and in the mask-less form of CUDA 8, whose
// mask is the set of lanes that stand at the call.
#pragma once

#include "device_abi.h"
#include "function_attributes.h"

#define __WARPLOOM_COLLECTIVE __WARPLOOM_DEVICE __attribute__((convergent))
#define __WARPLOOM_HERE __warploom_activemask(__file, __line)

__WARPLOOM_COLLECTIVE void __syncwarp(unsigned int mask = 0xffffffffu, __WARPLOOM_WHERE) {
  __warploom_syncwarp(mask, __file, __line);
}
__WARPLOOM_COLLECTIVE unsigned int __activemask(__WARPLOOM_WHERE) { return __WARPLOOM_HERE; }

__WARPLOOM_COLLECTIVE int __all_sync(unsigned int mask, int predicate, __WARPLOOM_WHERE) {
  return __warploom_all(mask, predicate, __file, __line);
}
__WARPLOOM_COLLECTIVE int __any_sync(unsigned int mask, int predicate, __WARPLOOM_WHERE) {
  return __warploom_any(mask, predicate, __file, __line);
}
__WARPLOOM_COLLECTIVE unsigned int __ballot_sync(unsigned int mask, int predicate, __WARPLOOM_WHERE) {
  return __warploom_ballot(mask, predicate, __file, __line);
}
__WARPLOOM_COLLECTIVE int __uni_sync(unsigned int mask, int predicate, __WARPLOOM_WHERE) {
  unsigned int __votes = __warploom_ballot(mask, predicate, __file, __line);
  return __votes == 0 || __warploom_all(mask, predicate, __file, __line);
}
__WARPLOOM_COLLECTIVE int __all(int predicate, __WARPLOOM_WHERE) {
  return __warploom_all(__WARPLOOM_HERE, predicate, __file, __line);
}
__WARPLOOM_COLLECTIVE int __any(int predicate, __WARPLOOM_WHERE) {
  return __warploom_any(__WARPLOOM_HERE, predicate, __file, __line);
}
__WARPLOOM_COLLECTIVE unsigned int __ballot(int predicate, __WARPLOOM_WHERE) {
  return __warploom_ballot(__WARPLOOM_HERE, predicate, __file, __line);
}

// A value of 4 or 8 bytes as the 64 bits in which it travels.
__WARPLOOM_DEVICE unsigned long long __warploom_to_bits(int v) { return (unsigned int)v; }
__WARPLOOM_DEVICE unsigned long long __warploom_to_bits(unsigned int v) { return v; }
__WARPLOOM_DEVICE unsigned long long __warploom_to_bits(long v) { return (unsigned long)v; }
__WARPLOOM_DEVICE unsigned long long __warploom_to_bits(unsigned long v) { return v; }
__WARPLOOM_DEVICE unsigned long long __warploom_to_bits(long long v) { return (unsigned long long)v; }
__WARPLOOM_DEVICE unsigned long long __warploom_to_bits(unsigned long long v) { return v; }
__WARPLOOM_DEVICE unsigned long long __warploom_to_bits(float v) { return __builtin_bit_cast(unsigned int, v); }
__WARPLOOM_DEVICE unsigned long long __warploom_to_bits(double v) { return __builtin_bit_cast(unsigned long long, v); }
template <class T>
__WARPLOOM_DEVICE T __warploom_from_bits(unsigned long long bits) {
  return (T)bits;
}
template <>
__WARPLOOM_DEVICE float __warploom_from_bits<float>(unsigned long long bits) {
  return __builtin_bit_cast(float, (unsigned int)bits);
}
template <>
__WARPLOOM_DEVICE double __warploom_from_bits<double>(unsigned long long bits) {
  return __builtin_bit_cast(double, bits);
}

#define __WARPLOOM_SHUFFLE(T, NAME, ABI, OPERAND)                                                                      \
  __WARPLOOM_COLLECTIVE T NAME##_sync(unsigned int mask, T value, OPERAND, int width = 32, __WARPLOOM_WHERE) {         \
    return __warploom_from_bits<T>(ABI(mask, __warploom_to_bits(value), __operand, width, __file, __line));            \
  }                                                                                                                    \
  __WARPLOOM_COLLECTIVE T NAME(T value, OPERAND, int width = 32, __WARPLOOM_WHERE) {                                   \
    return __warploom_from_bits<T>(ABI(__WARPLOOM_HERE, __warploom_to_bits(value), __operand, width, __file, __line)); \
  }
#define __WARPLOOM_MATCH(T)                                                                                           \
  __WARPLOOM_COLLECTIVE unsigned int __match_any_sync(unsigned int mask, T value, __WARPLOOM_WHERE) {                 \
    return __warploom_match_any(mask, __warploom_to_bits(value), __file, __line);                                     \
  }                                                                                                                   \
  __WARPLOOM_COLLECTIVE unsigned int __match_all_sync(unsigned int mask, T value, int *predicate, __WARPLOOM_WHERE) { \
    return __warploom_match_all(mask, __warploom_to_bits(value), predicate, __file, __line);                          \
  }
#define __WARPLOOM_FOR_TYPE(T)                                                     \
  __WARPLOOM_SHUFFLE(T, __shfl, __warploom_shfl_idx, int __operand)                \
  __WARPLOOM_SHUFFLE(T, __shfl_up, __warploom_shfl_up, unsigned int __operand)     \
  __WARPLOOM_SHUFFLE(T, __shfl_down, __warploom_shfl_down, unsigned int __operand) \
  __WARPLOOM_SHUFFLE(T, __shfl_xor, __warploom_shfl_xor, int __operand)            \
  __WARPLOOM_MATCH(T)

__WARPLOOM_FOR_TYPE(int)
__WARPLOOM_FOR_TYPE(unsigned int)
__WARPLOOM_FOR_TYPE(long)
__WARPLOOM_FOR_TYPE(unsigned long)
__WARPLOOM_FOR_TYPE(long long)
__WARPLOOM_FOR_TYPE(unsigned long long)
__WARPLOOM_FOR_TYPE(float)
__WARPLOOM_FOR_TYPE(double)

#undef __WARPLOOM_FOR_TYPE
#undef __WARPLOOM_MATCH
#undef __WARPLOOM_SHUFFLE

#define __WARPLOOM_REDUCE(T, NAME, ABI)                                        \
  __WARPLOOM_COLLECTIVE T NAME(unsigned int mask, T value, __WARPLOOM_WHERE) { \
    return (T)ABI(mask, value, __file, __line);                                \
  }
__WARPLOOM_REDUCE(int, __reduce_add_sync, __warploom_reduce_add)
__WARPLOOM_REDUCE(unsigned int, __reduce_add_sync, __warploom_reduce_add)
__WARPLOOM_REDUCE(int, __reduce_min_sync, __warploom_reduce_min_s)
__WARPLOOM_REDUCE(unsigned int, __reduce_min_sync, __warploom_reduce_min_u)
__WARPLOOM_REDUCE(int, __reduce_max_sync, __warploom_reduce_max_s)
__WARPLOOM_REDUCE(unsigned int, __reduce_max_sync, __warploom_reduce_max_u)
__WARPLOOM_REDUCE(unsigned int, __reduce_and_sync, __warploom_reduce_and)
__WARPLOOM_REDUCE(unsigned int, __reduce_or_sync, __warploom_reduce_or)
__WARPLOOM_REDUCE(unsigned int, __reduce_xor_sync, __warploom_reduce_xor)
#undef __WARPLOOM_REDUCE
#undef __WARPLOOM_HERE
#undef __WARPLOOM_COLLECTIVE
