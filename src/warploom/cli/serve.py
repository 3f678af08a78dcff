# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`nvcc --serve=N`: command lines of warpcc one after the other, for a program that compiles kernels while it runs.

NVRTC (runtime/api/nvrtc_helper.cpp) keeps this process as long as its program lives: the passes are loaded once. A
request comes through the socket with the descriptor N: its size in eight bytes, and strings that each end in a zero
byte: the folder to work in, the file for messages, the number of words, these, and the environment. The answer is the
exit status in four bytes. When the program has gone the socket ends, and so does this.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Sequence

PREFIX = "--serve="


def serve(word: str, compile_one: Callable[[Sequence[str]], int]) -> int:
    """Answer requests until there are no more."""
    number = int(word.removeprefix(PREFIX))
    os.closerange(3, number)  # what the program has open is not to stay open for this process
    os.closerange(number + 1, os.sysconf("SC_OPEN_MAX"))
    with socket.socket(fileno=number) as stream:
        os.set_inheritable(number, False)
        while (size := int.from_bytes(_read(stream, 8), "little")) != 0:
            folder, messages, count, *rest = _read(stream, size).split(b"\0")[:-1]
            words, environment = rest[: int(count)], rest[int(count) :]
            os.environ.clear()
            os.environ.update((os.fsdecode(name), os.fsdecode(value)) for name, _, value in _pairs(environment))
            status = _answer(os.fsdecode(folder), messages, list(map(os.fsdecode, words)), compile_one)
            stream.sendall(status.to_bytes(4, "little"))
    return 0


def _pairs(environment: Sequence[bytes]) -> list[tuple[bytes, bytes, bytes]]:
    return [pair for entry in environment if (pair := entry.partition(b"="))[0]]


def _answer(folder: str, messages: bytes, words: Sequence[str], compile_one: Callable[[Sequence[str]], int]) -> int:
    """Run one command line, whose messages go to a file; its exit status."""
    from warploom.llvm.module import forgetting_modules

    log = os.open(messages, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    for descriptor in (1, 2):
        os.dup2(log, descriptor)
    os.close(log)
    os.chdir(folder)
    with forgetting_modules():
        return compile_one(words)


def _read(stream: socket.socket, size: int) -> bytes:
    """`size` bytes; none when the other side has gone."""
    data = bytearray()
    while len(data) < size:
        more = stream.recv(size - len(data))
        if not more:
            return b""
        data += more
    return bytes(data)
