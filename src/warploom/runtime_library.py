# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C++ runtime as a library and as a toolkit: taken from the wheel, or built once for each content of its sources.

A toolkit is a folder as CUDA installs it, so that build systems find what they look for:

    lib64/libwarploom.so, libcudart.so -> libwarploom.so, ...    include -> the CUDA headers    bin/nvcc -> warpcc

A wheel brings the library for its platform (`prebuilt/`, made by `prebuild` when the wheel is). Programs then find it
in the package, a place that other users can read and that outlives the cache.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from warploom import host_libraries
from warploom.cache import cached_entry, content_key, is_passing, locked, package_key, replace_entry
from warploom.diagnostics import Diagnostic
from warploom.frontend.cccl import packaged_cccl
from warploom.frontend.passes import HEADER, INCLUDE
from warploom.runtime_objects import SOURCES, SUFFIXES, Source, compile_objects, object_key, run_build
from warploom.scratch import temporary_folder
from warploom.target import host_target
from warploom.toolchain import Toolchain, find_toolchain

PREBUILT = Path(__file__).resolve().parent / "prebuilt"
LIBRARY = "libwarploom.so"
STATIC_LIBRARY = "libwarploom_static.o"
STATIC_RUNTIME = "libcudart_static.a"
STATIC_FOLDER = "static"  # below lib64: what has links to that alone
CALLS_SOURCE = Path(__file__).resolve().parent / "api" / "calls.c"
CALLS = "calls.so"
TOOLKIT = "WARPLOOM_TOOLKIT"  # in the environment: the folder of an installed toolkit
_CCCL = "cccl"  # among the headers: where CUDA 13 has CCCL's
_MARK = ".warploom-toolkit"  # in such a folder; holds the key of what it was made of
_NO_UNIQUE = "-Wl,--no-gnu-unique"  # what is unique in a process is seen by every library of it
# Where libc++ of PyPI's clang lies in a virtual environment, from the folder of a prebuilt library.
_LIBCXX = f"$ORIGIN/../../../../../{host_target().triple}"
# Where OpenBLAS lies, from there.
_OPENBLAS = f"$ORIGIN/../../../{host_libraries.OPENBLAS}/lib"
# What a launch runs lies side by side, see scripts/launch_path.py.
_LAUNCH_PATH = SOURCES / "launch_path.txt"
# Libraries that programs name on the link line and that libwarploom stands in for.
ALIASES = (
    "cudart", "cuda", "cudart_static", "cudadevrt", "curand", "curand_static", "nvrtc", "nvrtc_static", "nvToolsExt",
    "nvidia-ml", "culibos", "cupti", "nvJitLink", "nvJitLink_static",
)  # fmt: skip
_WITH_TYPES = frozenset(("debug_variables.cpp",))  # what a debugger prints
# What lies in a toolkit's bin: the module with its `main`, and that one's argument.
_PROGRAMS = {
    **dict.fromkeys(("nvcc", "warpcc"), ("warpcc", "")),
    "nvidia-smi": ("nvidia_smi", ""),
    **{name: ("cuda_tools", repr(name)) for name in ("nvprof", "nsys", "cuda-gdb", "cuobjdump", "nvdisasm")},
}


def prebuilt(toolchain: Toolchain) -> Path | None:
    """The folder of the wheel with the libraries for this toolchain's programs; None in a source tree.

    What has a standard library inside serves all; what was built where there was none to put inside needs libc++.
    """
    kinds = ("", "-libc++") if toolchain.standard_library == "libc++" else ("",)
    folders = (PREBUILT / f"{toolchain.triple}{kind}" for kind in kinds)
    return next((folder for folder in folders if (folder / LIBRARY).exists()), None)


def toolkit(toolchain: Toolchain) -> Path:
    """The toolkit folder, made when the cache has none for these sources and this toolchain.

    WARPLOOM_TOOLKIT names one that `install_toolkit` has made. Reading every source takes a while: a second, quick
    entry of the cache leads from the files' times to the toolkit.
    """
    chosen = os.environ.get(TOOLKIT)
    if chosen and toolchain.target.is_host:
        return _installed(Path(chosen), toolchain)
    return _toolkit_of_cache(toolchain)


def complete_toolkit(toolchain: Toolchain) -> Path:
    """The toolkit folder with all libraries built, for other linkers than warpcc."""
    folder = toolkit(toolchain)
    host_libraries.provide_all(toolchain, folder / "lib64")
    return folder


