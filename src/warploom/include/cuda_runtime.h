// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything a .cu file may use without including anything. The compiler includes this header first in both passes of a
// .cu file; plain C and C++ files include it for the types and the host API.
#pragma once
#pragma GCC system_header

#include "host_defines.h"

#include "vector_types.h"

#include "cuda_runtime_api.h"
#include "vector_functions.h"

#if defined(__CUDACC__) && defined(__cplusplus)
#include "device_launch_parameters.h"
#include "warploom/libc.h"
#include "warploom/math_minmax.h"
#include "warploom/math_float.h"
#include "warploom/math_fast.h"
#include "warploom/arithmetic_float.h"
#include "warploom/arithmetic_double.h"
#include "warploom/casts.h"
#include "warploom/intrinsics_integer.h"
#include "warploom/intrinsics_simd.h"
#include "warploom/intrinsics_dpx.h"
#include "warploom/memory_intrinsics.h"
#include "warploom/control.h"
#include "warploom/warp.h"
#include "warploom/atomics.h"
#endif

#if defined(__cplusplus)
#include "warploom/host_templates.h"
#endif
