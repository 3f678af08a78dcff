# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of cuda.core: what is launched in a builder is captured, and launched as a whole later."""

from __future__ import annotations

import ctypes
from typing import Any

from warploom.api import streams
from warploom.compat.cuda_core._stream import Stream, stream_from
from warploom.compat.cupy import pending
from warploom.compat.cupy.cuda.runtime import call

_MODES = {"global": 0, "thread_local": 1, "relaxed": 2}  # cudaStreamCaptureMode
_DEFAULT = "relaxed"


class _UpdateInfo(ctypes.Structure):
    """cudaGraphExecUpdateResultInfo."""

    _fields_ = (("result", ctypes.c_int), ("error_node", ctypes.c_void_p), ("error_from_node", ctypes.c_void_p))


class GraphBuilder:
    """Takes launches and copies in place of a stream, and makes a graph of them."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.is_building = False
        self._graph = ctypes.c_void_p()
        self.kept: list[Any] = []  # what the graph needs as long as it is there

    def begin_building(self, mode: str = _DEFAULT) -> GraphBuilder:
        """What is launched in the builder from here on becomes a part of the graph."""
        if mode not in _MODES:
            raise ValueError(f"Unsupported build mode: {mode} ({', '.join(_MODES)})")
        if self._graph:
            raise RuntimeError("Cannot resume building after building has ended.")
        pending.settle()
        call("cudaStreamBeginCapture", ctypes.c_void_p(self.stream.handle), _MODES[mode])
        self.is_building = True
        return self

    def end_building(self) -> GraphBuilder:
        """The graph has all its parts."""
        if not self.is_building:
            raise RuntimeError("Graph builder is not building.")
        self.is_building = False
        call("cudaStreamEndCapture", ctypes.c_void_p(self.stream.handle), ctypes.byref(self._graph))
        return self

    def complete(self, options: Any = None) -> Graph:
        """The graph, ready to be launched any number of times."""
        del options
        return Graph(self._whole(), self.kept)

    def update_of(self, graph: ctypes.c_void_p) -> None:
        """Make an executable graph launch what this builder has built."""
        info = _UpdateInfo()
        call("cudaGraphExecUpdate", graph, self._whole(), ctypes.byref(info))

    def close(self) -> None:
        """It is no longer used."""
        if self.is_building:
            self.end_building()
        if self._graph:
            call("cudaGraphDestroy", self._graph)
            self._graph = ctypes.c_void_p()

    def _whole(self) -> ctypes.c_void_p:
        if not self._graph:
            raise RuntimeError("Graph has not finished building.")
        return self._graph

    def __cuda_stream__(self) -> tuple[int, int]:
        return self.stream.__cuda_stream__()

    def __del__(self) -> None:
        self.close()


class Graph:
    """What a builder has built."""

    def __init__(self, graph: ctypes.c_void_p, kept: list[Any]) -> None:
        self._made, self._kept = ctypes.c_void_p(), [kept]
        call("cudaGraphInstantiate", ctypes.byref(self._made), graph, ctypes.c_ulonglong(0))

    @property
    def handle(self) -> int:
        """CUgraphExec."""
        return self._made.value or 0

    def update(self, builder: GraphBuilder) -> None:
        """Launch what another builder has built, of the same form. Raises CudaError where it has another one."""
        builder.update_of(self._made)
        self._kept.append(builder.kept)

    def upload(self, stream: Any) -> None:
        """It is going to be launched in that stream."""
        call("cudaGraphUpload", self._made, ctypes.c_void_p(stream_from(stream).handle))

    def launch(self, stream: Any) -> None:
        """Launch it in a stream."""
        chosen = stream_from(stream)
        call("cudaGraphLaunch", self._made, ctypes.c_void_p(chosen.handle))
        chosen.note()

    def close(self) -> None:
        """It is no longer used."""
        if self._made:
            pending.settle()
            call("cudaGraphExecDestroy", self._made)
            self._made = ctypes.c_void_p()

    def __del__(self) -> None:
        self.close()


def create_graph_builder(stream: Stream | None = None) -> GraphBuilder:
    """A builder that stands in for `stream` while it builds, or for a stream of its own."""
    return GraphBuilder(stream or Stream(streams.Stream(non_blocking=True), is_nonblocking=True))


setattr(Stream, "create_graph_builder", create_graph_builder)  # noqa: B010 - it is there once there are graphs
