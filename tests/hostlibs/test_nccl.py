# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NCCL among processes, threads, and ranks of one thread; and what goes wrong."""

# functions: ncclGetUniqueId ncclCommInitRank ncclCommSplit ncclCommShrink ncclCommDestroy ncclCommAbort
# functions: ncclMemAlloc ncclMemFree ncclCommCount ncclCommUserRank ncclCommGetAsyncError
# functions: ncclGetErrorString ncclGetLastError ncclCommSuspend
# functions: ncclAllReduce ncclReduce ncclBroadcast ncclBcast ncclAllGather ncclReduceScatter ncclSend ncclRecv
# functions: ncclAlltoAll ncclGather ncclScatter ncclRedOpCreatePreMulSum ncclRedOpDestroy ncclGroupStart ncclGroupEnd
from __future__ import annotations

import os
import re
import time
from ctypes import byref, c_int, c_size_t, c_void_p
from pathlib import Path

import nccl
import numpy as np
import pytest
from nccl import Rank


@pytest.mark.parametrize("size", [2, 3])
def test_processes(libraries: Path, size: int) -> None:
    assert nccl.run_processes(libraries, size, nccl.check_all) == [0] * size


@pytest.mark.parametrize("size", [1, 4])
def test_threads(libraries: Path, size: int) -> None:
    checks = nccl.check_all if size > 1 else nccl.check_copies
    assert nccl.run_threads(libraries, size, checks) == []


def test_one_thread(libraries: Path) -> None:
    ranks = nccl.in_one_thread(libraries, 3)
    library = ranks[0].cuda.nccl
    for count in (5, 100_003):
        mine = [nccl.given(i, count).astype(np.float32) for i in range(3)]
        sums, whole = [np.zeros(count, np.float32) for _ in ranks], [np.zeros(3 * count, np.float32) for _ in ranks]
        pieces, got = [np.zeros(count, np.float32) for _ in ranks], [np.zeros(count, np.float32) for _ in ranks]
        tops, copies = [np.zeros(count, np.float32) for _ in ranks], [np.zeros(count, np.float32) for _ in ranks]
        library.ncclGroupStart()
        for i, one in enumerate(ranks):
            one.call("AllReduce", mine[i], sums[i], count, 7, nccl.SUM)
            one.call("AllGather", mine[i], whole[i], count, 7)
            one.call("ReduceScatter", whole[i], pieces[i], count, 7, nccl.AVERAGE)
            one.call("Reduce", mine[i], tops[i], count, 7, nccl.MAX, 1)
            one.call("Broadcast", mine[i], copies[i], count, 7, 2)
            one.call("Send", mine[i], count, 7, (i + 1) % 3)
            one.call("Recv", got[i], count, 7, (i + 2) % 3)
        assert library.ncclGroupEnd() == 0
        for i, one in enumerate(ranks):
            one.wait()
            assert np.array_equal(sums[i], sum(mine))
            assert np.array_equal(whole[i], np.concatenate(mine))
            assert np.array_equal(pieces[i], mine[i])
            assert np.array_equal(tops[i], np.max(mine, 0)) if i == 1 else not tops[i].any()
            assert np.array_equal(copies[i], mine[2])
            assert np.array_equal(got[i], mine[(i + 2) % 3])
    passed = [np.zeros(1, np.int32) for _ in ranks]  # from rank to rank, in one group
    passed[0][0] = 5
    library.ncclGroupStart()
    for i, one in enumerate(ranks[:2]):
        if i == 1:
            one.call("Send", passed[2], 1, 2, 0)
            one.call("Recv", passed[1], 1, 2, 0)
        one.call("Send", passed[i], 1, 2, i + 1)
        if i == 0:
            one.call("Recv", np.zeros(1, np.int32), 1, 2, 1)
    ranks[2].call("Recv", passed[2], 1, 2, 1)
    assert library.ncclGroupEnd() == 0
    ranks[2].wait()
    assert passed[2][0] == 5
    assert library.ncclAllReduce(None, None, 4, 7, 0, ranks[0].handle, None) == 4
    library.ncclGroupStart()
    for one in ranks:
        one.call("AllReduce", np.zeros(1), np.zeros(1), 1, 8, nccl.SUM if one.rank else nccl.MAX)
    assert library.ncclGroupEnd() == 5
    for one in ranks:
        one.destroy()


def order_of_streams(one: Rank) -> None:
    """Calls on two streams run in the order of the calls, though the first one's stream has other work before it."""
    runtime, other = one.cuda.runtime, Rank(one.cuda, one.handle, one.rank, one.size)
    numbers, late = np.ones(8, np.float32), c_void_p()
    assert one.cuda.nccl.ncclMemAlloc(byref(late), c_size_t(1 << 24)) == 0
    for _ in range(8):
        assert runtime.cudaMemsetAsync(late, 0, c_size_t(1 << 24), one.stream) == 0
    one.call("AllReduce", numbers, numbers, 8, 7, nccl.SUM)
    other.call("AllReduce", numbers, numbers, 8, 7, nccl.SUM)
    other.wait()
    assert numbers.tolist() == [one.size**2] * 8
    one.wait()
    assert one.cuda.nccl.ncclMemFree(late) == 0


