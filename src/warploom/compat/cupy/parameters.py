# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parameter lists of ElementwiseKernel and ReductionKernel (`'T x, raw float32 y'`), and their types."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from warploom.compat.cupy.core import ndarray
from warploom.core.records import dataclass

DType = np.dtype[Any]
_C_NAMES = {
    "?": "bool",
    "i1": "signed char",
    "i2": "short",
    "i4": "int",
    "i8": "long long",
    "u1": "unsigned char",
    "u2": "unsigned short",
    "u4": "unsigned int",
    "u8": "unsigned long long",
    "f2": "float16",
    "f4": "float",
    "f8": "double",
    "c8": "complex<float>",
    "c16": "complex<double>",
}
TEXTURE = "cudaTextureObject_t"
_NAME = re.compile(r"[A-Za-z_]\w*\Z")


@dataclass(frozen=True)
class Parameter:
    """A parameter: of a type, or (`dtype` is None) of what `kind`, one letter, stands for in a call."""

    name: str
    kind: str
    dtype: DType | None
    is_raw: bool


def parameters_of(text: str) -> tuple[Parameter, ...]:
    """The parameters of a list. Raises ValueError, TypeError for a type that NumPy does not know."""
    return tuple(_parameter(each.split()) for each in text.split(",") if each.strip())


def _parameter(words: Sequence[str]) -> Parameter:
    is_raw = words[0] == "raw"
    rest = [word for word in words[is_raw:] if word != "_non_const"]
    if len(rest) != 2 or not _NAME.match(rest[1]):
        raise ValueError(f"'{' '.join(words)}' is no parameter; one is written 'T x' or 'raw float32 x'")
    kind, name = rest
    if name == "i" or name.startswith("_"):
        raise ValueError(f"Can not use '{name}' as a parameter name")
    is_open = len(kind) == 1 or kind == TEXTURE
    return Parameter(name, kind, None if is_open else np.dtype(kind), is_raw)


def check_name(name: str) -> None:
    """Raises ValueError for what is no name of a kernel."""
    if not _NAME.match(name):
        raise ValueError(f'Invalid kernel name: "{name}"')


def c_name(dtype: DType) -> str:
    """A dtype in C++. Raises TypeError for one that kernels do not know."""
    name = _C_NAMES.get("?" if dtype.kind == "b" else f"{dtype.kind}{dtype.itemsize}")
    if name is None:
        raise TypeError(f"arrays of {dtype} are none that a kernel of this kind takes")
    return name


def is_texture(value: Any) -> bool:
    """Whether an argument is a texture object."""
    return hasattr(value, "__warploom_texture__")


def types_of(
    parameters: Sequence[Parameter], inputs: Sequence[Any], outputs: Sequence[ndarray]
) -> tuple[dict[str, DType | None], list[DType | None]]:
    """What each letter stands for in a call, and the dtype of each parameter; None: a texture.

    Arrays decide, those of the output first; numbers only where there is no array of their letter. Raises TypeError
    where two disagree, or nothing tells.
    """
    known: dict[str, DType | None] = {}
    count = len(inputs)
    ordered = [*zip(parameters[count:], outputs, strict=False), *zip(parameters, inputs, strict=False)]
    for parameter, value in ordered:
        if is_texture(value):
            known[parameter.kind] = None
        elif isinstance(value, ndarray):
            wanted = parameter.dtype or known.setdefault(parameter.kind, value.dtype)
            if wanted != value.dtype:
                raise TypeError(f"Type is mismatched. {parameter.name} {value.dtype} {wanted} {parameter.kind}")
    for parameter, value in zip(parameters, inputs, strict=False):
        if parameter.dtype is None and parameter.kind not in known and not isinstance(value, ndarray):
            known[parameter.kind] = np.asarray(value).dtype
    for parameter in parameters:
        if parameter.dtype is None and parameter.kind not in known:
            raise TypeError(f"the type '{parameter.kind}' of {parameter.name} follows from no argument")
    return known, [parameter.dtype or known[parameter.kind] for parameter in parameters]


def definitions(known: dict[str, DType | None]) -> str:
    """The letters of a call as types of C++."""
    return "".join(
        f"typedef {TEXTURE if dtype is None else c_name(dtype)} {letter};\n" for letter, dtype in sorted(known.items())
    )
