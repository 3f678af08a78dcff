# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which CPU device code is compiled for, and what it then needs.

The default on x86-64 is the newest level that this machine has, with the dot products of bytes (VNNI) where it has
those; elsewhere the base of the architecture. `--cpu` (or `-march`) chooses another. An image says what it needs, and
the runtime refuses by name what the machine at hand lacks.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

_LEVEL_2 = ("sse3", "ssse3", "sse4.1", "sse4.2", "popcnt")
_LEVEL_3 = (*_LEVEL_2, "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
_LEVEL_4 = (*_LEVEL_3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")


def _features(names: tuple[str, ...]) -> str:
    return ",".join("+" + name for name in names)


# Of x86-64, and below it of every architecture, the base first: clang's -march, with more features behind a plus ->
# what code for it needs of the CPU.
CPU_FEATURES = {
    "x86-64": "",
    "x86-64-v2": _features(_LEVEL_2),
    "x86-64-v3": _features(_LEVEL_3),
    "x86-64-v3+avxvnni": _features((*_LEVEL_3, "avxvnni")),
    "x86-64-v4": _features(_LEVEL_4),
    "x86-64-v4+avx512vnni": _features((*_LEVEL_4, "avx512vnni")),
    "x86-64-v4+avx512vnni+avx512bf16": _features((*_LEVEL_4, "avx512vnni", "avx512bf16")),
}
# What --fat compiles for: each level that changes how device code is written, oldest first.
FAT_CPUS = ("x86-64-v2", "x86-64-v3", "x86-64-v4")
_CPUS = {
    "x86_64": CPU_FEATURES,
    "aarch64": {"armv8-a": "", "armv8.1-a": "+lse", "armv8.2-a+dotprod": "+lse,+dotprod"},
    "riscv64": {"rv64gc": "", "rv64gcv": "+v"},
}
# LLVM's names that differ from /proc/cpuinfo's.
_CPUINFO_NAMES = {
    "sse3": "pni",
    "sse4.1": "sse4_1",
    "sse4.2": "sse4_2",
    "bmi": "bmi1",
    "lzcnt": "abm",
    "avxvnni": "avx_vnni",
    "avx512vnni": "avx512_vnni",
    "avx512bf16": "avx512_bf16",
}


def cpus(arch: str) -> dict[str, str]:
    """What `--cpu` can name on an architecture, and the features that it stands for."""
    return _CPUS[arch]


def march_flags(cpu: str) -> list[str]:
    """What clang is told of a CPU that `--cpu` names."""
    base, *features = cpu.split("+")
    if base.startswith("x86-64"):
        return [f"-march={base}", *(f"-m{feature}" for feature in features)]
    return [f"-march={cpu}"]


def level_of(cpu: str) -> str:
    """The level of x86-64 that a CPU adds features to."""
    return cpu.partition("+")[0]


def default_cpu(arch: str | None = None) -> str:
    """The best of x86-64 that this machine has; the base of another architecture."""
    here = os.uname().machine
    if arch in (None, "x86_64") and here == "x86_64":
        return _newest_level()
    return next(iter(_CPUS[arch or here]))


@lru_cache(maxsize=1)
def _newest_level() -> str:
    return next(cpu for cpu in reversed(CPU_FEATURES) if not missing_features(cpu))  # the base needs nothing


def missing_features(cpu: str) -> list[str]:
    """What code for a level of x86-64 needs and this machine lacks, as LLVM names it."""
    present = cpu_flags()
    names = [word.removeprefix("+") for word in CPU_FEATURES.get(cpu, "").split(",") if word]
    return [name for name in names if _CPUINFO_NAMES.get(name, name) not in present]


def cpu_flags() -> frozenset[str]:
    """The feature flags of the first core as /proc/cpuinfo lists them."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("flags"):
                return frozenset(line.partition(":")[2].split())
    except OSError:
        pass
    return frozenset()
