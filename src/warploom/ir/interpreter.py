# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference interpreter of the parallel IR: the judge of every pass.

Runs a Function at any stage for one launch: in order, or in a random order of threads and blocks under a seed. Every
access is checked against the bounds of its allocation. The function is translated to Python source once (translate.py)
and then run, which makes it some twenty times as fast as looking at each op when it runs.

What has no value (undef, poison, memory that nobody wrote) is 0, or random under a seed.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType

from warploom.core.records import dataclass, field
from warploom.core.remarks import Loc
from warploom.core.type_names import Any
from warploom.ir.core import Function, Op, Value
from warploom.ir.machine import (
    Endless,
    Machine,
    Unknown,
    insert,
    misaligned,
    reached_unreachable,
    starter,
    too_long,
    unknown,
)
from warploom.ir.memory import BadAddress, Memory
from warploom.ir.races import Race, Tracker
from warploom.ir.scalar import RUNTIME, Undefined
from warploom.ir.team import Restless, Schedule, Stalled, Team, Thread, ThreadEnd, drain
from warploom.ir.translate import Translator
from warploom.ir.translate_base import CannotTranslate

_FILE = "<translated kernel>"
_LIMIT = 5_000_000
_POINTER_OPERAND = {"load": 0, "store": 1, "atomicrmw": 0, "cmpxchg": 0}


class Fault(Exception):
    """The program did what it must not do; says which op did, and where it is in the source."""

    def __init__(self, what: str, op: Op | None) -> None:
        self.what, self.op = what, op
        self.loc: Loc | None = op.loc if op else None
        where = f" at {self.loc.file}:{self.loc.line}:{self.loc.column}" if self.loc else ""
        super().__init__(f"{op.name}{where}: {what}" if op else what)


class MemoryFault(Fault):
    """An access outside of every allocation, or to a freed one."""


class Deadlock(Fault):
    """Threads wait for threads that will never come."""


class Trap(Fault):
    """The program stopped itself, or did something undefined such as dividing by zero."""


class UnknownFunction(Fault):
    """A call of a function that neither the interpreter nor its caller knows."""


class TooLong(Fault):
    """A loop ran more often than the limit."""


_FAULTS: dict[type[Exception], type[Fault]] = {
    BadAddress: MemoryFault,
    Undefined: Trap,
    Unknown: UnknownFunction,
    Endless: TooLong,
    Restless: TooLong,
}


@dataclass(slots=True)
class Result:
    """What a run did: how often each op ran, and with races=True which accesses raced."""

    counts: Counter[str] = field(default_factory=Counter[str])
    races: list[Race] = field(default_factory=list[Race])

    @property
    def total(self) -> int:
        """All ops executed."""
        return self.counts.total()


# -- running ----------------------------------------------------------------------------------------------------------


def _run_out(kernel: Thread, schedule: Schedule) -> None:
    """Run code that no loop over threads is around: there is nobody to take turns with."""
    try:
        next(kernel)
        while True:
            kernel.send(schedule.quantum())
    except StopIteration:
        return


