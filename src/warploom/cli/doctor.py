# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom doctor`: what was found on this machine, what is missing, and the line that mends it."""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from warploom import cache
from warploom.core.records import asdict, dataclass
from warploom.diagnostics import Diagnostic
from warploom.engines import ENGINES
from warploom.frontend.cccl import INSTALL, INSTALL_TBB, cccl_version, find_cccl
from warploom.runtime_library import toolkit_key
from warploom.toolchain import Toolchain, find_toolchain, run_tool
from warploom.version import VERSION

# Instruction sets worth knowing of, the widest first, as /proc/cpuinfo names them.
SIMD_FEATURES = ("avx512f", "avx512bw", "avx512vl", "avx2", "fma", "f16c", "sse4_2")
LIBC_HINT = "apt-get install libc6-dev (Fedora: dnf install glibc-devel)"
PROBE = '#include <cstdio>\n#include <vector>\nint main() { std::vector<int> v(1); return std::puts("") < 0; }\n'

OLDEST_PYTHON = (3, 11)
OTHER_SYSTEMS = {
    "Darwin": "a Linux virtual machine or container, on Apple's chips one for AArch64; macOS itself is not supported",
    "Windows": "wsl --install -d Ubuntu: in WSL2 it is x86-64 Linux; Windows itself is not supported",
}
OTHER_MACHINES = {
    "aarch64": "PyPI's clang is for x86-64: apt-get install clang-19 lld-19 libclang-19-dev, or cross-compile",
    "riscv64": "cross-compile from x86-64: warpcc --target=riscv64-linux-gnu",
}
NO_MACHINE = "Warploom runs on x86-64 and AArch64, and cross-compiles for RISC-V"


@dataclass(frozen=True)
class Finding:
    """One thing that was looked for. `mend` is there when it is missing; `needed`: nothing works without it."""

    name: str
    found: str
    mend: str | None = None
    needed: bool = False

    @property
    def status(self) -> str:
        if self.mend is None:
            return "ok"
        return "missing" if self.needed else "note"


def main(argv: Sequence[str]) -> int:
    """Print the findings; 1 when something that is needed is missing."""
    parser = argparse.ArgumentParser(prog="warploom doctor", description=__doc__, allow_abbrev=False)
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    options = parser.parse_args(argv)
    findings = examine()
    missing = any(finding.status == "missing" for finding in findings)
    if options.json:
        print(
            json.dumps({"ok": not missing, "findings": [asdict(f) | {"status": f.status} for f in findings]}, indent=2)
        )
    else:
        print(as_text(findings))
    return 1 if missing else 0


def as_text(findings: Sequence[Finding]) -> str:
    """One line a finding; what mends it on the next."""
    width = max(len(finding.name) for finding in findings)
    lines: list[str] = []
    for finding in findings:
        lines.append(f"{finding.status:>7}  {finding.name:<{width}}  {finding.found}")
        if finding.mend is not None:
            lines.append(f"{'':>7}  {'':<{width}}  to mend: {finding.mend}")
    return "\n".join(lines)


def examine() -> list[Finding]:
    """Everything, in the order in which one needs it."""
    findings = [version(), python(), system()]
    toolchain = attempt("toolchain", findings, find_toolchain)
    if toolchain is not None:
        findings += [*compilers(toolchain), c_library(), clang_starts(toolchain)]
        if findings[-1].status == "ok":
            findings.append(program_builds(toolchain))
    findings += [device_libraries(), processor(), cores(), cache_folder()]
    if toolchain is not None:
        findings.append(runtime_library(toolchain))
    return findings


def attempt(name: str, findings: list[Finding], find: Callable[[], Toolchain]) -> Toolchain | None:
    """The toolchain, or None with a finding that says what is missing."""
    try:
        return find()
    except Diagnostic as diagnostic:
        findings.append(Finding(name, diagnostic.message, diagnostic.hint or "see docs/guide.md", needed=True))
        return None


def version() -> Finding:
    """This program and its Python."""
    python = f"{platform.python_version()} ({sys.executable})"
    return Finding("warploom", f"{VERSION}, engines: {', '.join(ENGINES)}; Python {python}")


def system() -> Finding:
    """Whether this is a system that Warploom runs on."""
    libc = " ".join(platform.libc_ver())
    return judge_system(platform.system(), platform.machine(), platform.release(), libc)


def judge_system(name: str, machine: str, release: str, libc: str) -> Finding:
    """The finding for a system by its name, its machine, its kernel's release and its C library ("glibc 2.36")."""
    shown = f"{name} {machine}, {libc or 'unknown C library'}"
    if name == "Linux" and "microsoft" in release.lower():
        shown += ", in Windows (WSL)"
        if "wsl2" not in release.lower():
            return Finding("system", shown, "wsl --set-version DISTRIBUTION 2: WSL 1 has no Linux of its own")
    mend = OTHER_SYSTEMS.get(name) or (OTHER_MACHINES.get(machine, NO_MACHINE) if machine != "x86_64" else None)
    if mend is None and not libc.startswith("glibc"):
        mend = "musl and other C libraries: take a Debian-based image; wheels, and PyPI's clang, are for glibc"
    return Finding("system", shown, mend, needed=mend is not None and machine != "aarch64")


def python() -> Finding:
    """Whether this Python is new enough."""
    return judge_python(sys.version_info[:2])


def judge_python(found: tuple[int, int]) -> Finding:
    """The finding for a version of Python."""
    text = ".".join(map(str, found))
    if found >= OLDEST_PYTHON:
        return Finding("Python", text)
    mend = "apt-get install python3.11-venv, or: uv venv --python 3.12"
    return Finding("Python", f"{text}; 3.11 is the oldest that Warploom runs on", mend, needed=True)


