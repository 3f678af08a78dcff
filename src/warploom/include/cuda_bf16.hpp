// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that name this header get what cuda_bf16.h declares.
#pragma once

#include "cuda_bf16.h"
