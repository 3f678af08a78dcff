# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the C library that device code may call: the headers offer them as host and device functions.

Any other function that a device module leaves undefined is either the device ABI's or a device function of another
translation unit.
"""

from __future__ import annotations

_MATH = """
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 exp10 expm1 fabs fdim floor fma
fmax fmin fmod frexp hypot ilogb j0 j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan
nearbyint nextafter pow remainder remquo rint round roundeven scalbln scalbn sin sincos sinh sqrt tan tanh tgamma
trunc y0 y1 yn lgamma_r
"""

_OTHER = """
memcpy memmove memset memcmp memchr strlen strnlen strcmp strncmp strcpy strncpy strcat strncat strchr strrchr strstr
bcmp stpcpy abs labs llabs div ldiv lldiv atoi atol atoll rand srand qsort bsearch abort __cxa_pure_virtual
__cxa_deleted_virtual __cxa_atexit __cxa_guard_acquire __cxa_guard_release __dso_handle __isinf __isnan __finite
__signbit __fpclassify __isinff __isnanf __finitef __signbitf __fpclassifyf __muldc3 __mulsc3 __divdc3 __divsc3
__extendhfsf2 __truncsfhf2 __truncdfhf2 __extendbfsf2 __truncsfbf2 __truncdfbf2 __divti3 __modti3 __udivti3 __umodti3
__multi3 __fixsfti __fixdfti __floattisf __floattidf __atomic_load __atomic_store __atomic_exchange
__atomic_compare_exchange __atomic_load_16 __atomic_store_16 __atomic_exchange_16 __atomic_compare_exchange_16
"""

_MATH_NAMES = _MATH.split()
MATH_LIBRARY = frozenset(name + suffix for name in _MATH_NAMES for suffix in ("", "f", "l"))
# Whose only effect is their result, which clang does not say: it does not know exp10, and takes lgamma for a writer of
# signgam, which device code has not.
PURE_MATH = frozenset(name + suffix for name in ("exp10", "lgamma") for suffix in ("", "f"))
HOST_LIBRARY = MATH_LIBRARY | frozenset(_OTHER.split())
# What of the CUDA runtime device code may call: one thread by itself, and the answer may differ from thread to thread.
DEVICE_RUNTIME = frozenset(
    """
cudaGetParameterBuffer cudaGetParameterBufferV2 cudaLaunchDevice cudaLaunchDeviceV2
cudaDeviceSynchronize cudaGetLastError cudaPeekAtLastError cudaGetErrorName cudaGetErrorString
cudaGetDeviceCount cudaGetDevice cudaDeviceGetAttribute cudaDeviceGetLimit cudaDeviceGetCacheConfig
cudaDeviceGetSharedMemConfig cudaRuntimeGetVersion
cudaStreamCreateWithFlags cudaStreamDestroy cudaStreamWaitEvent cudaStreamWaitEvent_ptsz
cudaEventCreateWithFlags cudaEventRecord cudaEventRecord_ptsz cudaEventRecordWithFlags cudaEventRecordWithFlags_ptsz
cudaEventDestroy cudaMalloc cudaFree cudaMemcpyAsync cudaMemcpyAsync_ptsz cudaMemcpy2DAsync cudaMemcpy2DAsync_ptsz
cudaMemcpy3DAsync cudaMemcpy3DAsync_ptsz cudaMemsetAsync cudaMemsetAsync_ptsz cudaMemset2DAsync cudaMemset2DAsync_ptsz
cudaMemset3DAsync cudaMemset3DAsync_ptsz cudaFuncGetAttributes cudaOccupancyMaxActiveBlocksPerMultiprocessor
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags
""".split()
)
RUNTIME_PREFIX = "__warploom_"


def is_host_function(name: str) -> bool:
    """Whether an undefined symbol of device code is provided by the C library or the runtime."""
    if name in DEVICE_RUNTIME:
        return True
    return name in HOST_LIBRARY or name.startswith((RUNTIME_PREFIX, "llvm.", "_ZSt", "_ZTVN10__cxxabiv1"))