def compilers(toolchain: Toolchain) -> list[Finding]:
    """What the toolchain is made of."""
    lld = Finding("linker", str(toolchain.lld)) if toolchain.lld else Finding("linker", "the system's ld, not lld")
    return [
        Finding("clang", f"{toolchain.clang} ({toolchain.origin})"),
        Finding("LLVM", f"{toolchain.version}: {toolchain.llvm_library}"),
        lld,
        Finding("C++ library", toolchain.standard_library),
        tbb(toolchain),
    ]


def tbb(toolchain: Toolchain) -> Finding:
    """oneTBB, which only programs with Thrust's TBB system need."""
    if toolchain.tbb_include is None:
        return Finding("oneTBB", "not installed: programs with Thrust's TBB system do not compile", INSTALL_TBB)
    return Finding("oneTBB", f"headers {toolchain.tbb_include}, library {toolchain.tbb_lib}")


def c_library() -> Finding:
    """The C library's headers, which pip cannot bring."""
    for folder in (Path("/usr/include"), Path("/usr/include") / f"{platform.machine()}-linux-gnu"):
        if (folder / "features.h").exists():
            return Finding("glibc headers", str(folder))
    return Finding("glibc headers", "no features.h below /usr/include", LIBC_HINT, needed=True)


def clang_starts(toolchain: Toolchain) -> Finding:
    """Whether clang runs at all: PyPI's needs two libraries of the system."""
    done = run_tool([toolchain.clang, "--version"])
    if done.returncode == 0:
        return Finding("clang runs", done.stdout.splitlines()[0])
    missing = re.search(r"(lib\w+)\.so\.(\d+): cannot open", done.stderr)
    hint = f"apt-get install {missing.group(1)}{missing.group(2)}" if missing else "install clang again"
    return Finding("clang runs", first_error(done.stderr) or f"exit status {done.returncode}", hint, needed=True)


def program_builds(toolchain: Toolchain) -> Finding:
    """Whether an ordinary C++ program compiles, links and runs."""
    name = "C++ program"

    def build(folder: Path) -> None:
        source = folder / "probe.cpp"
        source.write_text(PROBE)
        flags = [*toolchain.cxx_flags, *toolchain.link_flags]
        done = run_tool([toolchain.clang, *flags, source, "-o", folder / "probe"])
        if done.returncode == 0:
            done = run_tool([folder / "probe"])
        if done.returncode != 0:
            raise Diagnostic(first_error(done.stderr) or f"exit status {done.returncode}")

    try:
        cache.cached_entry("doctor", cache.content_key(PROBE, repr(toolchain), *link_inputs()), build)
    except Diagnostic as diagnostic:
        return Finding(name, diagnostic.message, diagnostic.hint or LIBC_HINT, needed=True)
    return Finding(name, "compiles, links and runs")


def link_inputs() -> list[str]:
    """Whether the C library's link files are there: a probe that passed before they went is not proof."""
    return [f"{path} {path.exists()}" for path in map(Path, ("/usr/include/features.h", "/usr/include/stdio.h"))]


def first_error(text: str) -> str:
    """The first line of a tool's output that tells of an error."""
    return next((line for line in text.splitlines() if "error" in line), text.strip().splitlines()[0] if text else "")


def device_libraries() -> Finding:
    """CCCL, which programs that include Thrust, CUB or libcu++ need; the others do not."""
    name = "CCCL"
    try:
        folder = find_cccl()
    except Diagnostic as diagnostic:
        return Finding(name, diagnostic.message, diagnostic.hint or INSTALL, needed=True)
    if folder is None:
        return Finding(name, "not installed: programs that include thrust/ or cub/ do not compile", INSTALL)
    return Finding(name, f"{cccl_version(folder)}: {folder}")


def processor() -> Finding:
    """The CPU and the SIMD instruction sets it has."""
    fields = dict(cpu_lines())
    have = set(fields.get("flags", "").split())
    found = [feature for feature in SIMD_FEATURES if feature in have]
    return Finding("CPU", f"{fields.get('model name', platform.machine())}: {' '.join(found) or 'no SIMD known'}")


def cpu_lines() -> list[tuple[str, str]]:
    """The fields of /proc/cpuinfo's last processor."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return []
    pairs = (line.partition(":") for line in text.splitlines())
    return [(name.strip(), value.strip()) for name, colon, value in pairs if colon]


def cores() -> Finding:
    """The cores that blocks are spread over."""
    usable, there = len(os.sched_getaffinity(0)), os.cpu_count()
    return Finding("cores", f"{usable} usable" if usable == there else f"{usable} usable of {there}")


def cache_folder() -> Finding:
    """Where builds are kept, and whether they can be."""
    problem = cache.problem()
    if problem is not None:
        return Finding("cache", f"{problem.why}: nothing is kept of builds", problem.mend)
    try:
        most = cache.bound()
    except Diagnostic as diagnostic:
        return Finding("cache", diagnostic.message, diagnostic.hint)
    limit = "no bound" if most is None else f"{most / 2**20:.1f} MiB at most"
    locks = "" if cache.has_locks() else "; no locks there: commands that run at once may each build what both need"
    return Finding("cache", f"{cache.cache_dir()}, {cache.size() / 2**20:.1f} MiB, {limit}{locks}")


def runtime_library(toolchain: Toolchain) -> Finding:
    """Whether the C++ runtime has been built; it is when the first program is linked."""
    folder = cache.entry_path("toolkit", toolkit_key(toolchain))
    return Finding("runtime", str(folder) if folder.is_dir() else "not built yet; the first link builds it")
