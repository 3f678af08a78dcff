# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nvcc's command line, taken apart: spellings, values, and what each flag means for Warploom.

Spellings follow the nvcc documentation: a value follows as the next word, after `=`, or (one-letter flags) at once.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from warploom.debug import MOST_JAM, MOST_WIDTH, power_of_two
from warploom.diagnostics import Diagnostic
from warploom.engines import check_engine
from warploom.frontend.passes import DEVICE_ARCH

LINK, COMPILE, DEVICE_LINK, PREPROCESS, DEPENDENCIES, LIBRARY = "link", "-c", "-dlink", "-E", "-M", "-lib"
MODULES = {"-fatbin": ".fatbin", "-cubin": ".cubin", "-ptx": ".ptx"}  # what a program loads while it runs


@dataclass
class CommandLine:
    """What a call of warpcc asks for."""

    action: str = LINK
    inputs: list[str] = field(default_factory=list[str])
    output: str | None = None
    output_folder: str | None = None
    language: str | None = None  # -x, until changed
    languages: dict[str, str] = field(default_factory=dict[str, str])
    preprocessor: list[str] = field(default_factory=list[str])
    host_flags: list[str] = field(default_factory=list[str])
    linker_flags: list[str] = field(default_factory=list[str])  # in the order of inputs and libraries
    standard: str = "c++17"
    architectures: list[int] = field(default_factory=list[int])
    separate: bool = False
    shared: bool = False
    optimise: str | None = None
    debug: bool = False
    line_info: bool = False
    device_debug: bool = False
    device_optimise: int | None = None  # -Xptxas -O0..2; 3 is what there is without it
    fast_math: bool = False
    fused_multiply_add: bool = True
    flush_denormals: bool | None = None  # -ftz; None: as -use_fast_math says
    extended_lambda: bool = False
    relaxed_constexpr: bool = False
    per_thread_stream: bool = False
    warnings: list[str] = field(default_factory=list[str])
    dependency_flags: list[str] = field(default_factory=list[str])
    dependency_action: str = "-M"
    verbose: bool = False
    dry_run: bool = False
    keep: bool = False
    cpu: str | None = None
    fat: bool = False  # device code for several CPUs in one object
    target: str | None = None
    sysroot: str | None = None
    engine: str | None = None
    cudart: str = "shared"  # or static: the runtime goes into the program
    compare: bool = False  # code of both engines, for WARPLOOM_COMPARE at run time
    off_passes: list[str] = field(default_factory=list[str])
    width: int | None = None  # threads of a vector
    jam: int | None = None  # rows of threads that go together
    jobs: int | None = None  # processes for one file; None: as many as there are processors
    notes: list[str] = field(default_factory=list[str])  # warnings of the driver itself
    version: bool = False
    help: bool = False

    @property
    def flushes(self) -> bool:
        """Whether denormals of float count as zeros: -use_fast_math says so, where -ftz does not say otherwise."""
        return self.fast_math if self.flush_denormals is None else self.flush_denormals

    @property
    def arch(self) -> int:
        """The architecture that device code is compiled for: of several, what a driver would load on this device."""
        if not self.architectures:
            return DEVICE_ARCH
        fitting = [arch for arch in self.architectures if arch <= DEVICE_ARCH]
        return max(fitting) if fitting else min(self.architectures)


Setter = Callable[[CommandLine, str], None]


def parse(argv: Sequence[str]) -> CommandLine:
    """Take an nvcc command line apart; a Diagnostic for what nvcc would refuse or Warploom cannot do."""
    line = CommandLine()
    words = iter(_expanded(argv))
    for word in words:
        if not word.startswith("-") or word == "-":
            line.inputs.append(word)
            line.linker_flags.append(word)
            if line.language is not None:
                line.languages[word] = line.language
        else:
            _take_flag(line, word, words)
    return line


