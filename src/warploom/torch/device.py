# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The steps of `import torch` with the CUDA device; `hook.py` calls them."""

from __future__ import annotations

import atexit
import ctypes
import os
import sys
from pathlib import Path
from types import ModuleType

from warploom.diagnostics import Diagnostic
from warploom.frontend.passes import CUDA_VERSION
from warploom.torch.aten.build import found_folder, installed_library
from warploom.torch.build import Built, build, provide_libraries
from warploom.torch.exit import wait_for_autograd
from warploom.torch.install import OFF, Installed, find_torch
from warploom.torch.optimizers import take_adam, take_sgd

ATEN = "WARPLOOM_TORCH_ATEN"  # in the environment: 0 leaves ATen's own CUDA kernels out; else a folder with them
_built: list[Built] = []
_kernels: list[ctypes.CDLL] = []


def load() -> bool:
    """Load libc10_cuda.so and libtorch_cuda.so, before torch._C; false where that is not possible, with a line on
    stderr that says why."""
    torch = find_torch()
    if torch is None:
        return False
    refusal = torch.refusal()
    if refusal is not None:
        return _go_without(f"{refusal}; {OFF}=0 silences this")
    try:
        made = build(torch)
        for path in made.libraries:
            ctypes.CDLL(str(path), ctypes.RTLD_GLOBAL)
    except (Diagnostic, OSError) as error:
        return _go_without(str(error))
    doubt = torch.doubt()
    if doubt is not None:
        print(f"warploom: note: {doubt}", file=sys.stderr)
    _built.append(made)
    _load_kernels(torch)
    library().warploom_torch_take_kernels_of_cpu()
    library().warploom_torch_compute_gradients_here()
    return True


def _load_kernels(torch: Installed) -> None:
    """Load ATen's own CUDA kernels where they were built; a line on stderr where they do not fit."""
    named = os.environ.get(ATEN, "")
    if named == "0":
        return
    try:
        kernels = installed_library(torch, Path(named) if named else found_folder())
        if kernels is not None:
            _kernels.append(ctypes.CDLL(str(kernels)))
        elif named:
            print(f"warploom: {ATEN} names {named}, where there are no kernels", file=sys.stderr)
    except Diagnostic as error:
        print(error, file=sys.stderr)
    except OSError as error:
        print(f"warploom: ATen's kernels are not loaded: {error}", file=sys.stderr)


def _go_without(why: str) -> bool:
    print(f"warploom: PyTorch has no device 'cuda': {why}", file=sys.stderr)
    return False


def library() -> ctypes.CDLL:
    """libtorch_cuda.so, as it was loaded; a Diagnostic when it was not."""
    if not _built:
        raise Diagnostic("PyTorch was imported without Warploom's CUDA device", hint="warploom torch enable")
    return ctypes.CDLL(str(_built[0].libraries[1]))


def kernel_library() -> ctypes.CDLL | None:
    """The library of ATen's own CUDA kernels; None where it was not built, or was turned off."""
    return _kernels[0] if _kernels else None


def complete(module: ModuleType) -> None:
    """Give a module of PyTorch, just executed, what it has in a build for CUDA."""
    _STEPS[module.__name__](module)


def _complete_version(module: ModuleType) -> None:
    vars(module)["cuda"] = f"{CUDA_VERSION[0]}.{CUDA_VERSION[1]}"


def _complete_c(module: ModuleType) -> None:
    from warploom.torch.bindings import add_to

    add_to(module, library())
    atexit.register(wait_for_autograd)


def _complete_cudnn(module: ModuleType) -> None:
    def is_acceptable(tensor: object) -> bool:  # noqa: ARG001  (PyTorch's name)
        """No tensor is cuDNN's; PyTorch's own function warns, each time, that PyTorch has to be built again."""
        return False

    vars(module)["is_acceptable"] = is_acceptable


def _complete_optimizer(module: ModuleType) -> None:
    def devices_of_lists() -> list[str]:
        """Where an optimizer goes through lists of all tensors, operator by operator, unless it is told: not where the
        CPU backend computes, whose caches hold what one tensor's operators say, as they do for the CPU."""
        return [device for device in found() if device != "cuda"]

    found = vars(module)["_get_foreach_kernels_supported_devices"]
    vars(module)["_get_foreach_kernels_supported_devices"] = devices_of_lists


def _complete_extensions(module: ModuleType) -> None:
    vars(module)["CUDA_HOME"] = str(_built[0].home)
    join = vars(module)["_join_cuda_home"]  # which every build of an extension asks for the toolkit's folders

    def join_when_complete(*paths: str) -> str:
        provide_libraries()
        return join(*paths)

    vars(module)["_join_cuda_home"] = join_when_complete


def _complete_utils(module: ModuleType) -> None:
    vars(module)["cmake_prefix_path"] = str(_built[0].cmake)


def _complete_storage(module: ModuleType) -> None:
    from warploom.torch.calls import Calls
    from warploom.torch.storage import let_storages_be_on_cuda

    let_storages_be_on_cuda(module, Calls(library(), sys.modules["torch._C"]))


def _complete_inductor(module: ModuleType) -> None:
    from warploom.torch.calls import Calls
    from warploom.torch.inductor import compile_for_cpu

    compile_for_cpu(module, Calls(library(), sys.modules["torch._C"]))


_STEPS = {
    "torch._C": _complete_c,
    "torch._inductor.compile_fx": _complete_inductor,
    "torch.backends.cudnn": _complete_cudnn,
    "torch.optim.adam": take_adam,
    "torch.optim.optimizer": _complete_optimizer,
    "torch.optim.sgd": take_sgd,
    "torch.storage": _complete_storage,
    "torch.version": _complete_version,
    "torch.utils": _complete_utils,
    "torch.utils.cpp_extension": _complete_extensions,
}
