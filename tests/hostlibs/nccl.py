# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NCCL by ctypes: ranks as processes, as threads of one process, or all of one thread; what they must find."""

from __future__ import annotations

import ctypes
import multiprocessing
import threading
from collections.abc import Callable
from ctypes import byref, c_int, c_size_t, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
SUM, PRODUCT, MAX, MIN, AVERAGE = range(5)
INTEGERS = {0: np.int8, 1: np.uint8, 2: np.int32, 3: np.uint32, 4: np.int64, 5: np.uint64}
FLOATS = {6: np.float16, 7: np.float32, 8: np.float64}
BFLOAT, E4M3, E5M2 = 9, 10, 11
TYPES = (*INTEGERS, *FLOATS, BFLOAT, E4M3, E5M2)


class UniqueId(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 128)]


def _byte_values(exponent_bits: int, fraction_bits: int) -> Array:
    """What the 256 numbers of 8 bits are worth."""
    bits = np.arange(256)
    bias = (1 << (exponent_bits - 1)) - 1
    fraction = (bits & ((1 << fraction_bits) - 1)) / (1 << fraction_bits)
    exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1)
    normal = (1 + fraction) * 2.0 ** (exponent - bias)
    values = np.where(exponent == 0, fraction * 2.0 ** (1 - bias), normal) * np.where(bits & 0x80, -1, 1)
    largest = 448 if fraction_bits == 3 else 57344
    return np.where(np.abs(values) > largest, np.nan, values)


BYTE_VALUES = {E4M3: _byte_values(4, 3), E5M2: _byte_values(5, 2)}


def encode(values: Array, kind: int) -> Array:
    """Numbers that the type holds exactly, as it stores them."""
    if kind in INTEGERS or kind in FLOATS:
        return values.astype({**INTEGERS, **FLOATS}[kind])
    if kind == BFLOAT:
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    table = BYTE_VALUES[kind]
    return np.array([int(np.nanargmin(np.abs(table - value))) for value in values], np.uint8)


