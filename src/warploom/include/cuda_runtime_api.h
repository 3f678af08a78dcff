// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA runtime API as C functions: what CUDA 13 declares, and the spellings that earlier versions had and classic
// programs use. Overloads and templates for C++ are in warploom/host_overloads.h and warploom/host_templates.h.
#ifndef WARPLOOM_CUDA_RUNTIME_API_H
#define WARPLOOM_CUDA_RUNTIME_API_H

#define CUDART_VERSION 13000
#define __CUDART_API_VERSION CUDART_VERSION

#include <stddef.h>
#include <stdint.h>

#include "warploom/classic_names.h"

#include "builtin_types.h"
#include "driver_functions.h"

#define WARPLOOM_API __attribute__((visibility("default")))
// A function that device code may call as well: it is the same function there.
#define WARPLOOM_DEVICE_API __host__ __device__ __attribute__((visibility("default")))
// A function of device code alone.
#define WARPLOOM_DEVICE_RUNTIME __device__
#ifdef __cplusplus
#define WARPLOOM_DEFAULT(value) = value
#else
#define WARPLOOM_DEFAULT(value)
#endif

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
#include "warploom/api/per_thread_names.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif
#include "warploom/api/device.h"
#include "warploom/api/stream.h"
#include "warploom/api/memory.h"
#include "warploom/api/memory_copy.h"
#include "warploom/api/launch.h"
#include "warploom/api/texture.h"
#include "warploom/api/graph.h"
#include "warploom/api/library.h"
#include "warploom/api/refused.h"
#ifdef __cplusplus
}
#endif

#ifdef __cplusplus
#include "warploom/host_overloads.h"
#endif

#include "warploom/classic_names_end.h"

#endif
