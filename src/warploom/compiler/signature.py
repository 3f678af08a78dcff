# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a kernel takes and what variables a module has, as the compiler saw them declared.

These are plain records: they are kept beside a module's machine code, and are read without the compiler. They are kept
as Python keeps its bytecode, behind a hash of that: to load `json` takes longer than all else that reading them does.
"""

from __future__ import annotations

import marshal

from warploom.core.digest import blake2b
from warploom.core.records import asdict, dataclass
from warploom.core.type_names import Any

UNKNOWN = "unknown"
_FORMAT = 4  # since Python 3.4
_HASH = 16  # bytes


@dataclass(frozen=True)
class Type:
    """A type of CUDA C++ as memory has it.

    `kind`: `b` bool, `i` and `u` whole numbers with and without sign, `f` floating point, `bf` bfloat16, `struct`,
    `array`, `opaque` for what has no layout to tell (bit-fields, unions, pointers within structs), `unknown` for what
    is known by its size only: a pointer, perhaps. Sizes in bytes.
    """

    name: str  # as the source has it
    kind: str
    size: int
    alignment: int
    fields: tuple[tuple[str, int, Type], ...] = ()  # of a struct: name, offset in bytes, type
    element: Type | None = None  # of an array
    shape: tuple[int, ...] = ()

    @property
    def is_number(self) -> bool:
        """Whether it is one number."""
        return self.kind in ("b", "i", "u", "f", "bf")


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel: a value of `type`, or (`is_pointer`) the address of such; None: of anything."""

    type: Type | None
    is_pointer: bool
    is_const: bool  # what it points to is only read
    size: int  # bytes that the launch hands over
    text: str  # as one would write its type: `const float *`


@dataclass(frozen=True)
class KernelSignature:
    """A `__global__` function."""

    name: str  # its symbol, mangled where it is not `extern "C"`
    source_name: str  # as one would write it, with namespaces and template arguments
    parameters: tuple[Parameter, ...]
    max_threads: int  # of __launch_bounds__; 0: not given


@dataclass(frozen=True)
class Global:
    """A `__device__`, `__constant__` or `__managed__` variable."""

    name: str
    size: int
    is_constant: bool
    type: Type | None


@dataclass(frozen=True)
class Contents:
    """What a module holds. `lowered`: the symbol that each name expression stands for."""

    kernels: tuple[KernelSignature, ...]
    variables: tuple[Global, ...]
    lowered: dict[str, str]
    log: str = ""  # what the compiler warned of
    remarks: tuple[str, ...] = ()  # which kernels the reference engine runs, and why


def to_bytes(contents: Contents) -> bytes:
    """For a file."""
    data = marshal.dumps(asdict(contents), _FORMAT)
    return _hash(data) + data


def from_bytes(kept: bytes) -> Contents:
    """The contents that `to_bytes` wrote; ValueError where the file is not as it was."""
    data_hash, text = kept[:_HASH], kept[_HASH:]
    if data_hash != _hash(text):
        raise ValueError("not what was kept")
    data = marshal.loads(text)
    return Contents(
        tuple(
            KernelSignature(
                each["name"], each["source_name"], tuple(map(_parameter, each["parameters"])), each["max_threads"]
            )
            for each in data["kernels"]
        ),
        tuple(
            Global(each["name"], each["size"], each["is_constant"], _type(each["type"])) for each in data["variables"]
        ),
        data["lowered"],
        data["log"],
        tuple(data["remarks"]),
    )


def _hash(data: bytes) -> bytes:
    return blake2b(data, digest_size=_HASH).digest()


def _parameter(data: dict[str, Any]) -> Parameter:
    return Parameter(_type(data["type"]), data["is_pointer"], data["is_const"], data["size"], data["text"])


def _type(data: dict[str, Any] | None) -> Type | None:
    if data is None:
        return None
    return Type(
        data["name"],
        data["kind"],
        data["size"],
        data["alignment"],
        tuple((name, offset, _known(_type(each))) for name, offset, each in data["fields"]),
        _type(data["element"]),
        tuple(data["shape"]),
    )


def _known(found: Type | None) -> Type:
    assert found is not None
    return found
