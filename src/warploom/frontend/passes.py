# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""clang's two readings of a CUDA source file: the device pass to bitcode, the host pass to an object.

Both run on the host triple through clang's driver with the same user flags, so that types have one layout and every
flag of clang works. The host pass gets a "fat binary" that holds no code but an id: the device code is linked into the
same object, and the runtime finds it by that id (see runtime/image.h).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from warploom.core.records import dataclass
from warploom.cpu import march_flags
from warploom.frontend import promises
from warploom.frontend.asm_constraints import overlay_of_headers
from warploom.frontend.cccl import find_cccl
from warploom.target import ARCHITECTURES
from warploom.toolchain import Toolchain

INCLUDE = Path(__file__).resolve().parent.parent / "include"
HEADER = INCLUDE / "cuda_runtime.h"
BEFORE_ALL = INCLUDE / "warploom" / "before_all"  # before the user's own folders
BEFORE_CCCL = INCLUDE / "warploom" / "before_cccl"
DEBUG = ("-g", "-gdwarf-4")  # valgrind 3.19, of Debian 12, and older tools cannot read what clang writes as version 5
LINES_ONLY = ("-gline-tables-only", "-gdwarf-4")
PLAIN_HEADER = ("-include", str(HEADER))
CUDA_VERSION = (13, 0, 48)
DEVICE_ARCH = 80  # compute capability 8.0, what the runtime's device reports

# What nvcc and gcc accept without a word, or with a warning, must not become an error or noise here.
_TOLERANCE = (
    "-Wno-register",
    "-Wno-c++11-narrowing",
    "-Wno-unknown-warning-option",
    "-Wno-unused-command-line-argument",
    "-Wno-writable-strings",
    "-Wno-unknown-cuda-version",
    "-Wno-unknown-pragmas",
    "-Wno-pass-failed",
    "-Wno-reserved-user-defined-literal",  # "%"PRIu64: a string and a macro
)
# C as gcc takes it by default: what clang made errors of late stays a warning.
_C_TOLERANCE = tuple(
    f"-Wno-error={name}"
    for name in (
        "implicit-function-declaration",
        "implicit-int",
        "int-conversion",
        "incompatible-pointer-types",
        "incompatible-function-pointer-types",
        "return-mismatch",
    )
)
# Of the flags meant for the host compiler, those that change how source text is read concern the device pass too.
_SHARED_HOST_FLAGS = ("-D", "-U", "-I", "-isystem", "-include", "-fPIC", "-fpic", "-fPIE", "-fsigned-char")
_SHARED_HOST_FLAGS_MORE = (
    "-funsigned-char",
    "-fms-extensions",
    "-fno-exceptions",
    "-m",
    "-std=",
    "--std=",
    "-ftemplate-",
)


@dataclass(frozen=True)
class SourceOptions:
    """How one CUDA source file is read."""

    preprocessor: tuple[str, ...] = ()  # -I -D -U -include -isystem, in order
    standard: str = "c++17"
    arch: int = DEVICE_ARCH
    cpu: str = "x86-64"
    separate: bool = False
    fast_math: bool = False
    fused_multiply_add: bool = True
    extended_lambda: bool = False
    relaxed_constexpr: bool = False
    per_thread_stream: bool = False
    warnings: tuple[str, ...] = ()
    optimise: str = "-O2"
    debug: tuple[str, ...] = ()  # -g, LINES_ONLY, or nothing; of the host pass
    host_flags: tuple[str, ...] = ()  # -Xcompiler
    unique_id: str = ""
    time_trace: str | None = None  # where clang writes what its device pass spent its time on; "-": trace.json
    extra: tuple[str, ...] = ()  # dependency flags and the like, host pass only
    after: tuple[str, ...] = ()  # flags for what is read behind the CUDA headers, device pass only