def _expanded(argv: Sequence[str]) -> Iterator[str]:
    """`argv` with option files (`@FILE`, `-optf FILE`) put in their place."""
    words = iter(argv)
    for word in words:
        name, _, value = word.partition("=")
        if word.startswith("@") or name in ("-optf", "--options-file"):
            path = Path(word[1:] if word.startswith("@") else value or next(words, ""))
            try:
                yield from _expanded(shlex.split(path.read_text()))
            except OSError as error:
                raise Diagnostic(f"cannot read the option file: {error.strerror}", file=path) from error
        else:
            yield word


def _take_flag(line: CommandLine, word: str, words: Iterator[str]) -> None:
    name, equals, value = word.partition("=")
    if name in VALUE_FLAGS:
        VALUE_FLAGS[name](line, value if equals else _next(word, words))
    elif word in PLAIN_FLAGS:
        PLAIN_FLAGS[word](line)
    elif name in BOOLEAN_FLAGS:
        BOOLEAN_FLAGS[name](line, value != "false")
    elif name in IGNORED_WITH_VALUE:
        _ = value if equals else _next(word, words)
    elif name in IGNORED:
        pass
    elif name in UNSUPPORTED:
        raise Diagnostic(f"'{word}' is not supported: {UNSUPPORTED[name]}")
    elif word[:2] in JOINED_FLAGS and len(word) > 2:
        JOINED_FLAGS[word[:2]](line, word[2:])
    elif word.startswith(("-W", "--Wno", "-f", "-m", "-pthread", "-pg", "-rdynamic", "-B", "-stdlib")):
        _host_like(line, word)
    else:
        raise Diagnostic(f"unknown option '{word}'", hint="host compiler flags go behind -Xcompiler")


def _next(word: str, words: Iterator[str]) -> str:
    value = next(words, None)
    if value is None:
        raise Diagnostic(f"'{word}' wants a value")
    return value


def _host_like(line: CommandLine, word: str) -> None:
    """A flag of the host compiler without -Xcompiler: nvcc takes some itself, and forwards others on request."""
    if word.startswith(("-W", "--W")):
        if word.startswith("-Wl,"):
            line.linker_flags.append(word)
        else:
            line.warnings.append(word.replace("--W", "-W"))
        return
    line.notes.append(f"'{word}' is passed to the host compiler; nvcc wants -Xcompiler {word}")
    line.host_flags.append(word)


# -- values ----------------------------------------------------------------------------------------------------------


def _split(value: str) -> list[str]:
    """nvcc splits the values of -Xcompiler and its like at commas; the shell that it starts splits at blanks."""
    return [word for part in re.split(r",(?=(?:[^\"']|\"[^\"]*\"|'[^']*')*$)", value) for word in shlex.split(part)]


def _host(line: CommandLine, value: str) -> None:
    line.host_flags += _split(value)


def _linker(line: CommandLine, value: str) -> None:
    line.linker_flags += [f"-Wl,{word}" for word in _split(value)]


def _standard(line: CommandLine, value: str) -> None:
    if not re.fullmatch(r"(c|gnu)\+\+(03|11|14|17|20|23|2a|2b|1y|1z)", value):
        raise Diagnostic(f"'-std={value}' is not a C++ standard that nvcc knows")
    # The CUDA headers here need C++14; older dialects are a subset for what CUDA programs do.
    line.standard = re.sub("(03|11)$", "14", value)


def _architecture(line: CommandLine, value: str) -> None:
    for name in value.split(","):
        match = re.fullmatch(r"(?:sm|compute|lto)_(\d+)[af]?", name.strip())
        if match:
            line.architectures.append(int(match.group(1)))
        elif name not in ("native", "all", "all-major"):
            raise Diagnostic(f"'{name}' is not a GPU architecture", hint="for example -arch=sm_80")


def _generate_code(line: CommandLine, value: str) -> None:
    """`arch=compute_80,code=sm_80` or `arch=compute_80,code=[sm_80,compute_80]`: the virtual architecture counts."""
    match = re.search(r"arch=(\w+)", value)
    if not match:
        raise Diagnostic(f"'-gencode {value}' names no arch=compute_XY")
    _architecture(line, match.group(1))


