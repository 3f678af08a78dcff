# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams in which kernels may still run.

On a GPU all that CuPy does goes to a stream, in order. Here NumPy does it at once: so it waits first for the kernels
that may still write to the memory that it reads.
"""

from __future__ import annotations

from warploom.api.streams import Stream

_launched: dict[Stream, int] = {}  # how many launches each has had since it was waited for


def note(stream: Stream) -> None:
    """A kernel was launched in `stream`."""
    _launched[stream] = _launched.get(stream, 0) + 1


def settle() -> None:
    """Wait for all kernels that were launched. KernelFault where one faulted."""
    while _launched:
        for stream, count in tuple(_launched.items()):
            try:
                stream.synchronize()
            finally:
                if _launched.get(stream) == count:  # no other thread has launched meanwhile
                    _launched.pop(stream, None)
