// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of pointers to the functions of the driver API, for those who look them up by name.
#ifndef WARPLOOM_CUDA_TYPEDEFS_H
#define WARPLOOM_CUDA_TYPEDEFS_H

#include "cuda.h"

#define WARPLOOM_FORWARDED(name, parameters, call) typedef CUresult(CUDAAPI *PFN_##name) parameters;
#define WARPLOOM_FORWARDED_ANYWHERE WARPLOOM_FORWARDED
#define WARPLOOM_FORWARDED_ON_STREAM WARPLOOM_FORWARDED
#include "warploom/driver_forwarded.def"
#include "warploom/driver_graph_nodes.def"
#include "warploom/driver_libraries.def"
#include "warploom/driver_memory.def"
#include "warploom/driver_streams.def"
#undef WARPLOOM_FORWARDED_ANYWHERE
#undef WARPLOOM_FORWARDED_ON_STREAM
#undef WARPLOOM_FORWARDED

#define WARPLOOM_REFUSED(name, parameters) typedef CUresult(CUDAAPI *PFN_##name) parameters;
#include "warploom/driver_refused.def"
#undef WARPLOOM_REFUSED

#define WARPLOOM_NAMED(name) typedef __typeof__(&name) PFN_##name;
#include "warploom/driver_names.def"
#undef WARPLOOM_NAMED

typedef PFN_cuTensorMapEncodeTiled PFN_cuTensorMapEncodeTiled_v12000;
typedef PFN_cuTensorMapEncodeIm2col PFN_cuTensorMapEncodeIm2col_v12000;
typedef PFN_cuGetProcAddress PFN_cuGetProcAddress_v12000;

#endif
