# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Teams of simulated threads, for the interpreter.

A thread is a Python generator. It yields None where another thread may run, or a request where it waits for others:

    (level, name, kind, site, operand...)      level: 0 warp, 1 block, 2 grid; site: number of the op

A team runs its members until all have ended. It answers the requests of its own levels; once every live member waits
for a higher level, the team is itself a member that waits: it yields one request for all.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator

from warploom.core.type_names import Any
from warploom.ir.ops import WARP_SIZE
from warploom.ir.scalar import signed

WARP, BLOCK, GRID = 0, 1, 2
ALL_LANES = 0xFFFFFFFF

Request = tuple[Any, ...]
Thread = Generator[Request | None, Any, Any]


class Stalled(Exception):
    """No thread can go on. `sites`: for each op at which threads wait, its number and theirs."""

    def __init__(self, sites: dict[int, int]) -> None:
        super().__init__("deadlock")
        self.sites = sites


class Restless(Exception):
    """Threads have let others run too often: they wait for a store that never comes."""


class ThreadEnd(Exception):
    """The thread ends here (PTX exit)."""


class Schedule:
    """The order in which threads run: in turn, or random under a seed.

    Under a seed a thread that goes on gets a quantum: how many memory accesses until it must let another run.
    """

    def __init__(self, seed: int | None, limit: int) -> None:
        self.random = None if seed is None else random.Random(seed)
        self.patience = limit
        self.quanta = [0]
        self.window = 1  # how many blocks run side by side, where they need not
        if self.random is not None:
            styles = [[0], [0, 0, 1, 2, 5], [0, 1, 3, 10, 30], [0, 20, 1 << 30], [1 << 30]]
            self.quanta = self.random.choice(styles)
            self.window = self.random.choice([1, 1, 2, 4])

    def pause(self) -> None:
        """A thread lets another run."""
        self.patience -= 1
        if self.patience < 0:
            raise Restless("threads wait too long for each other; give `limit` if that is meant")

    def quantum(self) -> int:
        """Memory accesses until the thread must yield."""
        return self.random.choice(self.quanta) if self.random else 0

    def order(self, count: int) -> list[int]:
        """The order in which members start."""
        numbers = list(range(count))
        if self.random:
            self.random.shuffle(numbers)
        return numbers

    def pick(self, ready: list[int]) -> int:
        """Take who runs next."""
        if self.random is None:
            return ready.pop()
        place = int(self.random.random() * len(ready))
        ready[place], ready[-1] = ready[-1], ready[place]
        return ready.pop()


# -- what a collective computes ---------------------------------------------------------------------------------------


def shuffle_source(kind: str, lane: int, operand: int, width: int) -> int:
    """The lane that `lane` reads. PTX ISA, shfl.sync: five bits of the operand count, the segment is 32 - width."""
    distance = operand & 31
    segment = (WARP_SIZE - width) & 31
    first = lane & segment
    last = first | (31 & ~segment)
    if kind == "idx":
        return first | (distance & ~segment)
    if kind == "up":
        return lane - distance if lane >= first + distance else lane
    source = lane + distance if kind == "down" else lane ^ distance
    return source if source <= last else lane


_REDUCTIONS: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: (a + b) & ALL_LANES,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "umin": min,
    "umax": max,
    "smin": lambda a, b: a if signed(a, 32) < signed(b, 32) else b,
    "smax": lambda a, b: a if signed(a, 32) > signed(b, 32) else b,
}


def _shuffle(requests: dict[int, Request]) -> dict[int, int]:
    answers: dict[int, int] = {}
    for lane, request in requests.items():
        source = shuffle_source(request[2], lane, request[6], request[7])
        answers[lane] = requests[source][5] if source in requests else 0
    return answers


