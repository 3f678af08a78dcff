# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cache on disk: folders named by the hash of all that went into them.

An entry is built in a scratch folder and renamed into place, so that it is whole or absent, whatever is killed when.
Processes that want the same entry at once wait for each other and build it once. Where the cache cannot be written to
(no space, no right, no home folder), a command says so once and keeps its entries in a folder that goes with it.
"""

from __future__ import annotations

import atexit
import errno
import fcntl
import os
import re
import sys
import time
from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

from warploom.core.digest import blake2b
from warploom.core.patterns import regex
from warploom.core.records import dataclass, replace
from warploom.diagnostics import Diagnostic
from warploom.scratch import new_folder, remove_tree, temporary_folder

KEY_LENGTH = 32  # hexadecimal digits: 128 bits
PACKAGE = Path(__file__).resolve().parent
ELSEWHERE = "set WARPLOOM_CACHE_DIR to a folder that you may write to"
MAKE_ROOM = "`warploom cache --max 1G` makes room, or set WARPLOOM_CACHE_DIR to a folder on another disk"
LEAST_SPACE = 128 << 20  # bytes: below, a build would fail half-way
BOUND = "WARPLOOM_CACHE_MAX"
USUAL_BOUND = 5 << 30
_SIZE = regex(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)
UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
# Programs that an editable install linked load the runtime from there.
RUNTIME = ("toolkit", "toolkit-link")
_PIECE = 1 << 20  # bytes of a file that are read at once
_RECENT_SECONDS = 3600.0  # what is in use now
_ROOM = 0.8  # of the bound that is left filled, so that the next build does not make room again


def cache_dir() -> Path:
    """WARPLOOM_CACHE_DIR, else XDG_CACHE_HOME/warploom, else ~/.cache/warploom; not created here."""
    own = os.environ.get("WARPLOOM_CACHE_DIR")
    if own:
        return Path(own).absolute()
    shared = os.environ.get("XDG_CACHE_HOME")
    if shared:
        return Path(shared).absolute() / "warploom"
    try:
        return Path.home() / ".cache" / "warploom"
    except RuntimeError as error:  # no home folder
        return _passing_folder(Problem(f"there is no home folder for one ({error})", ELSEWHERE))


def is_passing(path: Path) -> bool:
    """Whether what lies at `path` goes with this process, because the cache cannot be written to."""
    return _writable(cache_dir()) != cache_dir() and path.is_relative_to(_writable(cache_dir()))


@dataclass(frozen=True, slots=True)
class Problem:
    """Why nothing can be kept in the cache, in a few words, and what to do."""

    why: str
    mend: str


def problem() -> Problem | None:
    """What keeps builds out of the cache; None: nothing does."""
    folder = cache_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        new_folder(".try-", folder).rmdir()
        space = os.statvfs(folder)
        free = space.f_bavail * space.f_frsize
    except OSError as error:
        return Problem(f"{folder} cannot be written to ({error.strerror})", mend_of(error))
    if free < LEAST_SPACE:
        return Problem(f"{folder} has only {free >> 20} MiB of space left", MAKE_ROOM)
    return None


def mend_of(error: OSError) -> str:
    """What to do where writing to the cache failed."""
    return MAKE_ROOM if error.errno in (errno.ENOSPC, errno.EDQUOT) else ELSEWHERE


@lru_cache(maxsize=1)
def _passing_folder(found: Problem) -> Path:
    """A cache for this process alone, after the first call with a line on stderr that says why."""
    from tempfile import mkdtemp

    folder, owner = Path(mkdtemp(prefix="warploom-cache-")), os.getpid()

    def remove_with_its_owner() -> None:
        if os.getpid() == owner:
            remove_tree(folder)

    atexit.register(remove_with_its_owner)
    print(f"warploom: warning: nothing is kept of this build: {found.why}; {found.mend}", file=sys.stderr)
    return folder


@lru_cache(maxsize=4)
def _writable(folder: Path) -> Path:
    """`folder`, or what takes its place where it cannot be written to; asked once."""
    found = problem()
    return folder if found is None else _passing_folder(found)


def content_key(*parts: str | bytes) -> str:
    """A key from `parts`: equal only when the parts are, one by one."""
    digest = blake2b(digest_size=KEY_LENGTH // 2)
    for part in parts:
        raw = part.encode(errors="surrogateescape") if isinstance(part, str) else part
        digest.update(len(raw).to_bytes(8, "little"))
        digest.update(raw)
    return digest.hexdigest()


def file_key(path: str | Path) -> str | None:
    """The key of a file's content; None when there is no such file to read."""
    digest = blake2b(digest_size=KEY_LENGTH // 2)
    try:
        with open(path, "rb", buffering=0) as stream:
            while piece := stream.read(_PIECE):
                digest.update(piece)
    except OSError:
        return None
    return digest.hexdigest()


@lru_cache(maxsize=1)
def package_key() -> str:
    """Changes when a file of this package does: what an older Warploom built is not used by a newer one."""
    found: list[str] = []
    waiting, own = [str(PACKAGE)], len(str(PACKAGE)) + 1
    while waiting:
        with os.scandir(waiting.pop()) as entries:  # a thousand files, at every start: Path takes twice as long
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name != "__pycache__":
                        waiting.append(entry.path)
                elif "." in entry.name and not entry.name.endswith(".pyc") and entry.is_file():
                    stat = entry.stat()
                    found.append(f"{entry.path[own:]} {stat.st_size} {stat.st_mtime_ns}")
    return content_key("\0".join(sorted(found)))


def entry_path(kind: str, key: str) -> Path:
    """Where the entry `key` of `kind` lies, built or not."""
    kept = cache_dir() / kind / key
    return kept if _is_there(kept) else _writable(cache_dir()) / kind / key


def _is_there(entry: Path) -> bool:
    try:
        return entry.is_dir()
    except PermissionError:  # somebody else's cache
        return False


def cached_entry(kind: str, key: str, build: Callable[[Path], None]) -> Path:
    """The folder of the entry `key`; `build` fills an empty folder first when there is none.

    When `build` raises, nothing is kept and the exception goes on to the caller.
    """
    entry = entry_path(kind, key)
    if _is_there(entry):
        note_use(entry)
        return entry
    with locked(kind, key):
        if not _is_there(entry):
            replace_entry(kind, key, build)
    return entry


def replace_entry(kind: str, key: str, build: Callable[[Path], None]) -> Path:
    """Build the entry `key` anew in the place of an older one; the caller holds its lock."""
    entry = _writable(cache_dir()) / kind / key
    with temporary_folder(f".{key[:8]}-", _made(entry.parent)) as scratch:
        old = scratch.with_name(f"{scratch.name}-old")
        try:
            build(scratch)
            scratch.chmod(0o755)  # what is built here may be run by others, as far as the folders above let them in
            if entry.is_dir():
                from shutil import move  # what a layer below an overlay holds cannot be renamed

                move(entry, old)
            _rename(scratch, entry)
        finally:
            remove_tree(old)
    if entry.is_relative_to(cache_dir()):
        _keep_bound(_size(entry))
    return entry


def _rename(scratch: Path, entry: Path) -> None:
    """Put an entry in its place, unless a process that could not be waited for has done so since."""
    try:
        os.rename(scratch, entry)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise


def size_of(text: str) -> int | None:
    """Bytes: `500M`, `2G`, `2GiB`, `1000000`; None where the text is no size."""
    if text.isdecimal():
        return int(text)
    match = _SIZE.fullmatch(text.strip())
    return None if match is None else int(float(match[1]) * UNITS[match[2].upper()])


def bound() -> int | None:
    """The bytes that builds and runtimes may take together: WARPLOOM_CACHE_MAX; None: there is no bound."""
    text = os.environ.get(BOUND)
    found = size_of(text) if text else USUAL_BOUND
    if found is None:
        raise Diagnostic(f"{BOUND}={text} is no size", hint="write 500M or 2G; 0: no bound", exit_code=2)
    return found or None


def _keep_bound(grown: int) -> None:
    """Count what was built, in a file, so that only a cache that is too large is looked through."""
    most = bound()
    if most is None:
        return
    with locked("cache", "size") as descriptor:
        known = size_of(os.pread(descriptor, 32, 0).decode(errors="replace"))
        total = _make_room(most, most) if known is None else known + grown
        if total > most:
            total = min(_make_room(most, int(most * _ROOM)), int(most * (1 + _ROOM) / 2))
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(total).encode(), 0)


