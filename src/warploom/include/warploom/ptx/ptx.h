// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that the C++ made of inline PTX calls.
#pragma once

#include "compare.h"
#include "convert.h"
#include "matrix.h"
#include "mbarrier.h"
#include "mma.h"
#include "video.h"
#include "warp.h"
