// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver API's first way to launch: a function keeps its block, its shared memory and its arguments from call to
// call, until it is launched.
#include <cstdint>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "driver_helpers.h"

namespace warploom {
namespace {

constexpr std::size_t kMostArguments = 32764;  // bytes that a kernel takes

struct Parts {
  dim3 block;
  unsigned shared = 0;
  std::vector<char> arguments;
};

struct AllParts {
  std::mutex mutex;
  std::unordered_map<CUfunction, Parts> of;
};

AllParts &all_parts() {
  static AllParts *const all = new AllParts;  // for calls while the program ends, too
  return *all;
}

template <class Change>
CUresult change_parts(CUfunction function, Change &&change, const Caller &caller = WARPLOOM_CALLER) {
  return driver_call(
      [&]() -> cudaError_t {
        if (!function || !find_function(function)) return cudaErrorInvalidResourceHandle;
        const std::lock_guard lock(all_parts().mutex);
        return change(all_parts().of[function]);
      },
      caller);
}

CUresult set_argument(CUfunction function, int offset, const void *value, std::size_t size,
                      const Caller &caller = WARPLOOM_CALLER) {
  return change_parts(
      function,
      [&](Parts &parts) {
        if (offset < 0 || !value || offset + size > kMostArguments) return cudaErrorInvalidValue;
        if (parts.arguments.size() < offset + size) parts.arguments.resize(offset + size);
        std::memcpy(parts.arguments.data() + offset, value, size);
        return cudaSuccess;
      },
      caller);
}

cudaError_t launch_parts(CUfunction function, int width, int height, CUstream stream) {
  const CUfunc_st *found = function ? find_function(function) : nullptr;
  if (!found) return cudaErrorInvalidResourceHandle;
  if (width <= 0 || height <= 0) return cudaErrorInvalidValue;
  Parts parts;
  {
    const std::lock_guard lock(all_parts().mutex);
    parts = all_parts().of[function];
  }
  const Kernel &kernel = *found->kernel;
  if (kernel.parameter_count != 0) {
    const Parameter &last = kernel.parameters[kernel.parameter_count - 1];
    if (parts.arguments.size() < last.offset + last.size) return cudaErrorInvalidValue;
  }
  void *packed[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, parts.arguments.data(), CU_LAUNCH_PARAM_END};
  std::vector<void *> arguments = unpack(kernel, packed);
  return cudaLaunchKernel(function, dim3(static_cast<unsigned>(width), static_cast<unsigned>(height)), parts.block,
                          arguments.data(), parts.shared, stream);
}

}  // namespace
}  // namespace warploom

using namespace warploom;

extern "C" {

CUresult cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z) {
  return change_parts(hfunc, [&](Parts &parts) {
    if (x <= 0 || y <= 0 || z <= 0) return cudaErrorInvalidValue;
    const int most = kMaxThreadsPerBlock;
    if (x > most || y > most || z > most || std::int64_t{x} * y * z > most) return cudaErrorInvalidValue;
    parts.block = dim3(static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z));
    return cudaSuccess;
  });
}

CUresult cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes) {
  return change_parts(hfunc, [&](Parts &parts) {
    if (bytes > find_function(hfunc)->max_dynamic_shared) return cudaErrorInvalidValue;
    parts.shared = bytes;
    return cudaSuccess;
  });
}

CUresult cuParamSetSize(CUfunction hfunc, unsigned int numbytes) {
  return change_parts(hfunc, [&](Parts &parts) {
    if (numbytes > kMostArguments) return cudaErrorInvalidValue;
    parts.arguments.resize(numbytes);
    return cudaSuccess;
  });
}

CUresult cuParamSeti(CUfunction hfunc, int offset, unsigned int value) {
  return set_argument(hfunc, offset, &value, sizeof value);
}

CUresult cuParamSetf(CUfunction hfunc, int offset, float value) {
  return set_argument(hfunc, offset, &value, sizeof value);
}

CUresult cuParamSetv(CUfunction hfunc, int offset, void *ptr, unsigned int numbytes) {
  return set_argument(hfunc, offset, ptr, numbytes);
}

CUresult cuLaunch(CUfunction f) {
  return driver_call([&] { return launch_parts(f, 1, 1, nullptr); });
}

CUresult cuLaunchGrid(CUfunction f, int grid_width, int grid_height) {
  return driver_call([&] { return launch_parts(f, grid_width, grid_height, nullptr); });
}

CUresult cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height, CUstream hStream) {
  return stream_driver_call(hStream, [&] { return launch_parts(f, grid_width, grid_height, hStream); });
}

}  // extern "C"