def collective(requests: dict[int, Request]) -> dict[int, int]:
    """The result of a warp collective for each lane, given what each lane brought."""
    _, name, kind, _, _, *_ = next(iter(requests.values()))
    if name == "shuffle":
        return _shuffle(requests)
    if name == "barrier":
        return dict.fromkeys(requests, 0)
    values = {lane: request[5] for lane, request in requests.items()}
    present = sum(1 << lane for lane in requests)
    if name == "vote":
        ballot = sum(1 << lane for lane, value in values.items() if value)
        result = {"ballot": ballot, "any": int(ballot != 0), "all": int(ballot == present)}[kind]
    elif name == "match" and kind == "any":
        return {lane: sum(1 << n for n, value in values.items() if value == own) for lane, own in values.items()}
    elif name == "match":
        result = present if len(set(values.values())) == 1 else 0
    else:
        first, *rest = values.values()
        result = first
        for value in rest:
            result = _REDUCTIONS[kind](result, value)
    return dict.fromkeys(requests, result)


def barrier_answer(request: Request, true: int, total: int) -> int:
    """The result of a barrier for one thread: `true` of `total` threads brought a value that is not 0."""
    return {"count": true, "and": int(true == total), "or": int(true != 0)}.get(request[2], 0)


# -- teams ------------------------------------------------------------------------------------------------------------


