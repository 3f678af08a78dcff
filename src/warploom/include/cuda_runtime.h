// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything a .cu file may use without including anything. The compiler includes this header first in both passes of a
// .cu file; plain C and C++ files include it for the types and the host API.
#pragma once
#pragma GCC system_header

#include "host_defines.h"
#include "vector_types.h"
#include "vector_functions.h"
#if __has_include("cuda_runtime_api.h")
#include "cuda_runtime_api.h"
#endif
#if defined(__CUDACC__) && defined(__cplusplus)
#include "device_launch_parameters.h"
#include "warploom/libc.h"
#include "warploom/control.h"
#include "warploom/warp.h"
#include "warploom/atomics.h"
#endif
#if defined(__cplusplus) && __has_include("warploom/host_templates.h")
#include "warploom/host_templates.h"
#endif