def _toolkit_of_cache(toolchain: Toolchain) -> Path:
    places = (str(toolchain.clang), interpreter(), str(packaged_cccl()))
    quick = content_key(package_key(), *places, *toolchain.link_flags)

    def build_and_link(folder: Path) -> None:
        built = cached_entry("toolkit", toolkit_key(toolchain), lambda folder: _make(toolchain, folder))
        (folder / "toolkit").symlink_to(built)

    link = cached_entry("toolkit-link", quick, build_and_link) / "toolkit"
    if not link.exists():  # the cache was made smaller
        with locked("toolkit-link", quick):
            link = replace_entry("toolkit-link", quick, build_and_link) / "toolkit"
    return link.resolve()


def toolkit_key(toolchain: Toolchain) -> str:
    """Changes with every source, header and tool that the toolkit is made of."""
    ready, cccl = prebuilt(toolchain), str(packaged_cccl())
    if ready is not None:
        return content_key("prebuilt", str(ready), str(INCLUDE), interpreter(), cccl, Path(__file__).read_text())
    objects = [object_key(toolchain, source) for source in runtime_sources()] + host_libraries.source_keys(toolchain)
    objects += [(SOURCES / "exports.map").read_text(), _LAUNCH_PATH.read_text(), Path(__file__).read_text()]
    return content_key(toolchain.triple, str(INCLUDE), interpreter(), cccl, *toolchain.link_flags, *objects)


