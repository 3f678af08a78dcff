# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""explain(): what `warploom explain` tells of a file, of kernels that a Python program has."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from warploom.api.arguments import ArgumentError, shown
from warploom.api.kernel import Kernel, Size, extent_of
from warploom.api.module import RawKernel, RawModule
from warploom.cli.explain import Explained, as_json, explain_all, facts_of, paragraph
from warploom.cli.explain_summary import fragment, summary
from warploom.cli.kernels import module_kernels
from warploom.compiler.service import Request, default_toolchain, device_module
from warploom.core.records import dataclass, replace
from warploom.frontend.launches import LaunchSizes, sizes_in
from warploom.llvm.module import forgetting_modules
from warploom.pipeline import library_options, off_names
from warploom.pyjit.function import Function


@dataclass(frozen=True)
class Explanation:
    """What became of kernels, and why: three lines each as text; in a notebook with all details behind a button."""

    kernels: tuple[Explained, ...]

    def __str__(self) -> str:
        return "\n\n".join("\n  ".join([each.name, *summary(facts_of(each))]) for each in self.kernels)

    def __repr__(self) -> str:
        return str(self)

    @property
    def details(self) -> str:
        """All that is known, as `warploom explain --verbose` has it."""
        return "\n\n".join("\n".join(paragraph(each)) for each in self.kernels)

    @property
    def data(self) -> list[dict[str, object]]:
        """For programs, as `warploom explain --json` has it."""
        return [as_json(each) for each in self.kernels]

    def to_json(self) -> str:
        """`data` as text."""
        return json.dumps(self.data, indent=1)

    def _repr_html_(self) -> str:
        return fragment((each.name, summary(facts_of(each)), paragraph(each)) for each in self.kernels)


def explain(
    what: RawKernel | Kernel | RawModule | Function | str,
    *arguments: Any,
    block: Size | None = None,
    options: Sequence[str] = (),
) -> Explanation:
    """What the compiler made of kernels: how their threads run, what costs most, what could be changed.

        warploom.explain(kernel, block=(16, 16))

    `what`: a kernel, a module, a source, or a function of `@jit` with `arguments` that it would be called with.
    `block`: the size of blocks that they are to be launched with; without it any, and those that the source shows.
    `options`: of a source, as RawModule takes them. Raises CompileError where it is wrong.
    """
    request, wanted = _request_of(what, arguments, options)
    toolchain = default_toolchain()
    size = extent_of("block", block) if block is not None else None
    source = request.source
    sizes = sizes_in(source) if isinstance(source, str) else LaunchSizes()
    pipeline = library_options()
    pipeline = replace(pipeline, off=pipeline.off | off_names(",".join(request.options.off_passes)), keep_going=False)
    with forgetting_modules():
        found = module_kernels(
            device_module(request, toolchain), toolchain, request.options.cpu, sizes, wanted, request.name
        )
        return Explanation(tuple(explain_all(found, pipeline, (size.x, size.y, size.z) if size else None)))


def _request_of(what: Any, arguments: tuple[Any, ...], options: Sequence[str]) -> tuple[Request, str | None]:
    """What to compile, and the symbol of the kernel that is meant; None: all."""
    if isinstance(what, Function):
        return what.module_for(*arguments).request, None
    if arguments:
        raise ArgumentError("arguments tell the types of a function of @jit; a kernel in CUDA C++ has its own")
    if isinstance(what, str):
        return RawModule(what, options=options).request, None
    if options:
        raise ArgumentError("options are those that the kernel was made with")
    if isinstance(what, RawModule):
        return what.request, None
    if isinstance(what, RawKernel):
        what = what.kernel
    if isinstance(what, Kernel) and what.request is not None:
        return what.request, what.signature.name
    raise ArgumentError(f"explain() takes a kernel, a module or a source, not {shown(what)}")