class Program:
    """A function translated once, to be run many times. Later changes to the function do not reach it."""

    def __init__(self, function: Function, seeded: bool = False, races: bool = False) -> None:
        self.function, self.seeded, self.races = function, seeded, races
        self.translator = Translator(function, seeded, races)
        try:
            self.translation = self.translator.translate()
        except CannotTranslate as error:
            raise Fault(f"the interpreter cannot run this: {error}", error.op) from error
        self.namespace: dict[str, Any] = {
            **RUNTIME,
            **self.translator.namespace,
            "CELL": memoryview(bytearray(4)).cast("f"),
            "Team": Team,
            "ThreadEnd": ThreadEnd,
            "drain": drain,
            "starter": starter,
            "insert": insert,
            "too_long": too_long,
            "reached_unreachable": reached_unreachable,
            "misaligned": misaligned,
        }
        exec(compile(self.translation.source, _FILE, "exec"), self.namespace)

    def run(
        self,
        grid: Sequence[int],
        block: Sequence[int],
        arguments: Sequence[Any],
        memory: Memory,
        seed: int | None = None,
        functions: Mapping[str, Callable[..., Any]] | None = None,
        dynamic_shared: int = 0,
        limit: int = _LIMIT,
    ) -> Result:
        """One launch; see run()."""
        assert (seed is not None) == self.seeded
        counts = [0] * len(self.translation.region_counts)
        tracker = Tracker(memory.describe) if self.races else None
        self._bind_machine(memory, seed, dict(functions or {}), dynamic_shared)
        threads = block[0] * block[1] * block[2]
        self.namespace.update(
            COUNTS=counts,
            LIMIT=limit,
            TRACKER=tracker,
            SCHEDULE=Schedule(seed, limit),
            WARP_THREADS=32,
            BLOCK_THREADS=threads,
            GRID_THREADS=threads * grid[0] * grid[1] * grid[2],
        )
        try:
            outcome = self.namespace["kernel"](*grid, *block, *arguments)
            if self.translation.kernel_is_generator or self.races:
                _run_out(outcome, self.namespace["SCHEDULE"])
        except (KeyError, struct.error, Stalled, *_FAULTS) as error:
            raise self._fault(error, memory) from error
        return self._result(counts, tracker)

    def _result(self, counts: list[int], tracker: Tracker | None) -> Result:
        result = Result()
        for times, ops in zip(counts, self.translation.region_counts, strict=True):
            for name, number in ops.items():
                result.counts[name] += times * number
        if tracker is not None:
            result.races = tracker.races(self.translator.sites)
        return result

    def _bind_machine(
        self, memory: Memory, seed: int | None, functions: dict[str, Callable[..., Any]], dynamic_shared: int
    ) -> None:
        machine = Machine(memory, seed, dynamic_shared)
        known = machine.table | functions
        for name, callee in self.translator.callees.items():
            own = self.translator.namespace[name]
            self.namespace[name] = known.get(callee) or own or unknown(callee)
        for name, place in self.translator.globals.items():
            if name not in memory.globals and name in known:
                memory.add_global(name, b"\0")
            if name not in memory.globals:
                raise Fault(f"global @{name} is not in memory.globals", None)
            self.namespace[place] = memory.globals[name]

        def call_address(address: int, *arguments: Any) -> Any:
            for name, place in memory.globals.items():
                if place == address and name in known:
                    return known[name](*arguments)
            raise Unknown(f"unknown function at {memory.describe(address)}")

        persistent: dict[tuple[str, tuple[int, ...]], int] = {}

        def new_shared(name: str, allocated: list[int], block: tuple[int, ...]) -> int:
            known_address = persistent.get((name, block))
            if known_address is not None:
                return known_address
            size = self.function.shared[name].size or dynamic_shared
            address = memory.allocate_garbage(size, machine.generator, "@" + name)
            if self.function.facts.persistent_shared:  # a split grid: shared memory outlives its parts
                persistent[name, block] = address
            else:
                allocated.append(address)
            return address

        self.namespace.update(
            MEMORY=memory,
            BUFFERS=memory.buffers,
            GENERATOR=machine.generator,
            call_address=call_address,
            new_shared=new_shared,
            garbage_int=machine.garbage_int,
            garbage_float=machine.garbage_float,
        )

    # -- errors --

    def _fault(self, error: Exception, memory: Memory) -> Exception:
        """What went wrong, in terms of the IR."""
        if isinstance(error, Stalled):
            ops = [(self.translator.sites[site], count) for site, count in sorted(error.sites.items())]
            waits = [
                f"{count} at {op.name}" + (f" ({op.loc.file}:{op.loc.line})" if op.loc else "") for op, count in ops
            ]
            return Deadlock(f"threads wait for ever: {', '.join(waits)}", ops[0][0] if ops else None)
        op, local = self._place(error.__traceback__)
        for kind, fault in _FAULTS.items():
            if isinstance(error, kind):
                return fault(str(error), op)
        if op is None or op.name not in _POINTER_OPERAND:
            return error
        pointer = op.operands[_POINTER_OPERAND[op.name]]
        address = local.get(self.translator.names[pointer], 0) if isinstance(pointer, Value) else 0
        type_ = op.operands[0].type if op.name == "store" else op.results[0].type
        return MemoryFault(f"{type_} at {memory.describe(address)}", op)

    def _place(self, traceback: TracebackType | None) -> tuple[Op | None, dict[str, Any]]:
        """The op that ran in the innermost translated function, and the local variables there."""
        found: tuple[Op | None, dict[str, Any]] = (None, {})
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == _FILE:
                found = (self.translation.line_ops[traceback.tb_lineno], traceback.tb_frame.f_locals)
            traceback = traceback.tb_next
        return found


def run(
    function: Function,
    grid: Sequence[int],
    block: Sequence[int],
    arguments: Sequence[Any],
    memory: Memory,
    seed: int | None = None,
    races: bool = False,
    functions: Mapping[str, Callable[..., Any]] | None = None,
    dynamic_shared: int = 0,
    limit: int = _LIMIT,
) -> Result:
    """Run one launch of `function`; `memory` holds the outcome.

    `grid` and `block` are x, y, z; `arguments` the kernel's own, integers as unsigned bits. seed=None: threads and
    blocks in order, else in a random order, with garbage where nothing was written. `functions`: what callees that are
    not known here do, by name. `dynamic_shared` in bytes. `limit`: how often a loop may go round, and how often
    threads may wait for each other outside of barriers.

    Raises Fault, with op and location.
    """
    program = Program(function, seed is not None, races)
    return program.run(grid, block, arguments, memory, seed, functions, dynamic_shared, limit)