def _optimise(line: CommandLine, value: str) -> None:
    line.optimise = f"-O{value}" if value in ("0", "1", "2", "3", "s", "fast", "g", "z") else "-O3"


def _device_tool(line: CommandLine, value: str) -> None:
    """-Xptxas: of what ptxas takes, the level of optimisation means something here."""
    for word in _split(value):
        match = re.fullmatch(r"(?:-O|--opt-level=)([0-3])", word)
        if match:
            line.device_optimise = int(match.group(1)) if match.group(1) != "3" else None


def _library(line: CommandLine, value: str) -> None:
    line.linker_flags.append(f"-l{value}")


def _default_stream(line: CommandLine, value: str) -> None:
    if value not in ("legacy", "null", "per-thread"):
        raise Diagnostic(f"'--default-stream {value}': legacy or per-thread")
    line.per_thread_stream = value == "per-thread"


def _language(line: CommandLine, value: str) -> None:
    if value not in ("cu", "c", "c++", "cuda"):
        raise Diagnostic(f"'-x {value}': cu, c or c++")
    line.language = {"cu": "cuda"}.get(value, value)


def _dependency_file(flag: str) -> Setter:
    return lambda line, value: line.dependency_flags.extend((flag, value))


def _output(line: CommandLine, value: str) -> None:
    line.output = value


def _folder(line: CommandLine, value: str) -> None:
    line.output_folder = value


def _cpu(line: CommandLine, value: str) -> None:
    line.cpu = None if value == "native" else value


def _target(line: CommandLine, value: str) -> None:
    line.target = value


def _sysroot(line: CommandLine, value: str) -> None:
    line.sysroot = value


def _engine(line: CommandLine, value: str) -> None:
    line.engine = check_engine(value)


def _cudart(line: CommandLine, value: str) -> None:
    if value not in ("none", "shared", "static"):
        raise Diagnostic(f"'-cudart {value}': static, shared or none")
    line.cudart = value


def _off_pass(line: CommandLine, value: str) -> None:
    line.off_passes.append(value)


def _width(line: CommandLine, value: str) -> None:
    line.width = power_of_two("--width", value, MOST_WIDTH)


def _jam(line: CommandLine, value: str) -> None:
    line.jam = power_of_two("--jam", value, MOST_JAM)


def _jobs(line: CommandLine, value: str) -> None:
    """--threads, -split-compile: 0 means one for each processor."""
    if not value.isdecimal():
        raise Diagnostic(f"'{value}' is no number of threads")
    line.jobs = int(value) or None


def _preprocessor(flag: str) -> Setter:
    return lambda line, value: line.preprocessor.extend((flag, value))


def _error_kinds(line: CommandLine, value: str) -> None:
    if "all-warnings" in value:
        line.warnings.append("-Werror")


def _library_path(line: CommandLine, value: str) -> None:
    line.linker_flags.append(f"-L{value}")


def _separate_value(line: CommandLine, value: str) -> None:
    line.separate = value == "true"


def _both(*names: str, setter: Setter) -> dict[str, Setter]:
    return dict.fromkeys(names, setter)


def _truth(name: str) -> Setter:
    return lambda line, value: setattr(line, name, value != "false")