class Team:
    """Members that run together: threads of a block, lanes, warps of a block, or blocks.

    `start(n)` makes member n. `levels`: the highest level that is this team's own. `lanes`: members are threads and
    consecutive ones form warps. `enter(n)` says that member n runs now. `window`: how many run side by side at first.
    """

    def __init__(
        self,
        count: int,
        start: Callable[[int], Thread],
        level: int,
        schedule: Schedule,
        lanes: bool = False,
        window: int | None = None,
        enter: Callable[[int], None] | None = None,
        passed: Callable[[int, int], None] | None = None,
    ) -> None:
        self.start, self.level, self.schedule, self.lanes = start, level, schedule, lanes
        self.enter, self.passed = enter, passed
        self.pending = schedule.order(count)[::-1]
        self.members: dict[int, Thread] = {}
        self.ready: list[int] = []
        self.answers: dict[int, Any] = {}
        self.waiting: dict[int, Request] = {}
        warps = -(-count // WARP_SIZE) if lanes else 0
        self.live = [(1 << min(WARP_SIZE, count - WARP_SIZE * warp)) - 1 for warp in range(warps)]
        self.arrived = [0] * warps  # lanes that wait at a collective
        self.admit(count if window is None else window)

    def admit(self, count: int) -> None:
        """Start some more members; they run after those that are ready."""
        new = [self.pending.pop() for _ in range(min(count, len(self.pending)))]
        for number in new:
            self.members[number] = self.start(number)
            self.answers[number] = None
        self.ready = new[::-1] + self.ready

    def run(self) -> Thread:
        """Run every member to its end."""
        while True:
            yield from self.run_ready()
            if not self.members and not self.pending:
                return
            if self.release():
                continue
            if self.pending:
                self.admit(1)
                continue
            higher = self.higher_request()
            if higher is None:
                raise Stalled(self.sites())
            result = yield higher
            self.release_all(result)

    def run_ready(self) -> Thread:
        """Run until every member waits or has ended."""
        generator = self.schedule.random
        polite: list[int] = []
        while self.ready or polite:
            if not self.ready:
                # Everyone who can run waits for a store by someone else: a member not started yet, or outside.
                self.ready, polite = polite[::-1], []
                self.admit(1)
                yield None
            number = self.schedule.pick(self.ready)
            if self.enter is not None:
                self.enter(number)
            try:
                request = self.members[number].send(self.answers[number])
            except (StopIteration, ThreadEnd):
                self.ended(number)
                continue
            if request is not None:
                self.wait(number, request)
                continue
            self.schedule.pause()
            if generator is None:
                self.answers[number] = 0
                polite.append(number)
                continue
            self.answers[number] = self.schedule.quantum()
            self.ready.append(number)
            if self.pending and generator.random() < 0.02:  # whoever spins may wait for a member not started yet
                self.admit(1)
            if generator.random() < 0.25:
                yield None

    def wait(self, number: int, request: Request) -> None:
        self.waiting[number] = request
        if request[0] == WARP and self.lanes and request[1] != "activemask":
            warp, lane = divmod(number, WARP_SIZE)
            self.arrived[warp] |= 1 << lane
            self.try_collective(warp, lane, request)

    def ended(self, number: int) -> None:
        del self.members[number]
        if self.lanes:
            warp, lane = divmod(number, WARP_SIZE)
            self.live[warp] &= ~(1 << lane)
            for other in range(WARP_SIZE):
                if self.arrived[warp] >> other & 1:
                    request = self.waiting[warp * WARP_SIZE + other]
                    if request[4] >> lane & 1:
                        self.try_collective(warp, other, request)
        elif self.pending:
            self.admit(1)

    def try_collective(self, warp: int, lane: int, request: Request) -> None:
        """Complete a warp collective when every live lane of its mask waits at the same operation and mask."""
        needed = request[4] & self.live[warp]
        # A lane outside of its own mask waits for ever.
        if needed & ~self.arrived[warp] or not needed >> lane & 1:
            return
        first = warp * WARP_SIZE
        present = {n: self.waiting[first + n] for n in range(WARP_SIZE) if needed >> n & 1}
        if any(other[1:3] != request[1:3] or other[4] != request[4] for other in present.values()):
            return
        if self.passed is not None and request[1] == "barrier":
            self.passed(warp, needed)
        answers = collective(present)
        self.arrived[warp] &= ~needed
        for n in reversed(present):
            self.go_on(first + n, answers[n])

    def go_on(self, number: int, answer: Any) -> None:
        del self.waiting[number]
        self.answers[number] = answer
        self.ready.append(number)

    # -- when nobody can run --

    def release(self) -> bool:
        """Let members go on that wait for something that has come about; false if there are none."""
        if self.lanes and self.release_activemask():
            return True
        if self.pending or not all(request[0] == self.level != WARP for request in self.waiting.values()):
            return False
        true = total = 0
        for request in self.waiting.values():
            true, total = true + request[4], total + request[5]
        self.release_all((true, total))
        if self.passed is not None:
            self.passed(-1, 0)
        return True

    def release_all(self, result: Any) -> None:
        """A barrier of everyone is complete: `result` is how many brought a true value, and how many there are."""
        for number, request in sorted(self.waiting.items(), reverse=True):
            self.go_on(number, barrier_answer(request, *result) if request[2] != "team" else result)

    def release_activemask(self) -> bool:
        warps: dict[int, list[int]] = {}
        for number, request in sorted(self.waiting.items()):
            if request[1] == "activemask":
                warps.setdefault(number // WARP_SIZE, []).append(number)
        for numbers in warps.values():
            chosen = self.schedule.random.choice(numbers) if self.schedule.random else numbers[0]
            group = [each for each in numbers if self.waiting[each][3] == self.waiting[chosen][3]]
            mask = sum(1 << each % WARP_SIZE for each in group)
            for each in reversed(group):
                self.go_on(each, mask)
        return bool(warps)

    def higher_request(self) -> Request | None:
        """One request for all members, when all wait for the same higher level."""
        levels = {request[0] for request in self.waiting.values()}
        if len(levels) != 1 or min(levels) <= self.level:
            return None
        true = sum(request[4] for request in self.waiting.values())
        total = sum(request[5] for request in self.waiting.values())
        first = next(iter(self.waiting.values()))
        return (first[0], first[1], "team", first[3], true, total)

    def sites(self) -> dict[int, int]:
        counts: dict[int, int] = {}
        for request in self.waiting.values():
            counts[request[3]] = counts.get(request[3], 0) + 1
        return counts


def drain(team: Team) -> None:
    """Run a team that nobody is above."""
    for request in team.run():
        if request is not None:
            raise Stalled({request[3]: 1})
