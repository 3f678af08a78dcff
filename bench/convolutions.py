# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The convolutions of ResNet-50 with our cuDNN and with PyTorch's (oneDNN), on one thread: a table of GFLOP/s.

    WARPLOOM_NUM_THREADS=1 OMP_NUM_THREADS=1 python bench/convolutions.py .../libcudnn.so [BATCH] [forward|data|weights]

needs a Python with torch. Times are of the processor, the least of several runs taken in turns.
"""

from __future__ import annotations

import ctypes
import math
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

# channels in, channels out, extent of the image, window, step
LAYERS = (
    (64, 64, 56, 1, 1), (64, 64, 56, 3, 1), (64, 256, 56, 1, 1), (256, 64, 56, 1, 1), (256, 128, 56, 1, 1),
    (128, 128, 56, 3, 2), (128, 512, 28, 1, 1), (256, 512, 56, 1, 2), (512, 128, 28, 1, 1), (128, 128, 28, 3, 1),
    (512, 256, 28, 1, 1), (256, 256, 28, 3, 2), (256, 1024, 14, 1, 1), (512, 1024, 28, 1, 2), (1024, 256, 14, 1, 1),
    (256, 256, 14, 3, 1), (1024, 512, 14, 1, 1), (512, 512, 14, 3, 2), (512, 2048, 7, 1, 1), (1024, 2048, 14, 1, 2),
    (2048, 512, 7, 1, 1), (512, 512, 7, 3, 1),
)  # fmt: skip


def best(call: Callable[[], object], budget: float, least: int = 3) -> float:
    """The least seconds of the processor that a call takes."""
    found, spent, runs = math.inf, 0.0, 0
    while runs < least or spent < budget:
        start = time.process_time()
        call()
        took = time.process_time() - start
        found, spent, runs = min(found, took), spent + took, runs + 1
    return found


def integers(*values: int) -> Any:
    return (ctypes.c_int * len(values))(*values)


class Dnn:
    """Calls with a handle."""

    def __init__(self, path: str) -> None:
        self.library = ctypes.CDLL(path)
        self.handle = ctypes.c_void_p()
        assert self.library.cudnnCreate(ctypes.byref(self.handle)) == 0

    def make(self, kind: str, *arguments: object) -> ctypes.c_void_p:
        made = ctypes.c_void_p()
        assert getattr(self.library, f"cudnnCreate{kind}Descriptor")(ctypes.byref(made)) == 0
        assert (
            getattr(self.library, f"cudnnSet{kind}NdDescriptor{'Ex' if kind == 'Tensor' else ''}")(made, *arguments)
            == 0
        )
        return made

    def layer(self, x: Any, w: Any, y: Any, pad: int, step: int, what: str) -> Callable[[], object]:
        """The call that computes a layer, or a gradient of it."""
        tensors = [self.make("Tensor", 0, 0, 4, integers(*each.shape)) for each in (x, y)]
        weights = self.make("Filter", 0, 0, 4, integers(*w.shape))
        shape = self.make("Convolution", 2, integers(pad, pad), integers(step, step), integers(1, 1), 1, 0)
        one, zero = ctypes.c_float(1), ctypes.c_float(0)
        data = [ctypes.c_void_p(each.ctypes.data) for each in (x, w, y)]
        middle = (shape, 1, None, ctypes.c_size_t(0), ctypes.byref(zero))
        first, last = ctypes.byref(one), self.library.cudaDeviceSynchronize

        def run() -> None:
            if what == "forward":
                arguments: tuple[object, ...] = (tensors[0], data[0], weights, data[1], *middle, tensors[1], data[2])
                status = self.library.cudnnConvolutionForward(self.handle, first, *arguments)
            elif what == "data":
                arguments = (weights, data[1], tensors[1], data[2], *middle, tensors[0], data[0])
                status = self.library.cudnnConvolutionBackwardData(self.handle, first, *arguments)
            else:
                arguments = (tensors[0], data[0], tensors[1], data[2], *middle, weights, data[1])
                status = self.library.cudnnConvolutionBackwardFilter(self.handle, first, *arguments)
            assert status == 0
            assert last() == 0

        return run


def of_torch(x: Any, w: Any, y: Any, pad: int, step: int, what: str) -> Callable[[], object]:
    a, b, c = (torch.from_numpy(each) for each in (x, w, y))
    if what == "forward":
        return lambda: torch.nn.functional.conv2d(a, b, stride=step, padding=pad)
    if what == "data":
        return lambda: torch.nn.grad.conv2d_input(a.shape, b, c, stride=step, padding=pad)
    return lambda: torch.nn.grad.conv2d_weight(a, b.shape, c, stride=step, padding=pad)


def main(path: str, batch: int = 1, what: str = "forward", budget: float = 0.15) -> None:
    torch.set_num_threads(1)
    dnn, rng, ratios = Dnn(path), np.random.default_rng(1), []
    print("| layer | ours | oneDNN | ratio |\n|---|---|---|---|")
    for inner, outer, size, window, step in LAYERS:
        pad, out = window // 2, (size - 1) // step + 1
        x = rng.standard_normal((batch, inner, size, size)).astype(np.float32)
        w = rng.standard_normal((outer, inner, window, window)).astype(np.float32)
        y = rng.standard_normal((batch, outer, out, out)).astype(np.float32)
        work = 2e-9 * y.size * inner * window * window
        with torch.no_grad():
            calls = of_torch(x, w, y, pad, step, what), dnn.layer(x, w, y, pad, step, what)
            theirs, ours = (best(call, budget) for call in calls)
        ratios.append(theirs / ours)
        name = f"{window}x{window}/{step}, {inner} to {outer}, {size}"
        print(f"| {name} | {work / ours:.0f} | {work / theirs:.0f} | {theirs / ours:.2f} |", flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"\ngeometric mean {mean:.2f}, least {min(ratios):.2f}")


if __name__ == "__main__":
    main(sys.argv[1], *(int(each) if each.isdigit() else each for each in sys.argv[2:]))  # type: ignore[arg-type]
