# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Race detection for the interpreter: conflicting accesses that nothing orders.

Two accesses to the same byte conflict when one writes and not both are atomic. What orders them: program order, a
barrier of the block, of the grid, or of a warp between the two (for a warp, of both lanes), and the begin and end of
every parallel loop. Orders made by atomics and fences do not count.

Blocks have an epoch that each barrier advances. Inside a warp lanes have vector clocks, since a warp's barrier may
leave lanes out.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.core.records import dataclass, field
from warploom.ir.core import Op
from warploom.ir.ops import WARP_SIZE

_BLOCK_ITSELF = -1  # the code of `grid` outside of `block`, as a thread
_OUTSIDE = -1  # the code outside of `grid`, as a block


@dataclass(frozen=True, slots=True)
class Access:
    """Who did what when; `site` is the number of the op."""

    block: int
    thread: int
    grid_epoch: int
    block_epoch: int
    clock: int
    write: bool
    atomic: bool
    site: int


@dataclass(frozen=True, slots=True)
class Race:
    """Two ops of two threads on the same byte. `place` says where."""

    first: Op
    second: Op
    place: str
    blocks: tuple[int, int]
    threads: tuple[int, int]


@dataclass(slots=True)
class _BlockState:
    number: int
    epoch: int = 0
    clocks: dict[int, list[list[int]]] = field(default_factory=dict[int, list[list[int]]])

    def warp(self, number: int) -> list[list[int]]:
        """Vector clocks of the lanes, and last of the warp itself. A lane's own component starts ahead of what others
        know of it."""
        found = self.clocks.get(number)
        if found is None:
            found = self.clocks[number] = [[int(a == b) for b in range(WARP_SIZE + 1)] for a in range(WARP_SIZE + 1)]
        return found

    def join(self, number: int, lanes: list[int]) -> None:
        """What each of these lanes did so far is before what each does next."""
        warp = self.warp(number)
        joined = [max(column) for column in zip(*(warp[lane] for lane in lanes), strict=True)]
        for lane in lanes:
            warp[lane] = list(joined)
            warp[lane][lane] += 1


def _place(thread: int) -> tuple[int, int] | None:
    """Warp and lane of a thread; a warp's own code has number -2 - warp."""
    if thread >= 0:
        return thread // WARP_SIZE, thread % WARP_SIZE
    return (-2 - thread, WARP_SIZE) if thread < _BLOCK_ITSELF else None


class Tracker:
    """Told of every access and of every switch from one thread to another."""

    def __init__(self, describe: Callable[[int], str]) -> None:
        self.describe = describe
        self.state = _BlockState(_OUTSIDE)
        self.thread = _BLOCK_ITSELF
        self.grid_epoch = 0
        self.shadow: dict[int, dict[int, list[Access]]] = {}  # of each byte: site to its last accesses, of two threads
        self.found: dict[tuple[int, int], tuple[str, Access, Access]] = {}

    # -- threads --

    def enter_grid(self) -> Callable[[int], None]:
        """The grid begins: what to call when a block goes on."""
        self.grid_epoch += 1
        states: dict[int, _BlockState] = {}

        def enter(number: int) -> None:
            self.state = states.setdefault(number, _BlockState(number))
            self.thread = _BLOCK_ITSELF

        return enter

    def leave_grid(self) -> None:
        """The grid has ended."""
        self.grid_epoch += 1
        self.state, self.thread = _BlockState(_OUTSIDE), _BLOCK_ITSELF

    def passed_grid(self, _warp: int, _lanes: int) -> None:
        """A barrier of the grid."""
        self.grid_epoch += 1

    def enter_block(self, number_of: Callable[[int], int] = int) -> Callable[[int], None]:
        """A thread loop begins."""
        state = self.state
        state.epoch += 1

        def enter(number: int) -> None:
            self.state, self.thread = state, number_of(number)

        return enter

    def leave_block(self) -> None:
        """A thread loop has ended."""
        self.state.epoch += 1
        self.thread = _BLOCK_ITSELF

    def passed_block(self, warp: int, lanes: int) -> None:
        """A barrier of the block, or of some lanes of a warp."""
        if warp < 0:
            self.state.epoch += 1
        else:
            self.state.join(warp, [lane for lane in range(WARP_SIZE) if lanes >> lane & 1])

    def enter_warp(self) -> Callable[[int], None]:
        """A loop over warps begins."""
        return self.enter_block(lambda number: -2 - number)

    leave_warp = leave_block
    passed_warp = passed_block

    def enter_lane(self) -> Callable[[int], None]:
        """A loop over lanes begins."""
        warp = max(-2 - self.thread, 0)
        state = self.state
        state.join(warp, list(range(WARP_SIZE + 1)))

        def enter(number: int) -> None:
            self.state, self.thread = state, warp * WARP_SIZE + number

        return enter

    def leave_lane(self) -> None:
        """A loop over lanes has ended."""
        warp = max(self.thread, 0) // WARP_SIZE
        self.state.join(warp, list(range(WARP_SIZE + 1)))
        self.thread = -2 - warp

    def passed_lane(self, _warp: int, lanes: int) -> None:
        """A barrier of some lanes; in a loop over lanes they are all of one warp."""
        self.passed_block(max(self.thread, 0) // WARP_SIZE, lanes)

    # -- accesses --

    def access(self, address: int, size: int, write: bool, atomic: bool, site: int) -> None:
        """The thread that runs now touches bytes."""
        place = _place(self.thread)
        clock = self.state.warp(place[0])[place[1]][place[1]] if place else 0
        now = Access(self.state.number, self.thread, self.grid_epoch, self.state.epoch, clock, write, atomic, site)
        for byte in range(address, address + size):
            sites = self.shadow.setdefault(byte, {})
            for before in sites.values():
                for access in before:
                    if (write or access.write) and not (atomic and access.atomic) and not self.is_ordered(access):
                        self.report(access, now, byte)
            last = sites.setdefault(site, [])
            last[:] = [now, *(each for each in last if (each.block, each.thread) != (now.block, now.thread))][:2]

    def is_ordered(self, before: Access) -> bool:
        """Whether `before` certainly came before what the thread that runs now does."""
        if before.grid_epoch < self.grid_epoch:
            return True
        if before.block != self.state.number:
            return False
        if before.thread == self.thread or before.block_epoch < self.state.epoch:
            return True
        there, here = _place(before.thread), _place(self.thread)
        if there is None or here is None or there[0] != here[0]:
            return False
        return self.state.warp(here[0])[here[1]][there[1]] >= before.clock

    def report(self, before: Access, now: Access, byte: int) -> None:
        self.found.setdefault((before.site, now.site), (self.describe(byte), before, now))

    def races(self, sites: list[Op]) -> list[Race]:
        """Each pair of ops once."""
        unique: dict[frozenset[int], Race] = {}
        for (first, second), (place, before, now) in self.found.items():
            race = Race(sites[first], sites[second], place, (before.block, now.block), (before.thread, now.thread))
            unique.setdefault(frozenset((id(race.first), id(race.second))), race)
        return list(unique.values())
