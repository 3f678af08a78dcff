# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The code generator as a process that waits for modules (llvm/emitter.c): a kernel's object without a fork.

    this process --bitcode's place, object's place--> emitter: LLVM loaded, a loop compiled --done--> this process

A fork of a process with LLVM in it costs a small kernel more than its code: 4 ms for the fork, 6 for the pages that the
fork has to copy or find again, of 17 in all. An emitter is started while clang runs, and serves all kernels of the
process. Where it ends before it has answered (a fault in LLVM, an interrupt) the caller writes the object in the usual
way (emission.py), which says what is wrong. The end of this process ends it; a fork of this process has none.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path

from warploom.cache import cached_entry, content_key
from warploom.core.child import start_child
from warploom.llvm.binding import OPTIONS
from warploom.llvm.module import Module
from warploom.target import ARCHITECTURES
from warploom.toolchain import Toolchain, run_tool

_SOURCE = Path(__file__).resolve().parent.parent / "llvm" / "emitter.c"
_PROGRAM = "emitter"


class _Emitter:
    """One such process, for the code generator at `level` and for `cpu`; OSError where it cannot be started."""

    def __init__(self, toolchain: Toolchain, level: int, cpu: str) -> None:
        self.is_for, self.has_emitted = (level, cpu), False
        target = toolchain.target
        program, features = _program(toolchain), ARCHITECTURES[target.arch].features
        plain = cpu.partition("+")[0]  # as LLVM has it; for the loop that it begins with, modules say it themselves
        words = (program, toolchain.llvm_library, target.triple, features, str(level), plain, *OPTIONS)
        self.process = start_child([*map(str, words)], has_messages=False)
        self.jobs, self.answers = self.process.pipes
        self.owner, self.pipes = os.getpid(), self._pipes()

    def _pipes(self) -> tuple[int, int]:
        return os.fstat(self.jobs).st_ino, os.fstat(self.answers).st_ino

    def emit(self, bitcode: Path, output: Path) -> bool:
        """Whether the object of that bitcode is at `output` now; False where the process has ended."""
        try:
            if self.owner != os.getpid() or self.pipes != self._pipes():  # a fork in C, or a program that closed all
                return False
            os.write(self.jobs, b"%b\0%b\0" % (os.fsencode(bitcode), os.fsencode(output)))
            return os.read(self.answers, 1) == b"\0"
        except OSError:
            return False

    def end(self) -> None:
        """Have it end, when it has nothing to do."""
        with suppress(OSError):
            if self.pipes == self._pipes():
                os.close(self.jobs)
                os.close(self.answers)


class _Waiting:
    """The emitter of this process, if it has one; a fork begins without."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.emitter: _Emitter | None = None
        self.is_of_use = True  # until it is found that none can be started here, or that it ends at once
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        self.lock = threading.Lock()
        self.put(None)

    def put(self, emitter: _Emitter | None) -> None:
        """`emitter` in place of the one that there is."""
        before, self.emitter = self.emitter, emitter
        if before is not None:
            before.end()


_waiting = _Waiting()


def start(toolchain: Toolchain, level: int, cpu: str) -> None:
    """Have an emitter wait for modules at that level and for that processor, unless one does so already."""
    with _waiting.lock:
        is_there = _waiting.emitter is not None and _waiting.emitter.is_for == (level, cpu)
        if is_there or not _waiting.is_of_use:
            return
        try:
            _waiting.put(_Emitter(toolchain, level, cpu))
        except OSError:
            _waiting.is_of_use = False


def started() -> None:
    """It is no child of this process any more."""
    with _waiting.lock:
        if _waiting.emitter is not None:
            _waiting.emitter.process.wait()


def end() -> None:
    """Have none wait any more, as in a process that has begun."""
    started()
    with _waiting.lock:
        _waiting.put(None)
        _waiting.is_of_use = True


def emit(module: Module, level: int, cpu: str, output: Path) -> bool:
    """Have the emitter write the object of `module` to `output`; whether there is one, and it did."""
    with _waiting.lock:
        emitter = _waiting.emitter
        if emitter is None or emitter.is_for != (level, cpu):
            return False
        bitcode, is_done = output.with_suffix(".emitted.bc"), False
        try:
            module.write_bitcode(bitcode)
            is_done = emitter.emit(bitcode, output)
            bitcode.unlink()
        finally:
            if is_done:
                emitter.has_emitted = True
            else:  # nor is its answer taken for that to another question
                _waiting.put(None)
                _waiting.is_of_use = emitter.has_emitted
        return is_done


def _program(toolchain: Toolchain) -> Path:
    """The program, built once."""
    key = content_key(_SOURCE.read_text(), str(toolchain.clang), toolchain.version)
    return cached_entry(_PROGRAM, key, lambda folder: _build(toolchain, folder / _PROGRAM)) / _PROGRAM


def _build(toolchain: Toolchain, program: Path) -> None:
    clang = toolchain.clang.with_name(toolchain.clang.name.replace("clang++", "clang"))
    linker = [] if toolchain.lld is None else [f"--ld-path={toolchain.lld}"]
    result = run_tool([clang, "-std=gnu11", "-O1", *linker, _SOURCE, "-o", program, "-ldl"])
    if result.returncode != 0:
        raise OSError(result.stderr)
