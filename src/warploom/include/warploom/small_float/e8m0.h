// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scale factors of 8 bits: e8m0, the powers of two from 2^-127 (0) to 2^127 (254); 255 is NaN. There is no zero and no
// sign: a magnitude below 2^-127 becomes 2^-127. Included by cuda_fp8.h.
#pragma once

#include "../../device_types.h"

// Rounds towards zero, or up for every other mode asked for; too large is 2^127 or, without saturation, NaN.
__WARPLOOM_HOST_DEVICE __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double value, __nv_saturation_t saturation,
                                                                  cudaRoundMode rounding) {
  if (value != value) return 0xff;
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, value) & 0x7fffffffffffffffULL;
  const bool exact = (bits & 0xfffffffffffffULL) == 0;
  long long power = static_cast<long long>(bits >> 52) - 1023 + 127;
  if (bits == 0x7ff0000000000000ULL) return saturation == __NV_SATFINITE ? 0xfe : 0xff;
  if (rounding != cudaRoundZero && !exact) power += 1;
  if (power < 0) return 0;
  if (power > 0xfe) return saturation == __NV_SATFINITE ? 0xfe : 0xff;
  return static_cast<__nv_fp8_storage_t>(power);
}
__WARPLOOM_HOST_DEVICE __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float value, __nv_saturation_t saturation,
                                                                 cudaRoundMode rounding) {
  return __nv_cvt_double_to_e8m0(value, saturation, rounding);
}
__WARPLOOM_HOST_DEVICE __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw value,
                                                                       __nv_saturation_t saturation,
                                                                       cudaRoundMode rounding) {
  return __nv_cvt_double_to_e8m0(__bfloat162float(value), saturation, rounding);
}
__WARPLOOM_HOST_DEVICE __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t byte) {
  if (byte == 0xff) return __nv_bfloat16_raw{0x7fff};
  return __nv_bfloat16_raw{static_cast<unsigned short>(byte == 0 ? 0x40 : byte << 7)};  // 2^-127 is subnormal
}

struct __nv_fp8_e8m0 {
  __nv_fp8_storage_t __x;
  __nv_fp8_e8m0() = default;
  __host__ __device__ explicit __nv_fp8_e8m0(double v)
      : __x(__nv_cvt_double_to_e8m0(v, __NV_SATFINITE, cudaRoundPosInf)) {}
  __host__ __device__ explicit __nv_fp8_e8m0(float v)
      : __x(__nv_cvt_float_to_e8m0(v, __NV_SATFINITE, cudaRoundPosInf)) {}
  __host__ __device__ explicit __nv_fp8_e8m0(__half v) : __nv_fp8_e8m0(__half2float(v)) {}
  __host__ __device__ explicit __nv_fp8_e8m0(__nv_bfloat16 v) : __nv_fp8_e8m0(__bfloat162float(v)) {}
  __host__ __device__ explicit operator __nv_bfloat16() const { return __nv_cvt_e8m0_to_bf16raw(__x); }
  __host__ __device__ explicit operator float() const { return __bfloat162float(__nv_cvt_e8m0_to_bf16raw(__x)); }
  __host__ __device__ explicit operator double() const { return static_cast<float>(*this); }
};
