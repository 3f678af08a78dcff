// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / the host processor's intrinsics in host code
#include "check.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <arm_neon.h>
#endif

__global__ void twice(float *values) { values[threadIdx.x] *= 2.0f; }

// The sum of four values, and what waiting loops of the host do.
static float sum_of_four(const float *values) {
  float parts[4];
#if defined(__x86_64__)
  _mm_storeu_ps(parts, _mm_add_ps(_mm_loadu_ps(values), _mm_setzero_ps()));
  _mm_clflush(values);
  _mm_prefetch(reinterpret_cast<const char *>(values), _MM_HINT_T0);
  _mm_setcsr(_mm_getcsr());
  _mm_sfence();
  _mm_lfence();
  _mm_mfence();
  _mm_pause();
#elif defined(__aarch64__)
  vst1q_f32(parts, vld1q_f32(values));
  __yield();
#else
  for (int i = 0; i < 4; ++i) parts[i] = values[i];
#endif
  return parts[0] + parts[1] + parts[2] + parts[3];
}

int main() {
  float *values = upload(std::vector<float>{1, 2, 3, 4});
  twice<<<1, 4>>>(values);
  report("sum", 20, static_cast<int>(sum_of_four(download(values, 4).data())));
  return 0;
}