def device_flags(toolchain: Toolchain, options: SourceOptions) -> list[str]:
    """The compiler and flags of the device pass, less the header, the source and the output."""
    shared = [flag for flag in options.host_flags if flag.startswith(_SHARED_HOST_FLAGS + _SHARED_HOST_FLAGS_MORE)]
    contract = "fast" if options.fused_multiply_add else "off"
    return [
        *_common(toolchain, options),
        *_overlay(),
        "-U__CUDA_ARCH__",  # clang's own, for a target that is no GPU
        f"-D__CUDA_ARCH__={options.arch * 10}",
        *_xclang("-fcuda-is-device", "-aux-triple", toolchain.triple),
        *_xclang("-disable-llvm-passes", "-debug-info-kind=limited", "-dwarf-version=4"),
        "-fno-discard-value-names",
        *march_flags(options.cpu),
        f"-ffp-contract={contract}",
        "-fno-math-errno",
        *(["-fapprox-func"] if options.fast_math else []),
        *promises.device_flags(),
        "-fstack-clash-protection",  # a frame larger than the guard of a fiber's stack must still hit it
        "-O2",
        *shared,
    ]


def device_command(
    toolchain: Toolchain, source: Path, output: Path, options: SourceOptions, header: Sequence[str] = PLAIN_HEADER
) -> list[str]:
    """Device pass: bitcode of all device functions and variables, before any optimisation."""
    trace = options.time_trace
    traced = [] if trace is None else [f"-ftime-trace={'trace.json' if trace == '-' else trace}"]
    flags = [*device_flags(toolchain, options), *traced, *header, *options.after]
    return [*flags, "-emit-llvm", "-c", str(source), "-o", str(output)]


def device_text_commands(
    toolchain: Toolchain, source: Path, text: Path, output: Path, options: SourceOptions
) -> tuple[list[str], list[str]]:
    """The device pass in two steps: preprocess `source` to `text`, and compile that."""
    flags = device_flags(toolchain, options)
    return (
        device_reading(toolchain, source, text, options, "-E"),
        [*flags, "-emit-llvm", "-x", "cuda-cpp-output", "-c", str(text), "-o", str(output)],
    )


def device_reading(toolchain: Toolchain, source: Path, output: Path, options: SourceOptions, action: str) -> list[str]:
    """The device pass no further than reading: preprocessed text or dependencies, by `action`."""
    flags = device_flags(toolchain, options)
    return [*flags, *PLAIN_HEADER, *options.after, action, str(source), "-o", str(output)]


def host_flags(toolchain: Toolchain, options: SourceOptions) -> list[str]:
    """The compiler and flags of the host pass, less the header, the image, the source and the output."""
    return [
        *_common(toolchain, options),
        # The driver names a GPU here, or clang would do so. Of a second target like the first all builtins (_mm_pause)
        # are taken for functions of the other side.
        *_xclang("-aux-triple", ""),
        options.optimise,
        *options.debug,
        *options.warnings,
        *options.host_flags,
    ]


def host_command(
    toolchain: Toolchain,
    source: Path,
    output: Path | None,
    image_id: Path,
    options: SourceOptions,
    action: str = "-c",
    header: Sequence[str] = PLAIN_HEADER,
) -> list[str]:
    """Host pass: an object (or, by `action`, preprocessed text or dependencies)."""
    return [
        *host_flags(toolchain, options),
        *_xclang("-fcuda-include-gpubinary", str(image_id)),
        *header,
        *options.extra,
        action,
        str(source),
        *(("-o", str(output)) if output is not None else ()),
    ]


def plain_command(
    toolchain: Toolchain, source: Path, output: Path | None, options: SourceOptions, language: str, action: str = "-c"
) -> list[str]:
    """A C or C++ file that is no CUDA source, as the host compiler behind nvcc would compile it."""
    is_c = language == "c"
    clang = toolchain.clang.with_name(toolchain.clang.name.replace("clang++", "clang")) if is_c else toolchain.clang
    flags = (*toolchain.target.flags, *_C_TOLERANCE) if is_c else (*toolchain.cxx_flags, f"-std={options.standard}")
    return [
        str(clang),
        "-x",
        language,
        *flags,
        *ARCHITECTURES[toolchain.target.arch].source_flags,
        *_TOLERANCE,
        *options.preprocessor,
        *_includes(toolchain),
        options.optimise,
        *options.debug,
        *options.warnings,
        *options.host_flags,
        *options.extra,
        action,
        str(source),
        *(("-o", str(output)) if output is not None else ()),
    ]


