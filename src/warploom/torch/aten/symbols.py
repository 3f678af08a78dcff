# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The symbols of ELF objects and libraries: what each defines, and what it needs."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path

from warploom.core.records import dataclass

_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_SYMBOL_TABLES = (2, 11)  # SHT_SYMTAB, SHT_DYNSYM
_WEAK = 2
_KERNEL = re.compile(r"^_ZN2at6native(\d+)(\w+)$")
_STRUCTURED = "structured_"


@dataclass(frozen=True)
class Symbols:
    """By their names as the linker sees them."""

    defined: frozenset[str]
    needed: frozenset[str]  # without which nothing links


def symbols_of(path: Path) -> Symbols:
    """The global symbols of a 64-bit ELF file."""
    data = path.read_bytes()
    if data[:5] != b"\x7fELF\x02":
        raise ValueError(f"{path} is not a 64-bit ELF file")
    (begin,) = struct.unpack_from("<Q", data, 40)
    count = struct.unpack_from("<H", data, 60)[0] or _SECTION.unpack_from(data, begin)[5]
    sections: list[tuple[int, ...]] = [_SECTION.unpack_from(data, begin + _SECTION.size * i) for i in range(count)]
    defined: set[str] = set()
    needed: set[str] = set()
    for _, kind, _, _, offset, size, link, *_ in sections:
        if kind not in _SYMBOL_TABLES:
            continue
        strings = sections[link][4]
        for name, info, _, section, _, _ in _SYMBOL.iter_unpack(data[offset : offset + size]):
            binding = info >> 4
            if binding == 0 or name == 0:
                continue
            text = data[strings + name : data.index(b"\0", strings + name)].decode(errors="replace")
            if section != 0:
                defined.add(text)
            elif binding != _WEAK:
                needed.add(text)
    return Symbols(frozenset(defined), frozenset(needed - defined))


def linkable(objects: Mapping[Path, Symbols], provided: frozenset[str]) -> dict[Path, frozenset[str]]:
    """What each object lacks, that neither `provided` nor an object without a lack defines; empty: it links."""
    kept, lacking = set(objects), dict.fromkeys(objects, frozenset[str]())
    while True:
        there = provided.union(*(objects[path].defined for path in kept))
        lacks = {path: missing for path in kept if (missing := objects[path].needed - there)}
        if not lacks:
            return lacking
        lacking |= lacks
        kept -= lacks.keys()


def kernels_among(symbols: Iterable[str]) -> dict[str, str]:
    """The functions at::native::NAME, and at::native::structured_NAME::impl, by symbol."""
    found: dict[str, str] = {}
    for symbol in symbols:
        match = _KERNEL.match(symbol)
        if match is None:
            continue
        length = int(match[1])
        name, rest = match[2][:length], match[2][length:]
        if rest.startswith("4impl") and name.startswith(_STRUCTURED):
            found[symbol] = name.removeprefix(_STRUCTURED)
        elif rest.startswith("E"):
            found[symbol] = name
    return found
