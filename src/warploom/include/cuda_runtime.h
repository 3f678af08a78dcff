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
#include "warploom/nv_atomics.h"
#endif

#if defined(__cplusplus)
#include "warploom/host_templates.h"
#endif

#ifdef __CUDACC__
#include "warploom/lambda_types.h"
#endif

// Programs and NVIDIA's samples test the include guards of CUDA's own headers.
#define __CUDA_RUNTIME_H__
#ifndef __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_API_H__
#endif
#ifndef __VECTOR_TYPES_H__
#define __VECTOR_TYPES_H__
#endif
#ifndef __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_H__
#endif
#ifndef __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__
#endif
