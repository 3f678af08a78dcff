# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The vector math library: `__warploom_v16_exp_f32` computes exp of 16 floats at once.

    call float @llvm.exp.f32(float %x), 16 lanes    ==>    call <16 x float> @__warploom_v16_exp_f32(<16 x float> %x)

Each function is compiled from runtime/vector_math on first use, for one number of lanes and one target, and kept in the
cache as LLVM bitcode, so that LLVM optimises it together with its caller. C++ cannot say how LLVM passes a vector
wider than a register: the C++ functions work through memory, and a wrapper in LLVM IR, into which they are inlined,
takes and returns vectors. A caller needs the attributes target-cpu and target-features of the module, and no
min-legal-vector-width (or one of 512), so that both sides split vectors alike.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from warploom.cache import cached_entry, content_key
from warploom.core.patterns import regex
from warploom.diagnostics import Diagnostic
from warploom.ir.vector_functions import HEADER_OF, TWO_ARGUMENTS
from warploom.llvm.binding import Handle
from warploom.llvm.codes import FUNCTION_INDEX, Linkage
from warploom.llvm.module import Module
from warploom.toolchain import Toolchain, run_tool

SOURCES = Path(__file__).resolve().parent.parent / "runtime" / "vector_math"
# Beginnings of functions, which callers end themselves; on processors with AVX-512 alone.
_PARTS = {"rsqrt_estimate": "roots"}
TYPES = {"f32": "float", "f64": "double"}
_SYMBOL = regex(r"__warploom_v(\d+)_(\w+)_(f32|f64)")
_FLAGS = ("-std=c++20", "-O2", "-fPIC", "-fno-math-errno", "-fno-exceptions", "-ffp-contract=off", "-nostdinc", "-Wall")
_INLINE_AND_CLEAN = "always-inline,function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg),globaldce"
_TARGET_ATTRIBUTES = ("target-cpu", "target-features")


def link(module: Module, toolchain: Toolchain, machine: Handle) -> None:
    """Link the vector functions that `module` declares into it, as internal functions."""
    declared = [
        name
        for function in module.functions()
        if not module.is_defined(function)
        and (name := module.name(function)).startswith("__warploom_v")
        and _SYMBOL.fullmatch(name)
    ]
    if not declared:
        return
    for path in library(toolchain, target_flags(module), declared):
        module.link_bitcode(path)
    for name in declared:
        module.lib.LLVMSetLinkage(module.find(name), Linkage.INTERNAL)
    module.run_passes("globaldce", machine)


def target_flags(module: Module) -> list[str]:
    """clang's flags for the target that the first defined function of `module` is compiled for."""
    for function in module.functions():
        if module.is_defined(function):
            cpu, features = (_attribute(module, function, name) for name in _TARGET_ATTRIBUTES)
            words = ["-target-cpu", cpu] if cpu else []
            for feature in features.split(",") if features else []:
                words += ["-target-feature", feature]
            return [f"--target={module.triple()}", *(word for flag in words for word in ("-Xclang", flag))]
    return [f"--target={module.triple()}"]


def target_attributes(module: Module) -> str:
    """The attributes, as LLVM text, that give functions the target of the first defined function of `module`."""
    for function in module.functions():
        if module.is_defined(function):
            texts = ((name, _attribute(module, function, name)) for name in _TARGET_ATTRIBUTES)
            return " ".join(f'"{name}"="{text}"' for name, text in texts if text)
    return ""


def library(toolchain: Toolchain, flags: Sequence[str], wanted: Iterable[str]) -> list[Path]:
    """LLVM bitcode of the vector functions `wanted`, a file each; those that no cache has are compiled side by side.

    `flags`: clang's, for the target (`-march=x86-64-v3`).
    """
    from concurrent.futures import ThreadPoolExecutor  # costs a start of the compiler 10 ms; rarely needed

    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        compiled = [pool.submit(bitcode, toolchain, flags, symbol) for symbol in wanted]
        return [each.result() for each in compiled]