def interpreter() -> str:
    """This Python, under one name: commands of an environment are run by `python3`, scripts by `python`."""
    versioned = Path(sys.prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")
    return str(versioned) if versioned.exists() else sys.executable


def runtime_sources() -> list[Source]:
    """Of libwarploom itself."""
    found = (path for path in SOURCES.rglob("*") if path.suffix in SUFFIXES)
    own = (path for path in sorted(found) if "libraries" not in path.relative_to(SOURCES).parts)
    return [Source(path, ("-g",) if path.name in _WITH_TYPES else ()) for path in own]


def _objects(toolchain: Toolchain) -> list[Path]:
    return compile_objects(toolchain, runtime_sources(), "the runtime")


def install_toolkit(toolchain: Toolchain, folder: Path) -> None:
    """Copy the toolkit to `folder`, which may have an older one: with its own library and headers, at a place that
    stays. Its compiler is this Warploom's."""
    import shutil

    made = _toolkit_of_cache(toolchain)
    host_libraries.provide_all(toolchain, made / "lib64")
    parent = folder.absolute().parent
    parent.mkdir(parents=True, exist_ok=True)
    with temporary_folder(f".{folder.name}-", parent) as scratch:
        copy = scratch / "toolkit"
        shutil.copytree(made, copy, symlinks=True)
        files = [library.file for library in host_libraries.HOST_LIBRARIES]
        headers = [link for link in (copy / "include").iterdir() if link.name != _CCCL]
        for link in (*headers, *(copy / "lib64" / name for name in (LIBRARY, *files))):
            target = link.resolve()
            if link.is_symlink():
                link.unlink()
                (shutil.copytree if target.is_dir() else shutil.copy2)(target, link)
        _write_compilers(copy / "bin", folder.absolute())
        (copy / _MARK).write_text(made.name)
        if folder.exists():
            folder.rename(scratch / "old")
        copy.rename(folder)


def is_toolkit(folder: Path) -> bool:
    """Whether `install_toolkit` has made `folder`."""
    return (folder / _MARK).exists()


def _installed(folder: Path, toolchain: Toolchain) -> Path:
    mend = f"warploom toolkit --install {folder}"
    if not is_toolkit(folder):
        raise Diagnostic(f"{TOOLKIT} names {folder}, which is no toolkit of Warploom's", hint=mend)
    if (folder / _MARK).read_text() != _toolkit_of_cache(toolchain).name:
        raise Diagnostic(f"the toolkit {folder} was made by another Warploom", hint=mend)
    return folder.absolute()


def link_flags(toolchain: Toolchain, *, static: bool = False, libraries: bool = False) -> list[str]:
    """What links a program against the runtime, wherever it is run from; `static` puts the runtime into the program.

    A program with the runtime inside shows it to the shared libraries that it loads: they use the same one.
    `libraries`: the program names host libraries, too.
    """
    made = None
    if not static and prebuilt(toolchain) is None:
        made = toolkit(toolchain)
        static = is_passing(made)  # nobody would find it later
    runtime = ["-lwarploom"]
    if static:
        shown = (f"-Wl,--export-dynamic-symbol={name}" for name in _exported())
        runtime = [str(_static_library(toolchain)), *shown]
        if not libraries:
            return runtime
    lib = (made or toolkit(toolchain)) / "lib64"
    stable = lib if is_toolkit(lib.parent) else prebuilt(toolchain) or lib
    return [f"-L{lib}", *runtime, f"-Wl,-rpath,{stable.resolve()}", "-Wl,-rpath,$ORIGIN"]


def _static_library(toolchain: Toolchain) -> Path:
    """The whole runtime as one object file."""
    ready = prebuilt(toolchain)
    if ready is not None and (ready / STATIC_LIBRARY).exists():
        return ready / STATIC_LIBRARY

    def join(folder: Path) -> None:
        run_build([toolchain.partial_linker(), "-r", *_objects(toolchain), "-o", folder / STATIC_LIBRARY])

    return cached_entry("static-runtime", toolkit_key(toolchain), join) / STATIC_LIBRARY


def _exported() -> list[str]:
    """The names that the runtime shows, with `*` for any ending."""
    named = re.search(r"global:([^}]*?)local:", (SOURCES / "exports.map").read_text())
    assert named is not None
    return [name.strip() for name in named[1].split(";") if name.strip()]


def calls_library() -> Path:
    """The library through which Python launches kernels quickly (api/calls.c), for the Python that runs this."""
    toolchain = find_toolchain()
    ready = prebuilt(toolchain)
    if ready is not None and (ready / CALLS).exists():
        return ready / CALLS
    key = content_key(CALLS_SOURCE.read_text(), str(toolchain.clang), toolchain.version)
    return cached_entry("python-calls", key, lambda folder: _make_calls(toolchain, folder / CALLS)) / CALLS


def _make_calls(toolchain: Toolchain, library: Path) -> None:
    """Its functions of Python's are those of the program that loads it; of the C library it needs the oldest ones."""
    clang = toolchain.clang.with_name(toolchain.clang.name.replace("clang++", "clang"))
    linker = [] if toolchain.lld is None else [f"--ld-path={toolchain.lld}"]
    run_build([clang, "-std=c11", "-O2", "-fPIC", "-shared", *linker, CALLS_SOURCE, "-o", library])


def prebuild(folder: Path) -> str:
    """Build the libraries of a wheel under `folder`; the wheel's platform, as in its file's name.

    With gcc's static libraries the standard library goes inside and stays invisible there, so that one build serves
    every program; without them programs must have libc++.
    """
    toolchain = find_toolchain()
    objects = _objects(toolchain)
    inside = [] if toolchain.standard_library == "libc++" else ["-static-libstdc++", "-static-libgcc", _NO_UNIQUE]
    made = folder / (toolchain.triple if inside else f"{toolchain.triple}-libc++")
    made.mkdir(parents=True)
    general = [flag for flag in toolchain.link_flags if not flag.startswith("-Wl,-rpath")]  # no places of this machine
    standard = inside or [f"-Wl,-rpath,{_LIBCXX}"]
    _link(toolchain, objects, made / LIBRARY, [*general, *standard])
    _make_calls(toolchain, made / CALLS)
    for library in host_libraries.HOST_LIBRARIES:
        flags = [*general, *standard, f"-Wl,-rpath,{_OPENBLAS}"]
        host_libraries.build(library, toolchain, made, flags, made / library.file)
    if inside:
        joined = ["-r", "-nostdlib", "-fuse-ld=bfd", "-Wl,--force-group-allocation"]
        libraries = ["-Wl,--start-group", "-l:libstdc++.a", "-l:libgcc_eh.a", "-lgcc", "-Wl,--end-group"]
        run_build(
            [toolchain.clang, *toolchain.target.flags, *joined, *objects, *libraries, "-o", made / STATIC_LIBRARY]
        )
        # Weak first: a unique symbol cannot be made local.
        run_build(["objcopy", "--wildcard", "--weaken-symbol=_Z*", made / STATIC_LIBRARY])
        kept = [f"--keep-global-symbol={name}" for name in _exported()]
        run_build(["objcopy", "--wildcard", *kept, made / STATIC_LIBRARY])
    return platform_tag(made / LIBRARY, toolchain)


def platform_tag(library: Path, toolchain: Toolchain) -> str:
    """`manylinux_2_N_ARCH`: the oldest C library that has all the functions which `library` uses."""
    versions = re.findall(rb"\0GLIBC_2\.(\d+)(?:\.\d+)?(?=\0)", library.read_bytes())
    return f"manylinux_2_{max(map(int, versions))}_{toolchain.target.arch}"


def _make(toolchain: Toolchain, folder: Path) -> None:
    lib = folder / "lib64"
    lib.mkdir()
    ready = prebuilt(toolchain)
    if ready is not None:
        (lib / LIBRARY).symlink_to(ready / LIBRARY)
        for library in host_libraries.HOST_LIBRARIES:
            (lib / library.file).symlink_to(ready / library.file)
            host_libraries.place_links(library, lib, library.file)
        # What is loaded from here looks for OpenBLAS from here: the loader takes a link's folder for the library's.
        openblas = ready.parents[2] / host_libraries.OPENBLAS / "lib" / host_libraries.OPENBLAS_FILE
        (lib / openblas.name).symlink_to(openblas)
    else:
        _link(toolchain, _objects(toolchain), lib / LIBRARY, toolchain.link_flags)
        host_libraries.place_stand_ins(lib, LIBRARY)
    archive = _make_archive(toolchain, lib)
    for alias in ALIASES:
        if not (archive and alias == "cudart_static"):
            (lib / f"lib{alias}.so").symlink_to(LIBRARY)
    for name in ("libcuda.so.1", "libnvidia-ml.so.1", "libcupti.so.13"):  # what programs open to find functions by name
        (lib / name).symlink_to(LIBRARY)
    (folder / "lib").symlink_to("lib64")
    cupti = folder / "extras" / "CUPTI"  # where its users look for it
    cupti.mkdir(parents=True)
    (cupti / "include").symlink_to(Path("..", "..", "include"))
    (cupti / "lib64").symlink_to(Path("..", "..", "lib64"))
    _link_headers(folder / "include")
    (folder / "nvvm" / "libdevice").mkdir(parents=True)  # CMake takes a folder for a toolkit when it has this one
    _write_compilers(folder / "bin", None)


def _link_headers(folder: Path) -> None:
    """Links to the CUDA headers, and to CCCL's, which CUDA 13 has in a folder of theirs."""
    folder.mkdir()
    for header in INCLUDE.iterdir():
        (folder / header.name).symlink_to(header)
    cccl = packaged_cccl()
    if cccl is not None:
        (folder / _CCCL).symlink_to(cccl)


def is_headers(folder: Path) -> bool:
    """Whether `folder` holds the CUDA headers and no others: this Warploom's, links to them, or a copy in a toolkit."""
    is_copy = folder.name == "include" and is_toolkit(folder.parent)
    return is_copy or ((folder / HEADER.name).resolve() == HEADER and _has_no_others(folder))


def _has_no_others(folder: Path) -> bool:
    known = {header.name for header in INCLUDE.iterdir()} | {_CCCL}
    return all(header.name in known for header in folder.iterdir())


def _make_archive(toolchain: Toolchain, folder: Path) -> bool:
    """libcudart_static.a, which host compilers link: CMake has them link what is C++ and CUDA. They give a program no
    place to look for a shared runtime. False where there is no archiver.

    Links to it lie apart for `LIBRARY_PATH`: CMake gives programs no place to look for libraries of a folder there.
    """
    archiver = toolchain.cross_tool("ar")
    if archiver is None:
        return False
    run_build([archiver, "rcs", folder / STATIC_RUNTIME, _static_library(toolchain)])
    (folder / STATIC_FOLDER).mkdir()
    # All that is libwarploom under another name: of several on one link line the first gives everything.
    for alias in ALIASES:
        if alias != "cudart":
            (folder / STATIC_FOLDER / f"lib{alias}.a").symlink_to(Path("..", STATIC_RUNTIME))
    return True


def _write_compilers(folder: Path, home: Path | None) -> None:
    """The programs of bin; `home`: the toolkit that they belong to, if it is not the cache's."""
    folder.mkdir(exist_ok=True)
    belongs = f"import os\nos.environ.setdefault({TOOLKIT!r}, {str(home)!r})\n" if home is not None else ""
    for name, (module, argument) in _PROGRAMS.items():
        call = f"from warploom.cli.{module} import main\nsys.exit(main({argument}))\n"
        (folder / name).write_text(f"#!{interpreter()}\nimport sys\n{belongs}{call}")
        (folder / name).chmod(0o755)


def _link(toolchain: Toolchain, objects: Sequence[Path], library: Path, flags: Sequence[str]) -> None:
    order = (f"-Wl,--symbol-ordering-file={_LAUNCH_PATH}", "-Wl,--no-warn-symbol-ordering")
    run_build([
        toolchain.clang, *flags, "-shared", *objects, "-o", library, f"-Wl,-soname,{LIBRARY}", "-lpthread", "-ldl",
        "-Wl,-z,defs", f"-Wl,--version-script={SOURCES / 'exports.map'}", *(order if toolchain.lld else ()),
    ])  # fmt: skip
