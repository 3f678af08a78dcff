// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Eight 4-bit integers in a word, as two words of bytes that the dot products take.
#pragma once

#include "device_abi.h"

namespace warploom {
namespace nibbles {

// The even ones and the odd ones, 0 to 15.
__device__ __forceinline__ unsigned even(unsigned word) { return word & 0x0f0f0f0fu; }
__device__ __forceinline__ unsigned odd(unsigned word) { return word >> 4 & 0x0f0f0f0fu; }
// 0 to 15, bytes of 4-bit integers, to -8 to 7: those from 8 on get their sign's bits.
__device__ __forceinline__ unsigned extended(unsigned bytes) {
  const unsigned signs = bytes & 0x08080808u;
  return bytes | ((signs << 5) - (signs << 1));
}

}  // namespace nibbles
}  // namespace warploom
