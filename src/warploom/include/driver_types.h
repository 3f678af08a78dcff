// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of the CUDA runtime API, usable from C and C++. Split by topic; numbers as in the public reference.
#ifndef WARPLOOM_DRIVER_TYPES_H
#define WARPLOOM_DRIVER_TYPES_H
// Programs ask for it to know whether the runtime API is declared.
#define __DRIVER_TYPES_H__

#include <limits.h>
#include <stddef.h>

#include "host_defines.h"
#include "vector_types.h"

typedef enum cudaError {
  cudaSuccess = 0,
#define WARPLOOM_ERROR(name, value, text) cudaError##name = value,
#include "warploom/error_codes.def"
#undef WARPLOOM_ERROR
  // Spellings of earlier CUDA versions.
  cudaErrorDeviceUninitilialized = 201
} cudaError_t;

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUfunc_st *cudaFunction_t;
typedef struct CUkern_st *cudaKernel_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct CUuserObject_st *cudaUserObject_t;
typedef struct cudaGraphicsResource *cudaGraphicsResource_t;
typedef unsigned long long cudaGraphConditionalHandle;

#include "warploom/device_types.h"
#include "warploom/launch_types.h"
#include "warploom/memory_types.h"
#include "warploom/graph_types.h"
#include "surface_types.h"
#include "texture_types.h"

#endif
