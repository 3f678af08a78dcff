// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels as the host side knows them: by the address of their stub.
#pragma once

#include <cstddef>
#include <string>

#include "../engine.h"
#include "cuda_runtime_api.h"
#include "device.h"

// A kernel, and what cudaFuncSetAttribute said of it.
struct CUfunc_st {
  const warploom::Kernel *kernel = nullptr;
  std::size_t max_dynamic_shared = warploom::kSharedPerBlock;
  int carveout = cudaSharedmemCarveoutDefault;
  bool large_clusters = false;        // more than 8 blocks
  struct CUmod_st *module = nullptr;  // that it was found in; null: it is the program's own
};

namespace warploom {

// The function behind a stub's address, or a handle that cudaGetFuncBySymbol gave; null when there is none. For device
// code: behind what the kernel's address is there.
CUfunc_st *find_function(const void *stub);
// A handle for a module's kernel, which no stub stands for.
CUfunc_st *add_handle(const Kernel &kernel, CUmod_st *module);
// The error for a function that is no kernel, as an H200 gives it (CUDA 13.0).
inline cudaError_t no_kernel(const void *stub) {
  return stub ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
}
// Takes back all cudaFuncSetAttribute calls (cudaDeviceReset).
void reset_functions();

// The host symbol of the device variable `name`; `address` when that is a symbol itself, or nothing is.
const void *find_symbol_key(const void *address, const std::string &name);

struct DeviceSymbol {
  void *address;
  std::size_t size;
};
// The device variable behind a host symbol; address is null when there is none.
DeviceSymbol find_symbol(const void *symbol);

inline std::size_t default_dynamic_shared(const Kernel &kernel) {
  return kernel.static_shared < kSharedPerBlock ? kSharedPerBlock - kernel.static_shared : 0;
}

// Whether a grid of this shape can be launched: the errors are those of an H200 with CUDA 13.0, which has
// cudaErrorInvalidValue where CUDA 12 and older had cudaErrorInvalidConfiguration.
cudaError_t check_launch(const CUfunc_st &function, const dim3 &grid, const dim3 &block, std::size_t shared,
                         bool cooperative = false);

// The shape of clusters of a launch: what the kernel's __cluster_dims__ says, and the launch's attribute (0: not
// given). An error when they differ, or the grid is not made of such clusters.
cudaError_t find_cluster(const CUfunc_st &function, const dim3 &grid, const dim3 &asked, Extent &cluster);
// Blocks that a cluster of the function may have.
int largest_cluster(const CUfunc_st &function);

int max_threads(const Kernel &kernel);
// Blocks that one multiprocessor holds at once; 0 when not even one fits.
int resident_blocks(const CUfunc_st &function, int block_size, std::size_t dynamic_shared);

}  // namespace warploom
