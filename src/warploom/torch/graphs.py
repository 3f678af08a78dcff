# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The base class of torch.cuda.CUDAGraph."""

from __future__ import annotations

import ctypes
from typing import Any

from warploom.torch.calls import Calls

_MODES = {"global": 0, "thread_local": 1, "relaxed": 2}  # cudaStreamCaptureMode


class _Owner:
    """Owns a graph of native/graph.cpp: subclasses of the class below have a `__del__` of their own."""

    def __init__(self, calls: Calls, keep: bool) -> None:
        self.calls = calls
        self.pointer = ctypes.c_void_p()
        calls.graph_new(int(keep), ctypes.byref(self.pointer))

    def __del__(self) -> None:
        if self.pointer:
            self.calls.library.warploom_torch_graph_delete(self.pointer)


def graph_base(calls: Calls) -> type:  # noqa: C901  (a class of small methods)
    """torch._C._CUDAGraph."""

    class _CUDAGraph:
        _owner: _Owner

        def __new__(cls, keep_graph: bool = False) -> Any:
            made = super().__new__(cls)
            made._owner = _Owner(calls, keep_graph)
            return made

        def capture_begin(self, pool: tuple[int, int] | None = None, capture_error_mode: str = "global") -> None:
            if capture_error_mode not in _MODES:
                expected = ", ".join(f'"{mode}"' for mode in _MODES)
                raise RuntimeError(f"Unknown capture error mode. Expected {expected}, got {capture_error_mode}")
            calls.graph_begin(self._owner.pointer, *(pool or (0, 0)), _MODES[capture_error_mode])

        def capture_end(self) -> None:
            calls.graph_end(self._owner.pointer)

        def instantiate(self) -> None:
            calls.graph_instantiate(self._owner.pointer)

        def replay(self) -> None:
            calls.graph_replay(self._owner.pointer)

        def reset(self) -> None:
            calls.graph_reset(self._owner.pointer)

        def pool(self) -> tuple[int, int]:
            out = (ctypes.c_int64 * 2)()
            calls.graph_pool(self._owner.pointer, out)
            return out[0], out[1]

        def register_generator_state(self, generator: Any) -> None:
            raise NotImplementedError("Warploom's CUDA graphs know the default generator alone")

        def enable_debug_mode(self) -> None:
            raise NotImplementedError("ask for CUDAGraph(keep_graph=True), then debug_dump works")

        def debug_dump(self, debug_path: str) -> None:
            calls.graph_dump(self._owner.pointer, ctypes.c_char_p(debug_path.encode()))

        def raw_cuda_graph(self) -> int:
            return calls.graph_handle(self._owner.pointer, 0)

        def raw_cuda_graph_exec(self) -> int:
            return calls.graph_handle(self._owner.pointer, 1)

    return _CUDAGraph
