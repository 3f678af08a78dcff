// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the driver API's functions say in their own words, said in the runtime API's: structures, and calls that need
// more than another name.
#pragma once

#include <bit>

#include "driver.h"
#include "graph.h"
#include "launch.h"

namespace warploom {

// A structure under the other API's name.
template <class To, class From>
To same(const From &from) {
  return std::bit_cast<To>(from);
}

// -- memory
cudaError_t pointer_attribute(void *data, CUpointer_attribute attribute, CUdeviceptr memory);
// Several at once: of memory that CUDA does not know they are zeros, not errors.
cudaError_t pointer_attributes(unsigned count, const CUpointer_attribute *attributes, void **data, CUdeviceptr memory);
cudaError_t set_pointer_attribute(const void *value, CUpointer_attribute attribute, CUdeviceptr memory);
cudaError_t fill_memory(CUdeviceptr target, std::size_t pitch, std::uint32_t value, std::size_t element,
                        std::size_t width, std::size_t height, CUstream stream);
cudaError_t fill_memory_now(CUdeviceptr target, std::size_t pitch, std::uint32_t value, std::size_t element,
                            std::size_t width, std::size_t height);

// -- copies of boxes
cudaError_t runtime_copy(const CUDA_MEMCPY3D *copy, cudaMemcpy3DParms *same);
cudaError_t copy_3d(const CUDA_MEMCPY3D *copy);
cudaError_t copy_3d(const CUDA_MEMCPY3D *copy, CUstream stream);
cudaError_t copy_rows(CUarray target, std::size_t target_offset, CUarray source, std::size_t source_offset,
                      std::size_t size);
cudaError_t copy_of_node(CUgraphNode node, CUDA_MEMCPY3D *copy);

// -- arrays, textures and surfaces
cudaError_t describe_array(CUarray array, CUDA_ARRAY3D_DESCRIPTOR *shape);
cudaError_t describe_array(CUarray array, CUDA_ARRAY_DESCRIPTOR *shape);
cudaError_t create_mipmapped(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *shape, unsigned levels);
cudaError_t widest_texture(std::size_t *width, CUarray_format format, unsigned channels, CUdevice device);
cudaError_t resource_of_texture(CUtexObject texture, CUDA_RESOURCE_DESC *resource);
cudaError_t resource_of_surface(CUsurfObject surface, CUDA_RESOURCE_DESC *resource);
cudaError_t description_of_texture(CUtexObject texture, CUDA_TEXTURE_DESC *description);

// -- streams, contexts and devices
// Waits on the stream until the `size` bytes at `address` compare with `value` as `flags` says; writes them.
cudaError_t wait_for_value(CUstream stream, CUdeviceptr address, std::uint64_t value, std::size_t size, unsigned flags);
cudaError_t write_value(CUstream stream, CUdeviceptr address, std::uint64_t value, std::size_t size, unsigned flags);
cudaError_t run_memory_operations(CUstream stream, unsigned count, const CUstreamBatchMemOpParams *operations,
                                  unsigned flags);
cudaError_t attach_context(CUcontext *context, unsigned flags);
cudaError_t version_of_context(CUcontext context, unsigned *version);
cudaError_t id_of_context(CUcontext context, unsigned long long *id);
cudaError_t record_context(CUcontext context, CUevent event);
cudaError_t context_of_stream(CUstream stream, CUcontext *context);
// No stream belongs to a green context.
cudaError_t context_of_stream(CUstream stream, CUcontext *context, CUgreenCtx *green);
cudaError_t affinity_support(int *supported, CUexecAffinityType type, CUdevice device);
cudaError_t properties_of(CUdevice device, CUdevprop *properties);

// -- libraries, modules and functions
// A kernel's handle is that of its function.
inline CUfunction function_of(CUkernel kernel) { return reinterpret_cast<CUfunction>(kernel); }
cudaError_t function_attribute(int *value, CUfunction_attribute attribute, CUfunction function);
cudaError_t module_of(CUfunction function, CUmodule *module);
cudaError_t module_of(CUlibrary library, CUmodule *module);
cudaError_t library_of(CUfunction function, CUlibrary *library);
cudaError_t loading_state(CUfunction function, CUfunctionLoadingState *state);
cudaError_t loading_mode(CUmoduleLoadingMode *mode);
cudaError_t count_functions(CUmodule module, unsigned *count);
cudaError_t enumerate_functions(CUmodule module, CUfunction *functions, unsigned count);
cudaError_t best_block(int *grid, int *block, CUfunction function, CUoccupancyB2DSize shared_of, std::size_t shared,
                       int limit, unsigned flags);

inline cudaLaunchConfig_t runtime_config(const CUlaunchConfig &config) {
  return {{config.gridDimX, config.gridDimY, config.gridDimZ},
          {config.blockDimX, config.blockDimY, config.blockDimZ},
          config.sharedMemBytes,
          config.hStream,
          reinterpret_cast<cudaLaunchAttribute *>(config.attrs),
          config.numAttrs};
}

// `body` with a configuration, a copy or a node's parameters in the runtime API's form.
template <class Body>
cudaError_t with_config(const CUlaunchConfig *config, Body &&body) {
  return config ? body(runtime_config(*config)) : cudaErrorInvalidValue;
}

// A copy of `size` bytes of rows of arrays, which may be none.
template <class Body>
cudaError_t with_rows(bool arrays, std::size_t size, Body &&body) {
  if (size == 0) return cudaSuccess;
  return arrays ? body() : cudaErrorInvalidValue;
}

template <class Body>
cudaError_t with_copy(const CUDA_MEMCPY3D *copy, Body &&body) {
  cudaMemcpy3DParms same;
  const cudaError_t error = runtime_copy(copy, &same);
  return error == cudaSuccess ? body(same) : error;
}

cudaKernelNodeParams runtime_params(const CUDA_KERNEL_NODE_PARAMS &params);
cudaError_t runtime_node(const CUgraphNodeParams *params, cudaGraphNodeParams *same);
// Hands out what a call wrote into the parameters: an allocation's address.
void give_back(const cudaGraphNodeParams &same, CUgraphNodeParams *params);

template <class Body>
cudaError_t with_node(CUgraphNodeParams *params, Body &&body) {
  cudaGraphNodeParams same = {};
  if (const cudaError_t error = runtime_node(params, &same); error != cudaSuccess) return error;
  const cudaError_t error = body(&same);
  if (error == cudaSuccess) give_back(same, params);
  return error;
}

}  // namespace warploom
