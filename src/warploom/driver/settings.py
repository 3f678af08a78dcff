# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What decides about an object beside the command line and the files that are read: this Warploom, its clang, the
processor, the environment. `warpcc --settings-key` prints it as a key, for caches of compilers that know none of it.
"""

from __future__ import annotations

import os

from warploom import engines
from warploom.cache import content_key, package_key
from warploom.cpu import default_cpu
from warploom.frontend import cccl
from warploom.toolchain import Toolchain

# Variables that change what the compiler makes, but for those that choose an engine.
ENVIRONMENT = (
    "WARPLOOM_CLANG",
    "WARPLOOM_TOOLKIT",
    cccl.ENVIRONMENT,
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "LIBRARY_PATH",
    "NVCC_PREPEND_FLAGS",
    "NVCC_APPEND_FLAGS",
    "WARPLOOM_OFF_PASS",
    "WARPLOOM_WIDTH",
    "WARPLOOM_JAM",
    "WARPLOOM_LAUNCH_LIMIT",
)
_ENGINES = (engines.ENVIRONMENT, engines.COMPARE, engines.STRICT)


def given(names: tuple[str, ...] = ENVIRONMENT) -> list[str]:
    """`NAME=value` for each of these variables that is set."""
    return [f"{name}={os.environ[name]}" for name in names if name in os.environ]


def settings_key(toolchain: Toolchain) -> str:
    """Changes whenever the same command line and files may make another object."""
    cpu = default_cpu(toolchain.target.arch)
    return content_key(package_key(), str(toolchain.clang), toolchain.version, cpu, *given((*ENVIRONMENT, *_ENGINES)))
