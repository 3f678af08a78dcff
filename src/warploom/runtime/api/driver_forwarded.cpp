// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the driver API that are the runtime's under another name, and launches by configuration.
#include <vector>

#include "device.h"
#include "driver_helpers.h"

namespace warploom {
namespace {

static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute));
static_assert(sizeof(CUmemPoolProps) == sizeof(cudaMemPoolProps));
static_assert(sizeof(CUmemcpyAttributes) == sizeof(cudaMemcpyAttributes));
static_assert(sizeof(CUDA_RESOURCE_VIEW_DESC) == sizeof(cudaResourceViewDesc));

}  // namespace
}  // namespace warploom

using namespace warploom;

extern "C" {

#define WARPLOOM_FORWARDED(name, parameters, call) \
  CUresult name parameters {                       \
    return driver_call([&] { return call; });      \
  }
#define WARPLOOM_FORWARDED_ANYWHERE(name, parameters, call) \
  CUresult name parameters {                                \
    return anywhere_call([&] { return call; });             \
  }
#define WARPLOOM_FORWARDED_ON_STREAM(name, parameters, call) \
  CUresult name parameters {                                 \
    return stream_driver_call(stream, [&] { return call; }); \
  }
#include "warploom/driver_forwarded.def"
#include "warploom/driver_graph_nodes.def"
#include "warploom/driver_libraries.def"
#include "warploom/driver_memory.def"
#include "warploom/driver_streams.def"
#undef WARPLOOM_FORWARDED_ANYWHERE
#undef WARPLOOM_FORWARDED_ON_STREAM
#undef WARPLOOM_FORWARDED

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra) {
  return driver_call([&]() -> cudaError_t {
    if (!config || (config->numAttrs && !config->attrs) || (kernelParams && extra)) return cudaErrorInvalidValue;
    const CUfunc_st *function = f ? find_function(f) : nullptr;
    if (!function) return cudaErrorInvalidResourceHandle;
    std::vector<void *> unpacked = kernelParams ? std::vector<void *>() : unpack(*function->kernel, extra);
    const cudaLaunchConfig_t same = runtime_config(*config);
    return cudaLaunchKernelExC(&same, f, kernelParams ? kernelParams : unpacked.empty() ? nullptr : unpacked.data());
  });
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                                   unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                                   unsigned int sharedMemBytes, CUstream hStream, void **kernelParams) {
  return stream_driver_call(hStream, [&] {
    if (!f) return cudaErrorInvalidResourceHandle;
    return cudaLaunchCooperativeKernel(f, dim3(gridDimX, gridDimY, gridDimZ), dim3(blockDimX, blockDimY, blockDimZ),
                                       kernelParams, sharedMemBytes, hStream);
  });
}

}  // extern "C"

WARPLOOM_DRIVER_VERSION(cuGraphAddDependencies, _v2);
WARPLOOM_DRIVER_VERSION(cuGraphGetEdges, _v2);
WARPLOOM_DRIVER_VERSION(cuGraphNodeGetDependencies, _v2);
WARPLOOM_DRIVER_VERSION(cuGraphNodeGetDependentNodes, _v2);
WARPLOOM_DRIVER_VERSION(cuGraphRemoveDependencies, _v2);
WARPLOOM_DRIVER_VERSION(cuMemsetD2D8, _v2);
WARPLOOM_DRIVER_VERSION(cuStreamBeginCapture, _v2);
WARPLOOM_DRIVER_VERSION(cuStreamUpdateCaptureDependencies, _v2);
WARPLOOM_DRIVER_VERSION(cuArray3DGetDescriptor, _v2);
WARPLOOM_DRIVER_VERSION(cuArrayGetDescriptor, _v2);
WARPLOOM_DRIVER_VERSION(cuGraphAddNode, _v2);
WARPLOOM_DRIVER_VERSION(cuGraphExecUpdate, _v2);
WARPLOOM_DRIVER_VERSION(cuIpcOpenMemHandle, _v2);
WARPLOOM_DRIVER_VERSION(cuMemAdvise, _v2);
WARPLOOM_DRIVER_VERSION(cuMemPrefetchAsync, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpy3D, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpy3DAsync, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpy3DBatchAsync, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpyAtoA, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpyAtoD, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpyAtoH, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpyAtoHAsync, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpyBatchAsync, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpyDtoA, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpyHtoA, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpyHtoAAsync, _v2);
WARPLOOM_DRIVER_VERSION(cuMemsetD2D16, _v2);
WARPLOOM_DRIVER_VERSION(cuStreamBatchMemOp, _v2);
WARPLOOM_DRIVER_VERSION(cuStreamGetCaptureInfo, _v3);
WARPLOOM_DRIVER_VERSION(cuStreamWaitValue32, _v2);
WARPLOOM_DRIVER_VERSION(cuStreamWaitValue64, _v2);
WARPLOOM_DRIVER_VERSION(cuStreamWriteValue32, _v2);
WARPLOOM_DRIVER_VERSION(cuStreamWriteValue64, _v2);
