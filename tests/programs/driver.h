// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results of the driver API by name, and a context to call it in.
#pragma once

#include <cuda.h>

#include "check.h"

#define DRIVE(call) check_driver((call), #call, __LINE__)

inline const char *name_of(CUresult result) {
  const char *name = "unknown";
  cuGetErrorName(result, &name);
  return name;
}

inline void check_driver(CUresult result, const char *call, int line) {
  if (result == CUDA_SUCCESS) return;
  std::printf("line %d: %s: %s\n", line, call, name_of(result));
  std::exit(2);
}

inline void show(const char *what, CUresult result) { std::printf("%s: %s\n", what, name_of(result)); }

inline void *host(CUdeviceptr address) { return reinterpret_cast<void *>(address); }
inline CUdeviceptr device(const void *address) { return reinterpret_cast<CUdeviceptr>(address); }

inline CUcontext current_context() {
  CUcontext context = nullptr;
  CUdevice device = 0;
  DRIVE(cuInit(0));
  DRIVE(cuDeviceGet(&device, 0));
  DRIVE(cuDevicePrimaryCtxRetain(&context, device));
  DRIVE(cuCtxSetCurrent(context));
  return context;
}
