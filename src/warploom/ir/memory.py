# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The interpreter's memory: allocations with bounds at simulated 64-bit addresses.

    address = number of the allocation << 32 | byte offset

A number is never used twice, so that a pointer that leaves its allocation, or outlives it, is always noticed. Values
of every type of the IR go in and out as Python values: int as unsigned bits, floating point as float, `ptr` as int,
vectors, arrays and structs as tuples.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache

from warploom.core.records import dataclass, field
from warploom.core.type_names import TYPE_CHECKING, Any
from warploom.ir import types
from warploom.ir.ops import PADDING

if TYPE_CHECKING:
    from random import Random

OFFSET_MASK = 0xFFFFFFFF

# One letter of the module struct for the types it knows.
FORMATS = {"i8": "B", "i16": "H", "i32": "I", "i64": "Q", "ptr": "Q", "half": "e", "float": "f", "double": "d"}


class BadAddress(Exception):
    """An access outside of every allocation, or to one that was freed."""


@dataclass(frozen=True, slots=True)
class Codec:
    """How values of one type lie in memory: `size` bytes (what a store touches), packed and unpacked."""

    size: int
    pack: Callable[[Any], bytes]
    unpack: Callable[[bytes], Any]


def struct_format(type_: str) -> str | None:
    """The format of module struct for a scalar or vector whose elements it knows, without the byte order."""
    if type_ in FORMATS:
        return FORMATS[type_]
    if types.is_vector(type_):
        inner = types.elements(type_)
        if inner[0] in FORMATS:
            return f"{len(inner)}{FORMATS[inner[0]]}"
    return None


@cache
def codec(type_: str) -> Codec:
    """The codec of any type."""
    known = struct_format(type_)
    if known is not None:
        packer = struct.Struct("<" + known)
        if types.is_vector(type_):
            return Codec(packer.size, lambda value: packer.pack(*value), packer.unpack)
        return Codec(packer.size, packer.pack, lambda data: packer.unpack(data)[0])
    if type_ == "bfloat":
        return Codec(2, lambda value: struct.pack("<f", value)[2:], lambda data: struct.unpack("<f", b"\0\0" + data)[0])
    if types.is_int(type_):
        return _int_codec(types.bits(type_))
    if types.is_vector(type_):
        return _vector_codec(type_)
    return _aggregate_codec(type_)


def _int_codec(width: int) -> Codec:
    size, mask = (width + 7) // 8, (1 << width) - 1
    return Codec(
        size, lambda value: int(value).to_bytes(size, "little"), lambda data: int.from_bytes(data, "little") & mask
    )


def _vector_codec(type_: str) -> Codec:
    """Elements that are no power of two bytes, or less than a byte, lie bit by bit without gaps."""
    inner = types.elements(type_)
    width, size = types.bits(inner[0]), (len(inner) * types.bits(inner[0]) + 7) // 8
    one, mask = codec(inner[0]), (1 << width) - 1

    def pack(value: Any) -> bytes:
        whole = 0
        for number, element in enumerate(value):
            whole |= int.from_bytes(one.pack(element), "little") << (number * width)
        return whole.to_bytes(size, "little")

    def unpack(data: bytes) -> Any:
        whole = int.from_bytes(data, "little")
        parts = [whole >> (number * width) & mask for number in range(len(inner))]
        return tuple(one.unpack(part.to_bytes(one.size, "little")) for part in parts)

    return Codec(size, pack, unpack)


