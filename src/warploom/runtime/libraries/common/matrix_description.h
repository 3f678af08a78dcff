// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cuSPARSE's description of a matrix holds; cuSOLVER reads it too.
#pragma once

#include <cusparse.h>

struct cusparseMatDescr {
  cusparseMatrixType_t type = CUSPARSE_MATRIX_TYPE_GENERAL;
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diag = CUSPARSE_DIAG_TYPE_NON_UNIT;
  cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
};
