# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What PyTorch's torchgen writes for CUDA operators whose kernels are there: wrappers that check, allocate and call.

    python -m warploom.torch.aten.registration FOLDER [KERNELS]    (a process of its own, without `import torch`)

KERNELS lists functions of at::native, one a line. FOLDER/RegisterCUDA.cpp registers the operators that PyTorch gives
one of them for CUDA, FOLDER/operators.txt names them. Each goes through `or_cpu_backend` (native/aten/registration.h):
where a kernel was not compiled after all, the operator runs on the CPU backend. FOLDER/UfuncCUDA_*.cu are kernels of
torchgen's own.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection
from importlib import import_module
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

NATIVE = Path(__file__).resolve().parent.parent / "native"

_HEAD = """\
#include "aten/registration.h"

#include <ATen/DeviceGuard.h>
#include <ATen/Tensor.h>
#include <ATen/Utils.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/core/op_registration/adaption.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/native/Resize.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/util/ExclusivelyOwned.h>
#include <torch/library.h>
"""
_OWN = re.compile(r"^TORCH_LIBRARY_IMPL\(aten, CUDA, \w+\) \{\n(.*?)^\}", re.M | re.S)
_NAME = re.compile(r'"([\w.]+)"')
_REGISTERED = re.compile(r'm\.impl\("([^"]+)",\s*TORCH_FN\(([^()]+)\)\);')


def packaged() -> Path:
    """The folder of torchgen's copy of the operators' schemas and of its templates."""
    return Path(str(distribution("torch").locate_file("torchgen/packaged/ATen")))


def own_operators() -> set[str]:
    """Those that libtorch_cuda.so registers itself."""
    found: set[str] = set()
    for path in NATIVE.glob("*.cpp"):
        for block in _OWN.findall(path.read_text()):
            found |= set(_NAME.findall(block))
    return found


def write(folder: Path, kernels: Collection[str], left_out: Collection[str]) -> None:
    """Write the files for operators with one of `kernels`, but for those `left_out`, as "mul.out"."""
    gen: Any = import_module("torchgen.gen")
    model: Any = import_module("torchgen.model")
    native = packaged() / "native"
    parsed = gen.parse_native_yaml(str(native / "native_functions.yaml"), str(native / "tags.yaml"))
    index = parsed.backend_indices[model.DispatchKey.CUDA]
    groups = gen.get_grouped_native_functions(parsed.native_functions)
    for group in groups:
        if getattr(group, "structured", False) and group.out.ufunc_inner_loop:
            _write_ufunc(gen, group, index, folder)
    found = [(group, _registered(group, index, kernels)) for group in groups]
    kept = [(group, [name for name in names if name not in left_out]) for group, names in found]
    chosen = [group for group, names in kept if names]
    selected = {name for _, names in kept for name in names}
    (folder / "RegisterCUDA.cpp").write_text(_registration(index, chosen, selected))
    (folder / "operators.txt").write_text("".join(f"{name}\n" for name in sorted(selected)))


def _registered(group: Any, index: Any, kernels: Collection[str]) -> list[str]:
    """What of a group of torchgen's (a function, and its in-place and out variants) has a kernel: all variants of a
    structured one, else each by itself."""
    functions = list(group.functions()) if hasattr(group, "functions") else [group]
    if getattr(group, "structured", False):
        return [str(each.func.name) for each in functions] if _has_kernel(group.out, index, kernels) else []
    return [str(each.func.name) for each in functions if _has_kernel(each, index, kernels)]


def _has_kernel(function: Any, index: Any, kernels: Collection[str]) -> bool:
    found = index.get_kernel(function)
    return found is not None and found.kernel in kernels


def _registration(index: Any, groups: list[Any], selected: set[str]) -> str:
    dest: Any = import_module("torchgen.dest")
    target: Any = import_module("torchgen.utils").Target
    selective: Any = import_module("torchgen.selective_build.selector").SelectiveBuilder
    kept = {"is_root_operator": True, "is_used_for_training": False, "include_all_overloads": False}
    selector = selective.from_yaml_dict({"operators": {f"aten::{name}": kept for name in selected}})

    def written(kind: Any) -> list[str]:
        writer = dest.RegisterDispatchKey(
            index,
            kind,
            selector,
            rocm=False,
            symint=True,
            class_method_name=None,
            skip_dispatcher_op_registration=False,
        )
        return [line for group in groups for line in writer(group)]

    roots = sorted({group.root_name for group in groups})
    headers = [f"#include <ATen/ops/{root}_{kind}.h>" for root in roots for kind in ("native", "cuda_dispatch")]
    lines = [
        *(_HEAD, *dest.gen_registration_headers(index, True, False), *headers, "namespace at {", "namespace {"),
        *dest.gen_registration_helpers(index),
        *written(target.ANONYMOUS_DEFINITION),
        "TORCH_LIBRARY_IMPL(aten, CUDA, m) {",
        *(through_backend(line) for line in written(target.REGISTRATION)),
        *("}", "}", "namespace cuda {"),
        *written(target.NAMESPACED_DEFINITION),
        *("}", "}", ""),
    ]
    return "\n".join(lines)


def through_backend(text: str) -> str:
    """A registration of torchgen's, through `or_cpu_backend`."""
    return _REGISTERED.sub(r'm.impl("\1", warploom::torch::or_cpu_backend(TORCH_FN(\2)));', text)


def _write_ufunc(gen: Any, group: Any, index: Any, folder: Path) -> None:
    dest: Any = import_module("torchgen.dest")
    name = group.functional.func.name.name
    files = gen.FileManager(install_dir=str(folder), template_dir=str(packaged() / "templates"), dry_run=False)
    files.write_with_template(
        f"UfuncCUDA_{name}.cu",
        "UfuncCUDA.cu",
        lambda: {
            "name": name,
            "cuda_headers": "#include <ATen/native/cuda/Loops.cuh>",
            "meta_declaration": gen.compute_meta_function_declaration(group),
            "native_declaration": dest.compute_native_function_declaration(group, index),
            "native_definitions": dest.compute_ufunc_cuda(group),
        },
    )


def main(folder: Path, kernels: Path | None) -> None:
    """Write the files; without a list of kernels those for none."""
    names = kernels.read_text().split() if kernels is not None else []
    write(folder, frozenset(names), own_operators())


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
