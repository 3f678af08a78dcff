# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a module of kernels is compiled, and the words for it that NVRTC and nvcc have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from warploom.core.records import dataclass, replace
from warploom.diagnostics import Diagnostic
from warploom.engines import DEFAULT_ENGINE, check_engine

_PATHS = ("-I", "-D", "-U", "-isystem", "-include")
_LONG = {
    "--include-path": "-I",
    "--define-macro": "-D",
    "--undefine-macro": "-U",
    "--pre-include": "-include",
    "--std": "-std",
    "--gpu-architecture": "-arch",
    "--fmad": "-fmad",
    "--ftz": "-ftz",
    "--engine": "-engine",
    "--off-pass": "-off-pass",
    "--cpu": "-cpu",
}
_SWITCHES: dict[str, dict[str, bool]] = {
    "-G": {"device_debug": True},
    "--device-debug": {"device_debug": True},
    "-lineinfo": {"line_info": True},
    "--generate-line-info": {"line_info": True},
    "-use_fast_math": {"fast_math": True},
    "--use_fast_math": {"fast_math": True},
    "-extended-lambda": {"extended_lambda": True},
    "--extended-lambda": {"extended_lambda": True},
    "-expt-extended-lambda": {"extended_lambda": True},
    "--expt-extended-lambda": {"extended_lambda": True},
    "-expt-relaxed-constexpr": {"relaxed_constexpr": True},
    "--expt-relaxed-constexpr": {"relaxed_constexpr": True},
    "-dc": {"device_launches": True},
    "--device-c": {"device_launches": True},
    "-rdc=true": {"device_launches": True},
    "--relocatable-device-code=true": {"device_launches": True},
    "-w": {"quiet": True},
    "--disable-warnings": {"quiet": True},
}
# What a GPU's compiler does with registers, divisions and its own steps, and what is so here anyway.
_NOTHING_TO_DO = (
    "-prec-div", "--prec-div", "-prec-sqrt", "--prec-sqrt", "-maxrregcount", "--maxrregcount", "-default-device",
    "--device-as-default-execution-space", "--ptxas-options", "-Xptxas", "-restrict", "--restrict", "-rdc=false",
    "--relocatable-device-code=false", "-dw", "-O3", "-O2", "--extra-device-vectorization",
)  # fmt: skip


@dataclass(frozen=True)
class Options:
    """How the kernels of one module are compiled. Every field takes part in the key of the cache."""

    preprocessor: tuple[str, ...] = ()  # -I -D -U -isystem -include, in order, as clang takes them
    standard: str = "c++17"
    arch: int = 80  # __CUDA_ARCH__ / 10
    fast_math: bool = False
    fused_multiply_add: bool = True
    flush_denormals: bool | None = None  # None: as fast_math says
    line_info: bool = False  # faults are told with their lines
    device_debug: bool = False  # and with their threads; slow
    extended_lambda: bool = False
    relaxed_constexpr: bool = False
    device_launches: bool = False  # kernels may launch kernels of the module
    quiet: bool = False  # no warnings
    engine: str = DEFAULT_ENGINE
    cpu: str = ""  # as `warpcc --cpu` has it; empty: the machine at hand
    off_passes: tuple[str, ...] = ()

    # The CUDA headers are read first, and precompiled, when no flag may change what they say: folders and macros of the
    # user's own come behind them.

    @property
    def before_headers(self) -> tuple[str, ...]:
        """The words of `preprocessor` that the CUDA headers must see, too."""
        return tuple(word for kind, words in self._sorted() if kind == "before" for word in words)

    @property
    def places(self) -> tuple[str, ...]:
        """The words of `preprocessor` that say where headers are."""
        return tuple(word for kind, words in self._sorted() if kind == "place" for word in words)

    @property
    def defines(self) -> tuple[tuple[str, str], ...]:
        """The user's macros: names, with parameters where they have some, and values."""
        texts = (words[0][2:].partition("=") for kind, words in self._sorted() if kind == "macro")
        return tuple((name, value if equals else "1") for name, equals, value in texts)

    def _sorted(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        words = iter(self.preprocessor)
        for word in words:
            if word.startswith("-I"):
                yield "place", (word,)
            elif word == "-isystem":
                yield "place", (word, next(words))
            elif word.startswith("-D") and not word[2:].startswith(("_", "CU", "NV", "WARPLOOM")):
                yield "macro", (word,)
            else:
                yield "before", (word,) if len(word) > 2 and word != "-include" else (word, next(words))


PLAIN = Options()


def parse_options(words: Sequence[str], base: Options = PLAIN) -> Options:
    """`base`, changed by the words of a command line of NVRTC or nvcc; a Diagnostic for one that is not known."""
    found, rest = base, iter(words)
    for word in rest:
        found = _with(found, word, rest)
    return found


def _with(options: Options, word: str, rest: Iterator[str]) -> Options:
    if word in _SWITCHES:
        return replace(options, **_SWITCHES[word])
    if word.startswith(_NOTHING_TO_DO):
        return options
    name, equals, value = word.partition("=")
    short = _LONG.get(name, name)
    for flag in _PATHS:
        if short == flag and equals:
            return _preprocessed(options, flag, value)
        if word == flag or (word in _LONG and short == flag):
            return _preprocessed(options, flag, _next(word, rest))
        if word.startswith(flag) and not word.startswith("--"):
            return _preprocessed(options, flag, word.removeprefix(flag))
    return _valued(options, word, short, value if equals else _next(word, rest))


def _preprocessed(options: Options, flag: str, value: str) -> Options:
    joined = (flag + value,) if len(flag) == 2 else (flag, value)
    return replace(options, preprocessor=options.preprocessor + joined)


def _valued(options: Options, word: str, name: str, value: str) -> Options:
    if name == "-std":
        return replace(options, standard=re.sub("(03|11)$", "14", value))  # which the CUDA headers here need
    if name == "-arch":
        return replace(options, arch=_architecture(word, value))
    if name in ("-fmad", "-ftz"):
        field = "fused_multiply_add" if name == "-fmad" else "flush_denormals"
        return replace(options, **{field: _truth(word, value)})
    if name == "-engine":
        return replace(options, engine=check_engine(value))
    if name == "-off-pass":
        return replace(options, off_passes=(*options.off_passes, *filter(None, value.split(","))))
    if name == "-cpu":
        return replace(options, cpu=value)
    raise Diagnostic(
        f"the option '{word}' is not known", hint="-I -D -U -std= -arch= -fmad= -ftz= -use_fast_math -lineinfo -G"
    )


def _next(word: str, rest: Iterator[str]) -> str:
    value = next(rest, None)
    if value is None:
        raise Diagnostic(f"the option '{word}' is not known, or wants a value")
    return value


def _truth(word: str, value: str) -> bool:
    if value not in ("true", "false"):
        raise Diagnostic(f"the option '{word}' is true or false")
    return value == "true"


def _architecture(word: str, value: str) -> int:
    digits = value.rpartition("_")[2].rstrip("af")
    if not digits.isdecimal():
        raise Diagnostic(f"the option '{word}' names no architecture", hint="for example -arch=sm_80")
    return min(int(digits), 80)  # what the device here is
