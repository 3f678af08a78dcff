# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OpenCL implementations for CPUs that run the same kernels: those that are installed, or given by their driver.

Found are the drivers that the system registers in /etc/OpenCL/vendors (Debian: pocl-opencl-icd) and Intel's from PyPI
(intel-opencl-rt, intel-cmplr-lib-rt) beside this Python; an OpenCL loader comes with the latter, or as
ocl-icd-libopencl1.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from warploom.core.records import dataclass
from warploom.diagnostics import Diagnostic
from warploom.measure.builds import PYTHON_LIBRARIES, Builder
from warploom.measure.workloads import Workload, source_folder
from warploom.toolchain import run_tool

SYSTEM_DRIVERS = Path("/etc/OpenCL/vendors")
INTEL_DRIVER = "libintelocl.so"
SHORT_NAMES = {"Portable Computing Language": "PoCL", "Intel(R) OpenCL": "Intel OpenCL"}


@dataclass(frozen=True)
class Peer:
    """An OpenCL platform with a CPU."""

    name: str
    version: str
    number: int  # as the loader counts
    program: Path

    def command(self, workload: Workload) -> list[str | Path]:
        """What runs `workload` on this platform."""
        x, y = workload.block or (1, 1)
        kernels = source_folder() / "opencl"
        return [self.program, str(self.number), kernels, workload.cuda, str(x), str(y), *workload.arguments]


def environment(drivers: Sequence[Path], folder: Path, cores: int) -> dict[str, str]:
    """Variables under which the loader finds all drivers, and these use `cores` cores; `folder` is to be filled."""
    if SYSTEM_DRIVERS.is_dir():
        shutil.copytree(SYSTEM_DRIVERS, folder, dirs_exist_ok=True)
    own = PYTHON_LIBRARIES / INTEL_DRIVER
    chosen = [own, *drivers] if own.exists() else drivers
    for number, driver in enumerate(chosen):
        if not driver.is_file():
            raise Diagnostic("no such OpenCL driver", file=driver, exit_code=2)
        (folder / f"{number}.icd").write_text(f"{driver.absolute()}\n")
    return {
        "OCL_ICD_VENDORS": str(folder),
        "POCL_MAX_PTHREAD_COUNT": str(cores),
        "POCL_CPU_MAX_CU_COUNT": str(cores),  # the same for newer versions
        "CL_CONFIG_CPU_TBB_NUM_WORKERS": str(cores),
    }


def find(builder: Builder, variables: Mapping[str, str]) -> tuple[list[Peer], str]:
    """The platforms; when there are none, also why."""
    libraries = [f"-L{PYTHON_LIBRARIES}", f"-Wl,-rpath,{PYTHON_LIBRARIES}", "-l:libOpenCL.so.1"]
    try:
        program = builder.plain("opencl/opencl.cpp", libraries)
    except Diagnostic as diagnostic:
        if "libOpenCL" not in diagnostic.message:
            raise
        return [], "no OpenCL loader (Debian: ocl-icd-libopencl1)"
    words = [f"{name}={value}" for name, value in variables.items()]
    listed = run_tool(["env", *words, program, "--list"])
    rows = [line.split("\t") for line in listed.stdout.splitlines() if line.count("\t") == 2]
    peers = [Peer(SHORT_NAMES.get(name, name), version, int(number), program) for number, name, version in rows]
    return peers, "" if peers else "no OpenCL platform with a CPU (Debian: pocl-opencl-icd; PyPI: intel-opencl-rt)"


def described(peer: Peer) -> str:
    """Its name and version in a few words."""
    release = re.search(r"PoCL (\S+)", peer.version)
    return f"{peer.name} {release.group(1)}" if release else f"{peer.name} ({peer.version})"
