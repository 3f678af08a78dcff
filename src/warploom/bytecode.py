# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The modules of the compiler from one file.

    280 modules: each looked for, its times compared, its bytecode read --> one file of the cache, for all of them

The names of a package are in most of its modules; in one file each is written, read and made a string of Python's
once. What few kernels need (core/deferred.py) is in it by itself, to be read when it is wanted, and so is the code of
the records' `__init__`, which is made of text. Where Python keeps no bytecode (PYTHONDONTWRITEBYTECODE, as in many
containers) the first process alone reads sources. The file's key is that of the package's sources and of this Python:
no module is older than its source.
"""

from __future__ import annotations

import marshal
import mmap
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType, ModuleType

from warploom import cache
from warploom.core import records
from warploom.core.deferred import is_loading, load_all
from warploom.core.records import dataclass
from warploom.core.type_names import cast

KIND = "bytecode-together"
_NAME = "modules"
_PACKAGE = "__init__.py"
_turn = threading.Lock()  # whoever imports meanwhile uses the same file


@contextmanager
def together(which: str, *, up_to: str) -> Generator[None]:
    """Modules of this package that are imported meanwhile come from the file named `which`; where it is not there it is
    written, with what was imported. Nothing is done where the module `up_to` is loaded already."""
    if up_to in sys.modules or not _turn.acquire(blocking=False):
        yield
        return
    try:
        with _finding(which):
            yield
    finally:
        _turn.release()


@contextmanager
def _finding(which: str) -> Generator[None]:
    key = cache.content_key(cache.package_key(), which, MAGIC_NUMBER, str(sys.flags.optimize), str(cache.PACKAGE))
    entry = cache.entry_path(KIND, key)
    there = _read(entry / _NAME)
    if there is not None:
        records.init_code.update(there.inits)
        finder = _Finder(str(entry / _NAME), there)
        sys.meta_path.insert(0, finder)
        try:
            yield
        finally:
            finder.forget_usual()
            if not there.seldom:  # else it stays, for what is deferred
                sys.meta_path.remove(finder)
        cache.note_use(entry)
        return
    noting = _Noting()
    sys.meta_path.insert(0, noting)
    try:
        yield
        load_all()
    finally:
        sys.meta_path.remove(noting)
    if not cache.is_passing(entry):
        text = marshal.dumps((noting.usual, noting.seldom, records.init_code))
        cache.cached_entry(KIND, key, lambda folder: _write(folder / _NAME, text))


@dataclass
class _Modules:
    """What is in the file: code by module, marshalled code by module, code by what an `__init__` is made of."""

    usual: dict[str, CodeType]
    seldom: dict[str, bytes]
    inits: dict[str, CodeType]


class _Finder:
    """Finds the modules of the file."""

    def __init__(self, place: str, modules: _Modules) -> None:
        self.place, self.modules = place, modules

    def forget_usual(self) -> None:
        """What was not wanted yet is found in the ordinary way."""
        self.modules.usual = {}

    def find_spec(self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None) -> ModuleSpec | None:
        if not name.startswith("warploom."):
            return None
        code = self.modules.usual.pop(name, None)
        if code is None:
            text = self.modules.seldom.pop(name, None)
            if text is None:
                return None
            code = cast("CodeType", marshal.loads(text))
        place = code.co_filename
        spec = ModuleSpec(name, _Loader(name, place, code), origin=place, is_package=place.endswith(_PACKAGE))
        spec.has_location, spec.cached = True, self.place
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(str(Path(place).parent))
        return spec


class _Noting:
    """Notes the bytecode of modules that are found in the ordinary way."""

    def __init__(self) -> None:
        self.usual: dict[str, CodeType] = {}
        self.seldom: dict[str, bytes] = {}

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name.startswith("warploom.") else None
        if spec is not None and type(spec.loader) is SourceFileLoader:
            code = spec.loader.get_code(spec.name)
            assert code is not None
            if is_loading():
                self.seldom[spec.name] = marshal.dumps(code)
            else:
                self.usual[spec.name] = code
            spec.loader = _Loader(spec.name, spec.loader.path, code)
        return spec


class _Loader(SourceFileLoader):
    """A loader of a module of which the bytecode is known."""

    def __init__(self, name: str, path: str, code: CodeType) -> None:
        super().__init__(name, path)
        self._code: CodeType | None = code

    def get_code(self, fullname: str) -> CodeType | None:
        """Once; later its source is asked, as by a debugger."""
        code, self._code = self._code, None
        return code or super().get_code(fullname)


def _read(path: Path) -> _Modules | None:
    try:
        with open(path, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as text:
            return _Modules(*marshal.loads(text))
    except (OSError, ValueError, EOFError, TypeError):  # none, or none that was written whole
        return None


def _write(path: Path, text: bytes) -> None:
    path.write_bytes(text)
