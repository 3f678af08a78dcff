// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parts.h"

int helped(int size) { return size + 1; }
