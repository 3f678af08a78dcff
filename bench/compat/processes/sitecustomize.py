# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For processes that tests start: warploom.compat stands in for missing packages there, too."""

from warploom.compat import hook

hook.install()