def bitcode(toolchain: Toolchain, flags: Sequence[str], symbol: str) -> Path:
    """LLVM bitcode that defines the vector function `symbol`, compiled on first use."""
    match = _SYMBOL.fullmatch(symbol)
    if match is None or match.group(2) not in HEADER_OF | _PARTS:
        raise AssertionError(f"{symbol} is no vector function")
    clang = str(toolchain.clang.resolve()), toolchain.version
    how = Path(__file__).read_text(), repr((HEADER_OF, sorted(TWO_ARGUMENTS)))
    key = content_key(_sources_key(), *how, *clang, symbol, *flags)

    def compile_into(folder: Path) -> None:
        _compile(toolchain, flags, symbol, folder)

    return cached_entry("vector-math", key, compile_into) / "function.bc"


@cache
def _sources_key() -> str:
    return content_key(*(path.read_text() for path in sorted(SOURCES.glob("*.h"))))


def _compile(toolchain: Toolchain, flags: Sequence[str], symbol: str, folder: Path) -> None:
    match = _SYMBOL.fullmatch(symbol)
    assert match is not None
    lanes, name, kind = match.groups()
    macro = "WARPLOOM_EXPORT_TWO" if name in TWO_ARGUMENTS else "WARPLOOM_EXPORT_ONE"
    type_ = TYPES[kind].capitalize()
    source, compiled = folder / "function.cpp", folder / "memory.bc"
    header = (HEADER_OF | _PARTS)[name]
    source.write_text(
        f'#include "{header}.h"\nnamespace warploom_math {{\n{macro}({type_}, {kind}, {name}, {name})\n}}\n'
    )
    result = run_tool([
        toolchain.clang, *_FLAGS, *flags, f"-DWARPLOOM_LANES={lanes}", "-I", SOURCES, "-emit-llvm", "-c", source,
        "-o", compiled,
    ])  # fmt: skip
    if result.returncode != 0:
        raise Diagnostic(f"{symbol} does not compile:\n{result.stderr}", hint="run `warploom doctor`")
    module = Module(toolchain.llvm_library, compiled)
    _wrap(module, symbol, TYPES[kind], int(lanes), f"__warploom_math_{name}_{kind}")
    module.run_passes(_INLINE_AND_CLEAN, 0)  # nothing in it asks for the target, which LLVM may lack
    module.lib.LLVMSetLinkage(module.find(symbol), Linkage.LINK_ONCE_ODR)
    module.verify(symbol)
    module.write_bitcode(folder / "function.bc")


def _wrap(module: Module, symbol: str, scalar: str, lanes: int, inner: str) -> None:
    """Add `symbol`, which takes and returns vectors, around the function `inner`, which works through memory."""
    lib = module.lib
    implementation = module.find(inner)
    count = lib.LLVMCountParams(implementation) - 1
    vector = f"<{lanes} x {scalar}>"
    values = [f"%x{i}" for i in range(count)]
    slots = [f"%slot{i}" for i in range(count)]
    lines = [f"  %result = alloca {vector}", *(f"  {slot} = alloca {vector}" for slot in slots)]
    lines += [f"  store {vector} {value}, ptr {slot}" for value, slot in zip(values, slots, strict=True)]
    pointers = ", ".join(f"ptr {slot}" for slot in ("%result", *slots))
    lines += [f"  call void @{inner}({pointers})", f"  %value = load {vector}, ptr %result", f"  ret {vector} %value"]
    parameters = ", ".join(f"{vector} {value}" for value in values)
    declared = ", ".join(["ptr"] * (count + 1))
    module.link_text(
        "\n".join(
            [
                module.target_text(),
                f"declare void @{inner}({declared})",
                f"define {vector} @{symbol}({parameters}) #0 {{",
                *lines,
                "}",
                f"attributes #0 = {{ nounwind willreturn nosync nofree memory(none) {target_attributes(module)} }}",
            ]
        ),
        symbol,
    )
    kind = module.attribute_kind("alwaysinline")
    lib.LLVMAddAttributeAtIndex(
        module.find(inner), FUNCTION_INDEX, lib.LLVMCreateEnumAttribute(module.context, kind, 0)
    )
    lib.LLVMSetLinkage(module.find(inner), Linkage.INTERNAL)


def _attribute(module: Module, function: Handle, name: str) -> str:
    """The string attribute `name` of `function`; empty when it has none."""
    found = module.lib.LLVMGetStringAttributeAtIndex(function, FUNCTION_INDEX, name.encode(), len(name))
    return module.attribute_text(found) if found else ""
