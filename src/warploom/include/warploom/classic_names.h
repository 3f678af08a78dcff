// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA 13 dropped these names, so classic programs are often built with -DcudaThreadSynchronize=cudaDeviceSynchronize
// and the like. Here the names exist: such a macro must not rewrite their declarations. classic_names_end.h gives the
// macros back to the program.
#pragma push_macro("cudaThreadSynchronize")
#undef cudaThreadSynchronize
#pragma push_macro("cudaThreadExit")
#undef cudaThreadExit
#pragma push_macro("cudaThreadGetLimit")
#undef cudaThreadGetLimit
#pragma push_macro("cudaThreadSetLimit")
#undef cudaThreadSetLimit
#pragma push_macro("cudaThreadGetCacheConfig")
#undef cudaThreadGetCacheConfig
#pragma push_macro("cudaThreadSetCacheConfig")
#undef cudaThreadSetCacheConfig
#pragma push_macro("clockRate")
#undef clockRate
#pragma push_macro("deviceOverlap")
#undef deviceOverlap
#pragma push_macro("kernelExecTimeoutEnabled")
#undef kernelExecTimeoutEnabled
#pragma push_macro("computeMode")
#undef computeMode
#pragma push_macro("memoryClockRate")
#undef memoryClockRate
#pragma push_macro("cooperativeMultiDeviceLaunch")
#undef cooperativeMultiDeviceLaunch
#pragma push_macro("maxTexture1DLinear")
#undef maxTexture1DLinear
#pragma push_macro("singleToDoublePrecisionPerfRatio")
#undef singleToDoublePrecisionPerfRatio
