// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuSPARSE's functions that say that they are not supported.
#include <cusparse.h>

#include "../common/refused.h"

#pragma GCC visibility push(default)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
extern "C" {

#define WARPLOOM_CUSPARSE(NAME, PARAMETERS)                                                    \
  cusparseStatus_t NAME PARAMETERS {                                                           \
    return WARPLOOM_REFUSE(#NAME, "it has not been written; docs/libraries.md lists what has", \
                           CUSPARSE_STATUS_NOT_SUPPORTED);                                     \
  }
#include "warploom/libraries/cusparse_refused.def"
#undef WARPLOOM_CUSPARSE

}  // extern "C"
#pragma GCC diagnostic pop
#pragma GCC visibility pop
