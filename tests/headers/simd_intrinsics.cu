// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / SIMD-in-a-word intrinsics, exhaustive
// clang-format off: it never comes to rest on lists of macro calls
//
// SIMD-in-word intrinsics.
#include "checksum.h"

#define BOTH(F, name, ...) F(name##2, __VA_ARGS__) F(name##4, __VA_ARGS__)
#define UNARY(F) BOTH(F, __vabs, u32) BOTH(F, __vabsss, u32) BOTH(F, __vneg, u32) BOTH(F, __vnegss, u32)
#define PAIR(F, name) BOTH(F, name, u32, u32)
#define COMPARE(F, name) PAIR(F, __vcmp##name) PAIR(F, __vset##name)
#define BINARY(F)                                                                                                   \
  PAIR(F, __vadd)                                                                                                   \
  PAIR(F, __vsub)                                                                                                   \
  PAIR(F, __vaddss)                                                                                                 \
  PAIR(F, __vaddus) PAIR(F, __vsubss) PAIR(F, __vsubus) PAIR(F, __vavgs) PAIR(F, __vavgu) PAIR(F, __vhaddu)         \
      PAIR(F, __vmaxs) PAIR(F, __vmaxu) PAIR(F, __vmins) PAIR(F, __vminu) PAIR(F, __vabsdiffs) PAIR(F, __vabsdiffu) \
          PAIR(F, __vsads) PAIR(F, __vsadu) COMPARE(F, eq) COMPARE(F, ne) COMPARE(F, ges) COMPARE(F, geu)           \
              COMPARE(F, gts) COMPARE(F, gtu) COMPARE(F, les) COMPARE(F, leu) COMPARE(F, lts) COMPARE(F, ltu)
UNARY(DEVICE_FUNCTION_1)
BINARY(DEVICE_FUNCTION_2)

int main() {
  UNARY(PRINT_CHECKSUM)
  BINARY(PRINT_CHECKSUM)
  return cudaDeviceSynchronize();
}