VALUE_FLAGS: dict[str, Setter] = {
    **dict.fromkeys(("-fmad", "--fmad"), _truth("fused_multiply_add")),
    **dict.fromkeys(("-ftz", "--ftz"), _truth("flush_denormals")),
    **_both("-o", "--output-file", setter=_output),
    **_both("-odir", "--output-directory", setter=_folder),
    **_both("-I", "--include-path", setter=_preprocessor("-I")),
    **_both("-D", "--define-macro", setter=_preprocessor("-D")),
    **_both("-U", "--undefine-macro", setter=_preprocessor("-U")),
    **_both("-include", "--pre-include", setter=_preprocessor("-include")),
    **_both("-isystem", "--system-include", setter=_preprocessor("-isystem")),
    **_both("-idirafter", setter=_preprocessor("-idirafter")),
    **_both("-L", "--library-path", setter=_library_path),
    **_both("-l", "--library", setter=_library),
    **_both("-x", "--x", setter=_language),
    **_both("-std", "--std", setter=_standard),
    **_both("-O", "--optimize", setter=_optimise),
    **_both("-arch", "--gpu-architecture", setter=_architecture),
    **_both("-gencode", "--generate-code", setter=_generate_code),
    **_both("-Xcompiler", "--compiler-options", setter=_host),
    **_both("-Xptxas", "--ptxas-options", setter=_device_tool),
    **_both("-Xlinker", "--linker-options", setter=_linker),
    **_both("-default-stream", "--default-stream", setter=_default_stream),
    **_both("-MF", "--dependency-output", setter=_dependency_file("-MF")),
    **_both("-MT", "--dependency-target-name", setter=_dependency_file("-MT")),
    **_both("-MQ", setter=_dependency_file("-MQ")),
    **_both("-Werror", "--Werror", setter=_error_kinds),
    **_both("-rdc", "--relocatable-device-code", setter=_separate_value),
    **_both("--cpu", "-march", setter=_cpu),
    **_both("--target", setter=_target),
    **_both("--sysroot", setter=_sysroot),
    **_both("--engine", setter=_engine),
    **_both("-cudart", "--cudart", setter=_cudart),
    **_both("--off-pass", setter=_off_pass),
    **_both("--width", setter=_width),
    **_both("--jam", setter=_jam),
    **_both("-t", "--threads", "-split-compile", "--split-compile", setter=_jobs),
}

JOINED_FLAGS: dict[str, Setter] = {flag: VALUE_FLAGS[flag] for flag in ("-I", "-D", "-U", "-L", "-l", "-O", "-o", "-x")}


def _set(**members: object) -> Callable[[CommandLine], None]:
    def apply(line: CommandLine) -> None:
        for name, value in members.items():
            setattr(line, name, value)

    return apply


def _depend(*flags: str) -> Callable[[CommandLine], None]:
    return lambda line: line.dependency_flags.extend(flags)


PLAIN_FLAGS: dict[str, Callable[[CommandLine], None]] = {
    "--fat": _set(fat=True),
    "--compare": _set(compare=True),
    **dict.fromkeys(("-c", "--compile"), _set(action=COMPILE)),
    **dict.fromkeys(("-dc", "--device-c"), _set(action=COMPILE, separate=True)),
    **dict.fromkeys(("-dw", "--device-w"), _set(action=COMPILE, separate=False)),
    **dict.fromkeys(("-dlink", "--device-link"), _set(action=DEVICE_LINK)),
    **dict.fromkeys(("-link", "--link"), _set(action=LINK)),
    **{dashes + flag: _set(action=flag) for flag in MODULES for dashes in ("", "-")},
    **dict.fromkeys(("-lib", "--lib"), _set(action=LIBRARY)),
    **dict.fromkeys(("-E", "--preprocess"), _set(action=PREPROCESS)),
    **dict.fromkeys(("-M", "--generate-dependencies"), _set(action=DEPENDENCIES, dependency_action="-M")),
    **dict.fromkeys(("-MM", "--generate-nonsystem-dependencies"), _set(action=DEPENDENCIES, dependency_action="-MM")),
    **dict.fromkeys(("-MD", "--generate-dependencies-with-compile"), _depend("-MD")),
    **dict.fromkeys(("-MMD", "--generate-nonsystem-dependencies-with-compile"), _depend("-MMD")),
    **dict.fromkeys(("-MP", "--generate-dependency-targets"), _depend("-MP")),
    **dict.fromkeys(("-shared", "--shared"), _set(shared=True)),
    **dict.fromkeys(("-g", "--debug"), _set(debug=True)),
    **dict.fromkeys(("-G", "--device-debug"), _set(device_debug=True)),
    **dict.fromkeys(("-lineinfo", "--generate-line-info"), _set(line_info=True)),
    **dict.fromkeys(("-w", "--disable-warnings"), lambda line: line.warnings.append("-w")),
    **dict.fromkeys(("-v", "--verbose"), _set(verbose=True)),
    **dict.fromkeys(("-dryrun", "--dryrun"), _set(dry_run=True)),
    **dict.fromkeys(("-keep", "--keep", "-save-temps", "--save-temps"), _set(keep=True)),
    **dict.fromkeys(("-V", "--version"), _set(version=True)),
    **dict.fromkeys(("-h", "--help"), _set(help=True)),
    **dict.fromkeys(("-noeh", "--no-exceptions"), lambda line: line.host_flags.append("-fno-exceptions")),
}


