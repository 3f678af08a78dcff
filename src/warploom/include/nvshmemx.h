// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVSHMEM's further functions: declared with the others.
#pragma once

#include "nvshmem.h"
