# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What PyTorch's torchgen writes for chosen CUDA operators: the wrappers that check, allocate and call a kernel.

    python -m warploom.torch.aten.registration FOLDER aten-operator...    (a process of its own, without `import torch`)

FOLDER/RegisterCUDA.cpp registers them. Each goes through `or_cpu_backend` (native/aten/registration.h): where a kernel
was not compiled after all, the operator runs on the CPU backend. FOLDER/UfuncCUDA_*.cu are kernels of torchgen's own.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection
from importlib import import_module
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

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
_REGISTERED = re.compile(r'm\.impl\("([^"]+)",\s*TORCH_FN\(([^()]+)\)\);')


def packaged() -> Path:
    """The folder of torchgen's copy of the operators' schemas and of its templates."""
    return Path(str(distribution("torch").locate_file("torchgen/packaged/ATen")))


def write(folder: Path, operators: Collection[str]) -> None:
    """Write the files for `operators`, as "mul.out"; ValueError names those that this PyTorch does not have."""
    gen: Any = import_module("torchgen.gen")
    model: Any = import_module("torchgen.model")
    native = packaged() / "native"
    parsed = gen.parse_native_yaml(str(native / "native_functions.yaml"), str(native / "tags.yaml"))
    index = parsed.backend_indices[model.DispatchKey.CUDA]
    groups = gen.get_grouped_native_functions(parsed.native_functions)
    chosen = [group for group in groups if any(name in operators for name in names_of(group))]
    unknown = set(operators) - {name for group in chosen for name in names_of(group)}
    if unknown:
        raise ValueError(f"this PyTorch has no operators {', '.join(sorted(unknown))}")
    selected = {name for group in chosen for name in _registered(group, operators)}
    (folder / "RegisterCUDA.cpp").write_text(_registration(index, chosen, selected))
    for group in chosen:
        if getattr(group, "structured", False) and group.out.ufunc_inner_loop:
            _write_ufunc(gen, group, index, folder)


def names_of(group: Any) -> list[str]:
    """The operators of a group of torchgen's: a function, and its in-place and out variants."""
    functions = group.functions() if hasattr(group, "functions") else [group]
    return [str(function.func.name) for function in functions]


def _registered(group: Any, operators: Collection[str]) -> list[str]:
    """What of a group is registered: all variants of a structured kernel, else those that were asked for."""
    if getattr(group, "structured", False):
        return names_of(group)
    return [name for name in names_of(group) if name in operators]


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


if __name__ == "__main__":
    write(Path(sys.argv[1]), frozenset(sys.argv[2:]))
