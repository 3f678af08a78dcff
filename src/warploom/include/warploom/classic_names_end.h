// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other half of classic_names.h.
#pragma pop_macro("cudaThreadSynchronize")
#pragma pop_macro("cudaThreadExit")
#pragma pop_macro("cudaThreadGetLimit")
#pragma pop_macro("cudaThreadSetLimit")
#pragma pop_macro("cudaThreadGetCacheConfig")
#pragma pop_macro("cudaThreadSetCacheConfig")
#pragma pop_macro("clockRate")
#pragma pop_macro("deviceOverlap")
#pragma pop_macro("kernelExecTimeoutEnabled")
#pragma pop_macro("computeMode")
#pragma pop_macro("memoryClockRate")
#pragma pop_macro("cooperativeMultiDeviceLaunch")
#pragma pop_macro("maxTexture1DLinear")
#pragma pop_macro("singleToDoublePrecisionPerfRatio")
