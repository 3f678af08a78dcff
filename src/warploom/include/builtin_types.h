// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPLOOM_BUILTIN_TYPES_H
#define WARPLOOM_BUILTIN_TYPES_H

#include "driver_types.h"
#include "surface_types.h"
#include "texture_types.h"
#include "vector_types.h"

#endif
