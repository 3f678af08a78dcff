# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files of ATen's CUDA kernels that are compiled, and the operators each brings.

Most kernels are behind a dispatch stub: the operator's code is in libtorch_cpu, for all devices, and asks the stub for
the kernel of its device. Which operators a file serves is therefore written down here; an operator whose kernel is
missing all the same runs on the CPU backend, and is counted there.
"""

from __future__ import annotations

from warploom.core.records import dataclass

CUDA_FOLDER = "aten/src/ATen/native/cuda"  # in PyTorch's sources


@dataclass(frozen=True)
class Unit:
    """One file."""

    file: str  # in CUDA_FOLDER, or what torchgen writes
    # Of aten, each with its functional, in-place and out variants where these are one kernel.
    operators: tuple[str, ...]

    @property
    def is_generated(self) -> bool:
        """Whether torchgen writes it."""
        return self.file.startswith("Ufunc")


UNITS = (
    Unit("FillKernel.cu", ("fill_.Scalar", "fill_.Tensor")),
    Unit("UfuncCUDA_add.cu", ("add.out", "sub.out")),
    Unit("BinaryMulKernel.cu", ("mul.out",)),
    Unit("BinaryDivTrueKernel.cu", ("div.out",)),
    Unit("ActivationThresholdKernel.cu", ("threshold.out", "threshold_backward.grad_input")),
    Unit("ReduceSumProdKernel.cu", ("sum.IntList_out", "prod.int_out")),
    Unit("ReduceMomentKernel.cu", ("mean.out", "std.correction", "var.correction")),
    Unit(
        "SoftMax.cu",
        ("_softmax.out", "_softmax_backward_data.out", "_log_softmax.out", "_log_softmax_backward_data.out"),
    ),
    Unit("layer_norm_kernel.cu", ("native_layer_norm", "native_layer_norm_backward")),
    Unit("Normalization.cu", ("native_batch_norm", "native_batch_norm.out", "native_batch_norm_backward")),
    Unit(
        "NLLLoss2d.cu",
        ("nll_loss2d_forward.output", "nll_loss2d_forward", "nll_loss2d_backward.grad_input", "nll_loss2d_backward"),
    ),
    Unit("Loss.cu", ("nll_loss_forward.output", "nll_loss_backward.grad_input")),
)


def chosen_units(names: list[str]) -> tuple[Unit, ...]:
    """The units whose file names were given, with `.cu` or without; all for none. KeyError: the name of no unit."""
    by_name = {unit.file.removesuffix(".cu"): unit for unit in UNITS}
    return tuple(by_name[name.removesuffix(".cu")] for name in names) if names else UNITS
