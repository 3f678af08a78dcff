# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code of its own for the launches that a program makes again and again.

    CALLS launches within SECONDS or longer, all with     ==>   a module for that block and these numbers, made by
    one block size, some whole numbers always the same          another process while the general code goes on

A launch takes it when its block and those numbers are the same, byte by byte (`special` of calls.c, `handle_for`); any
other launch takes the general code, as before. So what was seen is a guess that costs code and never a result. Floating
numbers are left as they are: with one folded into the code, what is rounded when could change in the middle of a run.

A module with variables has one copy of them: its kernels are left alone. So are those of the reference engine and of
-G, which are not made to be fast.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from warploom.api.runtime import CudaError, runtime
from warploom.cache import PACKAGE
from warploom.compiler.service import CompileError, Module, Request, find_module
from warploom.compiler.signature import KernelSignature
from warploom.core.fixed_launch import FixedLaunch
from warploom.core.launch import Dims
from warploom.core.records import dataclass
from warploom.core.turn import Turn
from warploom.diagnostics import Diagnostic
from warploom.engines import DEFAULT_ENGINE

SWITCH = "WARPLOOM_SPECIALISE"  # 0: never
CALLS, SECONDS = 32, 0.1
_MOST_CALLS = 100_000  # that are looked at until something repeats
_LARGEST = 1 << 31  # larger numbers are addresses and seeds, and decide nothing


@dataclass(frozen=True)
class Special:
    """A kernel for `launch` alone. `numbers`: the bytes of those parameters that are known."""

    launch: FixedLaunch
    handle: int
    numbers: tuple[tuple[int, bytes], ...]

    def is_for(self, block: Dims, values: Sequence[bytes]) -> bool:
        """Whether it is for a launch with these arguments."""
        return block == self.launch.block and all(values[number] == known for number, known in self.numbers)


class Watch:
    """What the launches of one kernel have had in common so far."""

    def __init__(self, signature: KernelSignature) -> None:
        self.is_over = False
        self._calls, self._since = 0, 0.0
        self._block: tuple[Dims, int] | None = None
        self._numbers: dict[int, tuple[int | None, int]] = {}
        self._whole = [
            number
            for number, each in enumerate(signature.parameters)
            if not each.is_pointer and each.type is not None and each.type.kind in ("i", "u", "b")
        ]

    def saw(self, block: Dims, args: Sequence[Any]) -> dict[int, int] | None:
        """Another launch that worked; when it is known what repeats, the numbers that did, with `block`. Threads that
        call at once may lose a count, and the caller's comparison is what makes it right."""
        self._calls += 1
        if self._block is None or self._block[0] != block:
            self._block, self._since = (block, self._calls), time.perf_counter()
        for number in self._whole:
            value = _number(args[number])
            if number not in self._numbers or self._numbers[number][0] != value:
                self._numbers[number] = value, self._calls  # since when
        before = self._calls - CALLS
        is_enough = self._block[1] <= before and time.perf_counter() - self._since >= SECONDS
        self.is_over = is_enough or self._calls > _MOST_CALLS
        if not is_enough:
            return None
        seen = list(self._numbers.items())
        return {number: value for number, (value, since) in seen if value is not None and since <= before}


def _number(value: Any) -> int | None:
    """A whole number that may decide how loops run; None for any other argument."""
    if not isinstance(value, int | np.integer | np.bool_):
        return None
    number = int(value)  # pyright: ignore[reportUnknownArgumentType]
    return number if -_LARGEST <= number < _LARGEST else None


def may_be_specialised(request: Request, module: Module) -> bool:
    """Whether copies of the module's kernels mean the same, and are made to be fast."""
    options, contents = request.options, module.contents
    is_fast = options.engine == DEFAULT_ENGINE and not options.device_debug and not contents.remarks
    is_python = Path(sys.executable).name.startswith("python")
    is_wanted = os.environ.get(SWITCH) != "0" and not options.device_launches and request.fixed is None
    return is_fast and is_python and is_wanted and not contents.variables


def special_numbers(signature: KernelSignature, numbers: Mapping[int, int]) -> tuple[tuple[int, bytes], ...]:
    """The bytes that the numbers have as arguments."""
    sizes = {number: signature.parameters[number].size for number in numbers}
    return tuple((at, (value & (1 << 64) - 1).to_bytes(8, "little")[: sizes[at]]) for at, value in numbers.items())


# The modules of one process are made one after the other: on one processor several would hold up the program in spite
# of their priority, by the caches that they share with it.
_queue = Turn()


def make_beside(request: Request, ready: Callable[[Module], None]) -> None:
    """Have a module made, by another process where the cache has none, and `ready` called with it from another thread.

    Nothing happens where it cannot be made: what there is goes on to run.
    """

    def wait() -> None:
        with suppress(OSError, Diagnostic, CompileError, CudaError):
            if find_module(request) is None:
                with _queue.lock:
                    _compile_elsewhere(request)
            made = find_module(request)
            if made is not None:
                ready(made)

    threading.Thread(target=wait, name="warploom-specialise", daemon=True).start()


def _compile_elsewhere(request: Request) -> None:
    """By a process of low priority: passes are Python, and would hold up the caller's."""
    paths = [str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    run_unseen([sys.executable, "-P", "-m", "warploom.compiler.beside"], environment, pickle.dumps(request))


def run_unseen(words: Sequence[str], environment: Mapping[str, str], given: bytes) -> int:
    """Run a program that reads what is `given`, and whose output is lost; its exit status. Calls by which this program
    waits for any child of its own do not meet it."""
    variables = [f"{name}={value}" for name, value in environment.items()]
    with tempfile.TemporaryFile() as file:
        file.write(given)
        file.seek(0)
        return runtime().function("__warploom_run_unseen")(_strings(words), _strings(variables), file.fileno())


def _strings(texts: Sequence[str]) -> ctypes.Array[ctypes.c_char_p]:
    """As execve takes them."""
    return (ctypes.c_char_p * (len(texts) + 1))(*map(os.fsencode, texts), None)