def member_offsets(type_: str) -> list[int]:
    """The byte offset of each member of an array or struct."""
    offsets: list[int] = []
    offset = 0
    packed = type_.startswith("<{")
    for member in types.elements(type_):
        step = 1 if packed else types.align_of(member)
        offset = -(-offset // step) * step
        offsets.append(offset)
        offset += types.size_of(member)
    return offsets


def _aggregate_codec(type_: str) -> Codec:
    size = types.size_of(type_)
    members = [
        (offset, codec(inner)) for offset, inner in zip(member_offsets(type_), types.elements(type_), strict=True)
    ]

    def pack(value: Any) -> bytes:
        data = bytearray(size)
        for (offset, inner), element in zip(members, value, strict=True):
            data[offset : offset + inner.size] = inner.pack(element)
        return bytes(data)

    def unpack(data: bytes) -> Any:
        return tuple(inner.unpack(data[offset : offset + inner.size]) for offset, inner in members)

    return Codec(size, pack, unpack)


@dataclass(slots=True)
class Memory:
    """What a launch can reach. `globals` maps the name of a global variable or function, without @, to its address.

    `buffers` maps the number of an allocation to its bytes; the interpreter's generated code reads it directly.
    """

    buffers: dict[int, bytearray] = field(default_factory=dict[int, bytearray])
    globals: dict[str, int] = field(default_factory=dict[str, int])
    names: dict[int, str] = field(default_factory=dict[int, str])
    made: int = 0

    def allocate(self, size: int, data: bytes = b"", name: str = "") -> int:
        """The address of `size` new bytes: `data`, then zeros. `name` is for messages."""
        self.made += 1
        buffer = bytearray(max(size, len(data)))
        buffer[: len(data)] = data
        self.buffers[self.made] = buffer
        if name:
            self.names[self.made] = name
        return self.made << 32

    def allocate_garbage(self, size: int, generator: Random | None, name: str = "") -> int:
        """New bytes without a defined content: whatever the generator says, zeros without one."""
        return self.allocate(size, generator.randbytes(size) if generator else b"", name)

    def free(self, address: int) -> None:
        """End an allocation; `address` must be where it begins."""
        if address & OFFSET_MASK or address >> 32 not in self.buffers:
            raise BadAddress(f"free of {self.describe(address)}")
        del self.buffers[address >> 32]

    def add_global(self, name: str, data: bytes) -> int:
        """A global variable with its first content."""
        self.globals[name] = self.allocate(len(data), data, "@" + name)
        return self.globals[name]

    def describe(self, address: int) -> str:
        """`address` in words, for messages."""
        number, offset = address >> 32, address & OFFSET_MASK
        if number == 0:
            return f"address 0x{address:x} (null)"
        name = self.names.get(number, f"allocation {number}")
        if number in self.buffers:
            return f"byte {offset} of {name}, which has {len(self.buffers[number])}"
        if number <= self.made:
            return f"byte {offset} of {name}, which was freed"
        return f"address 0x{address:x}, which nothing has"

    def _check(self, address: int, size: int) -> bytearray:
        buffer = self.buffers.get(address >> 32)
        if buffer is None or (address & OFFSET_MASK) + size > len(buffer):
            raise BadAddress(f"{size} bytes at {self.describe(address)}")
        return buffer

    def read(self, address: int, size: int) -> bytes:
        """The bytes at `address`."""
        if size == 0:
            return b""
        offset = address & OFFSET_MASK
        return bytes(self._check(address, size)[offset : offset + size])

    def write(self, address: int, data: bytes) -> None:
        """Put bytes at `address`."""
        if not data:
            return
        offset = address & OFFSET_MASK
        self._check(address, len(data))[offset : offset + len(data)] = data

    def load(self, type_: str, address: int) -> Any:
        """A value of any type."""
        how = codec(type_)
        return how.unpack(self.read(address, how.size))

    def load_padded(self, type_: str, address: int) -> Any:
        """A value of any type; what lies up to PADDING bytes around the allocation reads as zeros."""
        how = codec(type_)
        number = (address + PADDING) >> 32
        start, size = address - (number << 32), len(self.buffers.get(number, b""))
        if start < -PADDING or start + how.size > size + PADDING or number not in self.buffers:
            raise BadAddress(f"{how.size} bytes around {self.describe(number << 32)} from byte {start} on")
        inside = self.buffers[number][max(start, 0) : max(start + how.size, 0)]
        return how.unpack((bytes(max(-start, 0)) + bytes(inside)).ljust(how.size, b"\0")[: how.size])

    def store(self, type_: str, address: int, value: Any) -> None:
        """Put a value of any type."""
        self.write(address, codec(type_).pack(value))

    def copy(self) -> Memory:
        """A deep copy, to run the same launch twice."""
        buffers = {number: bytearray(data) for number, data in self.buffers.items()}
        return Memory(buffers, dict(self.globals), dict(self.names), self.made)

    # -- arrays, for tests and fuzzers --

    def array(self, type_: str, values: list[Any], name: str = "") -> int:
        """The address of a new array."""
        return self.allocate(0, b"".join(codec(type_).pack(value) for value in values), name)

    def values(self, type_: str, address: int, count: int) -> list[Any]:
        """`count` array elements."""
        step = types.size_of(type_)
        return [self.load(type_, address + number * step) for number in range(count)]
