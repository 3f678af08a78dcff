// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's function and variable specifiers. In CUDA mode (a .cu file, either pass) they are clang's attributes; in plain
// C and C++ files, which may include the host API, they say nothing.
#ifndef WARPLOOM_HOST_DEFINES_H
#define WARPLOOM_HOST_DEFINES_H

#if defined(__CUDACC__)

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
// The annotation survives into IR, where the host triple's calling convention would not tell a kernel from a function.
#define __global__ __attribute__((global, annotate("warploom.kernel")))
// "protected" marks extern (dynamic) shared arrays in IR: nothing else there is protected.
#define __shared__ __attribute__((shared, visibility("protected")))
// Other constants of the program are constant in IR, too.
#define __constant__ __attribute__((constant, annotate("warploom.constant")))
// Hidden visibility marks extern managed variables in IR. The host's variable of that name is the storage.
#define __managed__ __attribute__((device, annotate("warploom.managed"), visibility("hidden")))
// An annotation takes values only, where launch_bounds takes members of temporaries too; only the threads matter here.
__attribute__((host, device)) constexpr int __warploom_threads_of(int __threads, int = 0, int = 0) { return __threads; }
#define __launch_bounds__(...) \
  __attribute__((launch_bounds(__VA_ARGS__), annotate("warploom.launch_bounds", __warploom_threads_of(__VA_ARGS__))))
#define __grid_constant__ __attribute__((grid_constant))
#define __cluster_dims__(...) __attribute__((annotate("warploom.cluster_dims", __VA_ARGS__)))

#else  // plain C or C++

#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __grid_constant__
#define __cluster_dims__(...)

#endif

// Hints that mean nothing on a CPU: registers a thread, threads a block of a cluster.
#define __maxnreg__(...)
#define __block_size__(...)

#ifndef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __nv_pure__ __attribute__((pure))
#define __no_return__ __attribute__((noreturn))
#define __inline_hint__

// Markers of CUDA's own headers that user code has picked up.
#define __cudart_builtin__
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __location__(a)
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB
#define CUDAAPI
#define CUDA_CB

#endif
