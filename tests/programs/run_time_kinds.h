// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers in memory of a type that only the launch knows.
#pragma once

enum Kind { kByte, kShort, kInt, kLong, kFloat, kDouble };

template <typename To>
__host__ __device__ To fetch(int kind, const char *at) {
  switch (kind) {
    case kByte:
      return To(*(const unsigned char *)at);
    case kShort:
      return To(*(const short *)at);
    case kInt:
      return To(*(const int *)at);
    case kLong:
      return To(*(const long long *)at);
    case kFloat:
      return To(*(const float *)at);
    default:
      return To(*(const double *)at);
  }
}

template <typename From>
__host__ __device__ void put(int kind, char *at, From value) {
  switch (kind) {
    case kByte:
      *(unsigned char *)at = (unsigned char)value;
      break;
    case kShort:
      *(short *)at = (short)value;
      break;
    case kInt:
      *(int *)at = (int)value;
      break;
    case kLong:
      *(long long *)at = (long long)value;
      break;
    case kFloat:
      *(float *)at = (float)value;
      break;
    default:
      *(double *)at = (double)value;
  }
}