def _boolean(name: str) -> Callable[[CommandLine, bool], None]:
    return lambda line, value: setattr(line, name, value)


BOOLEAN_FLAGS: dict[str, Callable[[CommandLine, bool], None]] = {
    **dict.fromkeys(("-use_fast_math", "--use_fast_math"), _boolean("fast_math")),
    **dict.fromkeys(
        ("-extended-lambda", "--extended-lambda", "-expt-extended-lambda", "--expt-extended-lambda"),
        _boolean("extended_lambda"),
    ),
    **dict.fromkeys(("-expt-relaxed-constexpr", "--expt-relaxed-constexpr"), _boolean("relaxed_constexpr")),
}

# Flags that tune GPU code generation or nvcc's own workings: there is nothing for them to tune here. Division and
# square root are always exact, which is what the `false` forms of -prec-div and -prec-sqrt allow to give up.
_IGNORED_WITH_VALUE = """
--Ofast-compile -Ofc -Xarchive -Xcudafe -Xfatbin -Xnvlink -arbin --archive-options --archiver-binary
-brief-diag --brief-diagnostics -ccbin -code --compiler-bindir -cudadevrt --cudadevrt --cudafe-options
--diag-error -diag-error -diag-suppress --diag-suppress -diag-warn --diag-warn --dopt -dopt --fatbin-options
-ftemplate-backtrace-limit -ftemplate-depth --gpu-code -idp --input-drive-prefix -jump-table-density -keep-dir
--keep-dir -ldir --libdevice-directory --maxrregcount -maxrregcount --nvlink-options
--prec-div -prec-div --prec-sqrt -prec-sqrt
-stack-size -target-dir --target-directory --time -time
"""
_IGNORED = """
-Wdeprecated --allow-unsupported-compiler -allow-unsupported-compiler -augment-host-linker-script -compress-all
--compress-mode -compress-mode --device-int128 -device-int128 --display-error-number -display-error-number
--dlink-time-opt -dlto -ewp --extensible-whole-program -extra-device-vectorization --extra-device-vectorization
-fast-compile -fdevice-time-trace --forward-unknown-opts -forward-unknown-opts -forward-unknown-to-host-compiler
--forward-unknown-to-host-compiler -forward-unknown-to-host-linker --forward-unknown-to-host-linker --lto
-lto -m64 --machine --no-align-double -no-align-double -no-compress --no-compress -no-display-error-number
--no-display-error-number --no-host-device-initializer-list --no-host-device-move-forward -nohdinitlist
-nohdmoveforward -noprof -nostdlib++ -opt-info --opt-info -res-usage
--resource-usage --restrict -restrict -source-in-ptx --source-in-ptx
"""
IGNORED_WITH_VALUE = frozenset(_IGNORED_WITH_VALUE.split())
IGNORED = frozenset(_IGNORED.split())
UNSUPPORTED = {
    **dict.fromkeys(("-optix-ir", "--optix-ir", "-ltoir", "--ltoir"), "there is no GPU code to write"),
    **dict.fromkeys(("-cuda", "--cuda"), "the front end is clang, which writes no .cu.cpp file"),
    **dict.fromkeys(("-run", "--run"), "use `warploom run FILE.cu`"),
    **dict.fromkeys(("-m32",), "programs are 64-bit"),
}
