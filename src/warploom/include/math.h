// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's <math.h>, plus what warploom/libc.h left out of C++'s (see include/cmath).
#pragma GCC system_header
#include_next <math.h>
#if defined(__CUDACC__) && defined(__cplusplus) && !defined(__WARPLOOM_LIGHT_CMATH) && \
    defined(_GLIBCXX_USE_STD_SPEC_FUNCS)
#if _GLIBCXX_USE_STD_SPEC_FUNCS
extern "C++" {
#include <bits/specfun.h>
}
#endif
#endif
