// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What frontend/precompiled.py precompiles: the header that every .cu file starts with.
#include "../cuda_runtime.h"