def _make_room(most: int, wanted: int) -> int:
    """Where entries take more than `most` bytes, remove those that were not used for longest, down to `wanted`; the
    bytes that are left. Runtimes take half of that at most. What was used within the last hour stays."""
    there = entries()
    runtimes = _trimmed(_used_through_links(each for each in there if each.kind in RUNTIME), most // 2, wanted // 2)
    others = [each for each in there if each.kind not in RUNTIME]
    return runtimes + _trimmed(others, most - runtimes, wanted - runtimes)


def _used_through_links(there: Iterable[Entry]) -> list[Entry]:
    """Runtimes and the links to them; whoever links a program touches the link alone."""
    found = list(there)
    used: dict[str, float] = {}
    for entry in found:
        target = (entry_path(entry.kind, entry.key) / "toolkit").resolve()
        used[target.name] = max(entry.used, used.get(target.name, 0.0))
    return [replace(entry, used=max(entry.used, used.get(entry.key, 0.0))) for entry in found]


def _trimmed(there: Sequence[Entry], most: int, wanted: int) -> int:
    total, now = sum(each.size for each in there), time.time()
    if total <= most:
        return total
    for entry in sorted(there, key=lambda entry: entry.used):
        if total <= wanted or now - entry.used < _RECENT_SECONDS:
            break
        if remove(entry, waits=False):
            total -= entry.size
    return total


def note_use(entry: Path) -> None:
    """An entry that was used lately goes last when the cache is made smaller."""
    with suppress(OSError):  # a cache that one may only read
        os.utime(entry)


def size() -> int:
    """The bytes of all files of the cache; what another process removes meanwhile counts as nothing."""
    return _size(cache_dir())


def _size(top: Path) -> int:
    total = 0
    for folder, _, names in os.walk(top):
        for name in names:
            with suppress(FileNotFoundError):
                total += Path(folder, name).lstat().st_size
    return total


@dataclass(frozen=True)
class Entry:
    """A folder of the cache: its size in bytes, and when it was last used, in seconds since 1970."""

    kind: str
    key: str
    size: int
    used: float


def entries() -> list[Entry]:
    """All entries that there are, in no order."""
    found: list[Entry] = []
    for path in cache_dir().glob("*/*"):
        if path.is_dir() and not path.name.startswith("."):
            with suppress(FileNotFoundError):
                found.append(Entry(path.parent.name, path.name, _size(path), path.stat().st_mtime))
    return found


def remove(entry: Entry, *, waits: bool = True) -> bool:
    """Remove an entry as a whole: whoever wants it meanwhile waits, and builds it anew. False where somebody builds it
    and this call is not to wait."""
    try:
        with locked(entry.kind, entry.key, waits=waits):
            path = entry_path(entry.kind, entry.key)
            doomed = path.with_name(f".{entry.key[:8]}-{os.getpid()}-removed")
            with suppress(FileNotFoundError):
                path.rename(doomed)
                remove_tree(doomed)
    except BlockingIOError:
        return False
    return True


def shrink(most: int, kept: Collection[str] = ()) -> int:
    """Remove entries, those first that were not used for longest, until at most `most` bytes are left; the bytes that
    went. Entries of the kinds `kept` stay."""
    there = entries()
    too_many = sum(entry.size for entry in there) - most
    gone = 0
    for entry in sorted(there, key=lambda entry: entry.used):
        if gone >= too_many:
            break
        if entry.kind not in kept:
            remove(entry)
            gone += entry.size
    return gone


@contextmanager
def locked(kind: str, key: str, *, waits: bool = True) -> Generator[int]:
    """Hold the lock of one entry, whose file is handed over; other processes that want it wait. BlockingIOError where
    another one holds it and this one is not to wait."""
    path = _made(_writable(cache_dir()) / "locks") / f"{kind}-{key}"
    with _opened(path) as descriptor:
        _lock(descriptor, waits=waits)
        yield descriptor


def _lock(descriptor: int, *, waits: bool) -> bool:
    """Lock a file; False where its file system has no locks, as some of the network: then two processes may build one
    entry, and the first to end has made it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP):
            raise
        return False
    return True


def has_locks() -> bool:
    """Whether processes can wait for each other's builds in the cache."""
    with _opened(_made(_writable(cache_dir()) / "locks") / "doctor") as descriptor:
        return _lock(descriptor, waits=True)


@contextmanager
def _opened(path: Path) -> Generator[int]:
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise Diagnostic(f"cannot write to the cache: {error}", hint=mend_of(error)) from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)  # the lock goes with it


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Diagnostic(f"cannot write to the cache: {error}", hint=mend_of(error)) from error
    return folder
