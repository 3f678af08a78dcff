// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuSPARSE, under the name that older programs include.
#pragma once

#include "cusparse.h"
