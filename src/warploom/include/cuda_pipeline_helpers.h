// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of cuda_pipeline_primitives.h.
#pragma once

#include "cuda_pipeline_primitives.h"
