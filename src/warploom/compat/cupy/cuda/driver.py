# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cupy.cuda.driver: the errors of the driver API."""

from __future__ import annotations


class CUDADriverError(RuntimeError):
    """A function of the driver failed. `status` is the number of the error."""

    def __init__(self, status: int, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}")
        self.status = status


def not_found(what: str) -> CUDADriverError:
    """There is no kernel or variable of that name."""
    return CUDADriverError(500, "CUDA_ERROR_NOT_FOUND", f"named symbol not found: {what}")


def no_file(path: str) -> CUDADriverError:
    """There is no such file."""
    return CUDADriverError(301, "CUDA_ERROR_FILE_NOT_FOUND", f"file not found: {path}")


def get_build_version() -> int:
    """13000 for CUDA 13.0."""
    return 13000
