# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A real second user, and a disk that is really full. Both take root, and say so where they cannot be had."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = Path("/usr/bin/python3")  # of the system: other users may run it
PROGRAM = ROOT / "examples" / "vecadd.cu"
RIGHT = "elements added, 0 wrong"

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can add a user, or mount a small disk")


@dataclass(frozen=True)
class Place:
    """A wheel's installation that all users can run, and a folder for everything else."""

    folder: Path

    def run(self, *words: str | Path, user: str | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run one of its programs, as `user`."""
        home = pwd.getpwnam(user).pw_dir if user else str(self.folder)
        environment = {"PATH": f"{self.folder}/venv/bin:/usr/bin:/bin", "HOME": home, **variables}
        return subprocess.run(
            words, env=environment, user=user, group=user, cwd=home, text=True, capture_output=True, check=False
        )


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    if (
        not PYTHON.exists()
        or subprocess.run([PYTHON, "-c", "import ensurepip, sys; assert sys.version_info >= (3, 11)"]).returncode
    ):
        pytest.skip(f"{PYTHON} is missing, older than 3.11, or without venv")
    folder = Path(tempfile.mkdtemp(prefix="warploom-newcomer-"))
    folder.chmod(0o755)
    try:
        subprocess.run([PYTHON, "-m", "venv", folder / "venv"], check=True)
        pip = [folder / "venv" / "bin" / "pip", "install", "--quiet"]
        subprocess.run([*pip, ROOT], check=True)
        yield Place(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def somebody() -> Iterator[str]:
    """The name of a user of this machine that was not there before."""
    name = f"warploom{os.getpid()}"
    if shutil.which("useradd") is None or subprocess.run(["useradd", "--create-home", name]).returncode != 0:
        pytest.skip("this system adds no users")
    yield name
    subprocess.run(["userdel", "--remove", name], check=False, capture_output=True)


@pytest.fixture
def small_disk(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A disk of so many megabytes."""
    folder = Path(tempfile.mkdtemp(prefix="warploom-disk-"))
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={request.param}m", "tmpfs", folder], capture_output=True
    )
    if mounted.returncode != 0:
        folder.rmdir()
        pytest.skip("this system mounts no small disk: a container without the right to")
    yield folder
    subprocess.run(["umount", folder], check=True)
    folder.rmdir()


def test_roots_program_runs_as_another_user(place: Place, somebody: str) -> None:
    """Its cache is root's alone; the runtime lies in the installation."""
    made = place.folder / "vecadd"
    built = place.run("warpcc", PROGRAM, "-o", made, WARPLOOM_CACHE_DIR=str(place.folder / "roots"))
    assert (built.returncode, built.stderr) == (0, "")
    (place.folder / "roots").chmod(0o700)
    done = place.run(made, user=somebody)
    assert RIGHT in done.stdout, done.stderr


def test_two_users_build_for_themselves(place: Place, somebody: str) -> None:
    source = place.folder / "vecadd.cu"
    shutil.copy(PROGRAM, source)
    done = place.run("warploom", "run", source, user=somebody)
    assert RIGHT in done.stdout, done.stderr
    assert Path(pwd.getpwnam(somebody).pw_dir, ".cache", "warploom").is_dir()


def test_a_cache_of_somebody_elses_is_left_alone(place: Place, somebody: str) -> None:
    """One line says so; the program runs, and doctor finds it beforehand."""
    source, roots = place.folder / "vecadd.cu", place.folder / "locked"
    shutil.copy(PROGRAM, source)
    roots.mkdir(mode=0o700)
    done = place.run("warploom", "run", source, user=somebody, WARPLOOM_CACHE_DIR=str(roots))
    assert RIGHT in done.stdout, done.stderr
    assert done.stderr.count("warploom: warning: nothing is kept of this build") == 1
    told = place.run("warploom", "doctor", user=somebody, WARPLOOM_CACHE_DIR=str(roots))
    assert "cannot be written to (Permission denied): nothing is kept of builds" in told.stdout


@pytest.mark.parametrize("small_disk", [20, 110], indirect=True)
def test_a_full_disk_costs_the_cache_and_no_more(place: Place, small_disk: Path) -> None:
    where = str(small_disk / "cache")
    done = place.run("warploom", "run", PROGRAM, WARPLOOM_CACHE_DIR=where)
    assert RIGHT in done.stdout, done.stderr
    assert done.stderr.count("MiB of space left") == 1
    told = place.run("warploom", "doctor", WARPLOOM_CACHE_DIR=where)
    assert "MiB of space left: nothing is kept of builds" in told.stdout


@pytest.mark.parametrize("small_disk", [135], indirect=True)
def test_a_disk_that_fills_up_on_the_way_is_named(place: Place, small_disk: Path) -> None:
    """What is there at the beginning may not be at the end: one message with the mend, nothing half-written."""
    where = small_disk / "cache"
    (small_disk / "ballast").write_bytes(bytes(1 << 20))
    first = place.run("warploom", "run", PROGRAM, WARPLOOM_CACHE_DIR=str(where))
    if first.returncode != 0:
        assert "No space left on device" in first.stderr
        assert "WARPLOOM_CACHE_DIR" in first.stderr
        assert "Traceback" not in first.stderr
    again = place.run("warploom", "run", PROGRAM, WARPLOOM_CACHE_DIR=str(where))
    assert RIGHT in again.stdout, again.stderr