def returns_before_others_come(one: Rank) -> None:
    """A call returns though the other rank has not made it yet."""
    number = np.full(4, one.rank + 1.0)
    if one.rank == 1:
        time.sleep(0.3)
    start = time.monotonic()
    one.call("AllReduce", number, number, 4, 8, nccl.SUM)
    assert one.rank == 1 or time.monotonic() - start < 0.2
    one.wait()
    assert number.tolist() == [3] * 4


def test_order(libraries: Path) -> None:
    assert nccl.run_processes(libraries, 2, order_of_streams) == [0, 0]
    assert nccl.run_processes(libraries, 2, returns_before_others_come) == [0, 0]
    assert nccl.run_threads(libraries, 2, order_of_streams) == []


def different_calls(one: Rank) -> None:
    numbers, error = np.ones(100, np.float32), c_int()
    one.start("AllReduce" if one.rank else "Broadcast", numbers, numbers, 100, 7, 0)
    assert one.cuda.runtime.cudaStreamSynchronize(one.stream) != 0 or one.rank == 0
    time.sleep(0.2)
    one.cuda.nccl.ncclCommGetAsyncError(one.handle, byref(error))
    assert error.value != 0 or one.rank == 0
    if error.value != 0:
        assert one.start("AllReduce", numbers, numbers, 100, 7, 0) != 0


def wrong_length(one: Rank) -> None:
    numbers = np.ones(100, np.float32)
    one.start("Send" if one.rank == 0 else "Recv", numbers, 100 if one.rank else 90, 7, 1 - one.rank)
    assert (one.cuda.runtime.cudaStreamSynchronize(one.stream) != 0) == (one.rank == 1)


def other_rank_ends(one: Rank) -> None:
    numbers = np.ones(100, np.float32)
    one.call("AllReduce", numbers, numbers, 100, 7, nccl.SUM)
    one.wait()
    if one.rank == 1:
        os._exit(0)
    one.start("AllReduce", numbers, numbers, 100, 7, nccl.SUM)
    assert one.cuda.runtime.cudaStreamSynchronize(one.stream) != 0


def aborted(one: Rank) -> None:
    numbers = np.ones(100, np.float32)
    if one.rank == 1:
        time.sleep(0.3)
    else:
        one.call("AllReduce", numbers, numbers, 100, 7, nccl.SUM)
    assert one.cuda.nccl.ncclCommAbort(one.handle) == 0
    one.handle = c_void_p()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (different_calls, r"ncclAllReduce: ranks make different calls: rank 1 .*, rank 0 ncclBroadcast\(100 of"),
        (wrong_length, r"ncclRecv: rank 1 expects 400 bytes of rank 0, which sends 360"),
        (other_rank_ends, r"ncclAllReduce: rank 0 waits for rank 1, whose process has ended"),
        (aborted, None),
    ],
)
def test_what_goes_wrong(libraries: Path, capfd: pytest.CaptureFixture[str], body: nccl.Body, message: str) -> None:
    assert nccl.run_processes(libraries, 2, body) == [0, 0]
    said = capfd.readouterr().err
    assert re.search(message, said) if message else not said


def test_nothing_is_left(libraries: Path) -> None:
    before = {path.name for path in Path("/dev/shm").glob("*warploom*")}
    assert nccl.run_processes(libraries, 2, other_rank_ends) == [0, 0]
    assert {path.name for path in Path("/dev/shm").glob("*warploom*")} == before


def test_bad_arguments(libraries: Path, capfd: pytest.CaptureFixture[str]) -> None:
    cuda = nccl.Cuda(libraries)
    handle, unique = c_void_p(), nccl.UniqueId()
    assert cuda.nccl.ncclCommInitRank(byref(handle), 2, unique, 2) == 4
    assert cuda.nccl.ncclCommInitRank(byref(handle), 2, unique, 0) == 4
    assert cuda.nccl.ncclCommDestroy(c_void_p(8)) == 4
    assert cuda.nccl.ncclGroupEnd() == 5
    assert cuda.nccl.ncclCommSuspend(handle, 0) == 5
    said = capfd.readouterr().err
    assert "rank 2 of 2 cannot be" in said
    assert "was not made by ncclGetUniqueId" in said
    assert "ncclCommSuspend is not supported" in said
    assert cuda.nccl.ncclGetErrorString(4) == b"invalid argument"