def _common(toolchain: Toolchain, options: SourceOptions) -> list[str]:
    major, minor, build = CUDA_VERSION
    defines = [
        "__CUDACC__",
        "__NVCC__",
        "__WARPLOOM__",
        f"__CUDACC_VER_MAJOR__={major}",
        f"__CUDACC_VER_MINOR__={minor}",
        f"__CUDACC_VER_BUILD__={build}",
        *(["__CUDACC_RDC__"] if options.separate else []),
        *(["__CUDACC_EXTENDED_LAMBDA__"] if options.extended_lambda else []),
        *(["__CUDACC_RELAXED_CONSTEXPR__"] if options.relaxed_constexpr else []),
        *(["__USE_FAST_MATH__"] if options.fast_math else []),
        *(["CUDA_API_PER_THREAD_DEFAULT_STREAM=1"] if options.per_thread_stream else []),
    ]
    return [
        str(toolchain.clang),
        *("-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib"),
        # clang checks the name and no more; the macros it derives from it are replaced.
        f"--offload-arch=sm_{DEVICE_ARCH}",
        *("-U__CUDA_ARCH_LIST__", f"-D__CUDA_ARCH_LIST__={options.arch * 10}"),
        # clang looks for NVIDIA's toolkit, and launches by the calls of the release that it finds, else of the oldest.
        *_xclang(f"-target-sdk-version={major}.{minor}"),
        # clang 19 passes it on by itself where it finds a CUDA toolkit of NVIDIA's, and needs it in the host pass, too.
        *_xclang("-fcuda-allow-variadic-functions"),
        *toolchain.cxx_flags,
        *ARCHITECTURES[toolchain.target.arch].source_flags,
        *ARCHITECTURES[toolchain.target.arch].cuda_flags,
        f"-std={options.standard}",
        "-fdeclspec",
        # Each pass reads the other side's code as well, where `#ifdef __CUDA_ARCH__` may have left a name to this side.
        "-fgpu-defer-diag",
        *(f"-D{define}" for define in defines),
        *(_separate_flags(options.unique_id) if options.separate else ()),
        *(("-fgpu-default-stream=per-thread",) if options.per_thread_stream else ()),
        *_TOLERANCE,
        *("-I", str(BEFORE_ALL)),
        # What the user includes before the source knows CUDA's words, as with nvcc.
        *(PLAIN_HEADER if "-include" in options.preprocessor else ()),
        *options.preprocessor,
        *_includes(toolchain),
    ]


def _separate_flags(unique_id: str) -> list[str]:
    """-rdc=true. The id makes both passes name a static variable alike; clang 19's driver does not hand it on."""
    return ["-fgpu-rdc", "--offload-new-driver", f"-cuid={unique_id}", *_xclang(f"-cuid={unique_id}")]


def _includes(toolchain: Toolchain) -> list[str]:
    """After the user's folders: CCCL's before ours, whose `cuda/` stands in where there is no CCCL."""
    cccl = find_cccl()
    folders = (INCLUDE,) if cccl is None else (BEFORE_CCCL, cccl, INCLUDE)
    first = [word for folder in folders for word in ("-isystem", str(folder))]
    # oneTBB's last, for Thrust's TBB system: its folder may hold the headers of much else.
    last = ("-idirafter", str(toolchain.tbb_include)) if toolchain.tbb_include else ()
    return [*first, *toolchain.last_includes, *last]


def _overlay() -> list[str]:
    cccl = find_cccl()
    return [] if cccl is None else ["-ivfsoverlay", str(overlay_of_headers(cccl))]


def _xclang(*flags: str) -> list[str]:
    return [word for flag in flags for word in ("-Xclang", flag)]