def decode(stored: Array, kind: int) -> Array:
    """The numbers that are stored."""
    if kind == BFLOAT:
        return (stored.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return BYTE_VALUES[kind][stored] if kind in BYTE_VALUES else stored


def given(rank: int, count: int, seed: int = 0) -> Array:
    """What a rank has: 1 and 2, so that sums and products of a few are exact in all types."""
    return 1.0 + (np.arange(count) * 7 + rank * 3 + seed) % 5 // 3


class Cuda:
    """The runtime and NCCL of a folder."""

    def __init__(self, folder: Path) -> None:
        self.runtime = ctypes.CDLL(str(folder / "libcudart.so"))
        self.nccl = ctypes.CDLL(str(folder / "libnccl.so"))
        self.nccl.ncclGetErrorString.restype = ctypes.c_char_p
        self.nccl.ncclGetLastError.restype = ctypes.c_char_p

    def unique_id(self) -> UniqueId:
        made = UniqueId()
        assert self.nccl.ncclGetUniqueId(byref(made)) == 0
        return made


class Rank:
    """A communicator's rank with a stream of its own. Arrays of the host are memory of the device here."""

    def __init__(self, cuda: Cuda, handle: c_void_p, rank: int, size: int) -> None:
        self.cuda, self.handle, self.rank, self.size = cuda, handle, rank, size
        self.stream = c_void_p()
        assert cuda.runtime.cudaStreamCreateWithFlags(byref(self.stream), 1) == 0

    @classmethod
    def joined(cls, cuda: Cuda, unique: UniqueId, rank: int, size: int) -> Rank:
        handle = c_void_p()
        assert cuda.nccl.ncclCommInitRank(byref(handle), size, unique, rank) == 0
        return cls(cuda, handle, rank, size)

    def start(self, name: str, *arguments: object) -> int:
        """A call with arrays' addresses in place of arrays; its result."""
        plain = [c_void_p(each.ctypes.data) if isinstance(each, np.ndarray) else each for each in arguments]
        sized = [c_size_t(each) if isinstance(each, int) and place == self._count(name) else each
                 for place, each in enumerate(plain)]  # fmt: skip
        return int(getattr(self.cuda.nccl, f"nccl{name}")(*sized, self.handle, self.stream))

    def call(self, name: str, *arguments: object) -> None:
        assert self.start(name, *arguments) == 0, self.cuda.nccl.ncclGetLastError(None)

    @staticmethod
    def _count(name: str) -> int:
        return 1 if name in ("Send", "Recv", "Bcast") else 2

    def wait(self) -> None:
        assert self.cuda.runtime.cudaStreamSynchronize(self.stream) == 0

    def destroy(self) -> None:
        assert self.cuda.nccl.ncclCommDestroy(self.handle) == 0


Body = Callable[[Rank], None]


def _process(folder: Path, size: int, rank: int, body: Body, ids: Any) -> None:
    cuda = Cuda(folder)
    if rank == 0:
        unique = cuda.unique_id()
        for _ in range(size - 1):
            ids.put(bytes(unique))
    else:
        unique = UniqueId.from_buffer_copy(ids.get())
    one = Rank.joined(cuda, unique, rank, size)
    body(one)
    one.destroy()


def run_processes(folder: Path, size: int, body: Body) -> list[int]:
    """A process for each rank; their exit codes."""
    context = multiprocessing.get_context("fork")
    ids: Any = context.Queue()
    processes = [context.Process(target=_process, args=(folder, size, i, body, ids)) for i in range(size)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
        if process.is_alive():
            process.kill()
    return [process.exitcode or 0 for process in processes]


def run_threads(folder: Path, size: int, body: Body) -> list[Exception]:
    """A thread for each rank; what they raised."""
    cuda = Cuda(folder)
    unique = cuda.unique_id()
    raised: list[Exception] = []

    def run(rank: int) -> None:
        try:
            one = Rank.joined(cuda, unique, rank, size)
            body(one)
            one.destroy()
        except (AssertionError, AttributeError, ValueError) as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    return raised


def in_one_thread(folder: Path, size: int) -> list[Rank]:
    """All ranks, made in one group."""
    cuda = Cuda(folder)
    unique = cuda.unique_id()
    handles = [c_void_p() for _ in range(size)]
    assert cuda.nccl.ncclGroupStart() == 0
    for rank, handle in enumerate(handles):
        assert cuda.nccl.ncclCommInitRank(byref(handle), c_int(size), unique, c_int(rank)) == 0
    assert cuda.nccl.ncclGroupEnd() == 0
    return [Rank(cuda, handle, rank, size) for rank, handle in enumerate(handles)]


def combined(values: list[Array], op: int, kind: int) -> Array:
    """What all ranks' numbers become."""
    stacked = np.array(values)
    whole = [stacked.sum(0), stacked.prod(0), stacked.max(0), stacked.min(0), stacked.sum(0) / len(values)][op]
    if op == AVERAGE and kind in INTEGERS:
        return np.floor(whole)
    return whole


def check_reductions(one: Rank) -> None:
    """All types and operators, small and large, in place and not."""
    for kind in TYPES:
        for op in range(5):
            for count in (1, 67):
                check_reduction(one, kind, op, count)
    for kind, count in ((7, 5000), (7, 300_007), (0, 70_001), (6, 40_000), (8, 200_003)):
        check_reduction(one, kind, SUM, count)


def check_reduction(one: Rank, kind: int, op: int, count: int) -> None:
    """All-reduce, reduce and reduce-scatter."""
    everything = [given(i, count) for i in range(one.size)]
    want = combined(everything, op, kind)
    close = 2.0**-2 if kind in BYTE_VALUES else 2.0**-7 if kind in (6, BFLOAT) else 1e-6
    mine = encode(everything[one.rank], kind)
    got = np.zeros_like(mine)
    one.call("AllReduce", mine, got, count, kind, op)
    in_place = mine.copy()
    one.call("AllReduce", in_place, in_place, count, kind, op)
    root, at_root = count % one.size, np.zeros_like(mine)
    one.call("Reduce", mine, at_root, count, kind, op, root)
    one.wait()
    tolerance = close if op == AVERAGE and kind not in INTEGERS else 0
    np.testing.assert_allclose(decode(got, kind).astype(np.float64), want, rtol=tolerance)
    assert np.array_equal(got, in_place)
    assert np.array_equal(at_root, got) if one.rank == root else not at_root.any()
    pieces = encode(np.concatenate([given(one.rank, count, i) for i in range(one.size)]), kind)
    piece = np.zeros_like(mine)
    one.call("ReduceScatter", pieces, piece, count, kind, op)
    one.wait()
    want = combined([given(i, count, one.rank) for i in range(one.size)], op, kind)
    np.testing.assert_allclose(decode(piece, kind).astype(np.float64), want, rtol=tolerance)


def check_copies(one: Rank) -> None:
    """Broadcast, all-gather, and what is built of sends and receives."""
    for count in (1, 1000, 150_001):
        want = [given(i, count, 5).astype(np.float32) for i in range(one.size)]
        mine, whole = want[one.rank], np.zeros(one.size * count, np.float32)
        got = np.zeros_like(mine)
        for root in range(one.size):
            one.call("Broadcast", mine, got, count, 7, root)
            one.wait()
            assert np.array_equal(got, want[root])
        in_place = mine.copy()
        one.call("Bcast", in_place, count, 7, one.size - 1)
        one.call("AllGather", mine, whole, count, 7)
        one.wait()
        assert np.array_equal(in_place, want[-1])
        assert np.array_equal(whole, np.concatenate(want))
        check_messages(one, count)


def check_messages(one: Rank, count: int) -> None:
    """A ring, all to all, gather and scatter."""
    right, left = (one.rank + 1) % one.size, (one.rank - 1) % one.size
    mine, got = given(one.rank, count, 9).astype(np.float32), np.zeros(count, np.float32)
    one.cuda.nccl.ncclGroupStart()
    one.call("Send", mine, count, 7, right)
    one.call("Recv", got, count, 7, left)
    assert one.cuda.nccl.ncclGroupEnd() == 0
    one.wait()
    assert np.array_equal(got, given(left, count, 9).astype(np.float32))
    sent = np.concatenate([given(one.rank, count, i) for i in range(one.size)])
    received, pieces, own = np.zeros_like(sent), np.zeros_like(sent), np.zeros(count)
    one.call("AlltoAll", sent, received, count, 8)
    one.call("Gather", sent, pieces, count, 8, 0)
    one.call("Scatter", sent, own, count, 8, 0)
    one.wait()
    assert np.array_equal(received, np.concatenate([given(i, count, one.rank) for i in range(one.size)]))
    assert np.array_equal(own, given(0, count, one.rank))
    if one.rank == 0:
        assert np.array_equal(pieces, np.concatenate([given(i, count, 0) for i in range(one.size)]))


def check_scaled(one: Rank) -> None:
    """An operator of the program: each rank's numbers times its factor."""
    factor, op = np.array([one.rank + 2], np.float32), c_int()
    for residence in (0, 1):
        made = one.cuda.nccl.ncclRedOpCreatePreMulSum(byref(op), c_void_p(factor.ctypes.data), 7, residence, one.handle)
        assert made == 0
        for count in (10, 50_000):
            mine = given(one.rank, count).astype(np.float32)
            one.call("AllReduce", mine, mine, count, 7, op.value)
            one.wait()
            assert np.array_equal(mine, sum(given(i, count) * (i + 2) for i in range(one.size)))
        assert one.cuda.nccl.ncclRedOpDestroy(op, one.handle) == 0


def check_split(one: Rank) -> None:
    """Halves by parity, in the opposite order; one without the last rank."""
    color, made = one.rank % 2, c_void_p()
    assert one.cuda.nccl.ncclCommSplit(one.handle, color, -one.rank, byref(made), None) == 0
    half = list(range(color, one.size, 2))[::-1]
    part = Rank(one.cuda, made, half.index(one.rank), len(half))
    rank, count = c_int(), c_int()
    assert one.cuda.nccl.ncclCommUserRank(made, byref(rank)) == one.cuda.nccl.ncclCommCount(made, byref(count)) == 0
    assert (rank.value, count.value) == (part.rank, part.size)
    whole, mine = np.zeros(part.size, np.int32), np.array([one.rank], np.int32)
    part.call("AllGather", mine, whole, 1, 2)
    part.wait()
    assert whole.tolist() == half
    part.destroy()
    if one.rank == one.size - 1:
        return
    left_out = (c_int * 1)(one.size - 1)
    assert one.cuda.nccl.ncclCommShrink(one.handle, left_out, 1, byref(made), None, 0) == 0
    rest = Rank(one.cuda, made, one.rank, one.size - 1)
    rest.call("AllReduce", mine, mine, 1, 2, MAX)
    rest.wait()
    assert mine[0] == one.size - 2
    rest.destroy()


def check_graph(one: Rank) -> None:
    """Captured calls run at each launch."""
    runtime, graph, runs = one.cuda.runtime, c_void_p(), c_void_p()
    numbers = np.ones(70_000, np.float32)
    assert runtime.cudaStreamBeginCapture(one.stream, 1) == 0
    one.call("AllReduce", numbers, numbers, 70_000, 7, SUM)
    one.call("AllReduce", numbers, numbers, 100, 7, SUM)
    assert runtime.cudaStreamEndCapture(one.stream, byref(graph)) == 0
    assert runtime.cudaGraphInstantiate(byref(runs), graph, 0) == 0
    assert numbers[0] == 1
    for _ in range(3):
        assert runtime.cudaGraphLaunch(runs, one.stream) == 0
    one.wait()
    assert numbers[0] == one.size**6
    assert numbers[-1] == one.size**3


def check_all(one: Rank) -> None:
    """Everything that a rank can do by itself."""
    check_reductions(one)
    check_copies(one)
    check_scaled(one)
    check_split(one)
    check_graph(one)
