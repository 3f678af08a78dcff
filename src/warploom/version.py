# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The version of this package, for modules below `warploom` itself."""

VERSION = "0.1.0"
