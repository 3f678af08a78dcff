# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cupy.random: NumPy's generators. The numbers of a seed are NumPy's, and not those of a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.compat.cupy.core import apply, ndarray, wrap
from warploom.compat.cupy.functions import function_of

_state = np.random.RandomState()
_NAMES = """beta binomial chisquare choice dirichlet exponential f gamma geometric gumbel hypergeometric
laplace logistic lognormal logseries multinomial multivariate_normal negative_binomial noncentral_chisquare
noncentral_f normal pareto permutation poisson power rand randint randn random_integers rayleigh shuffle
standard_cauchy standard_exponential standard_gamma standard_normal standard_t triangular uniform vonmises
wald weibull zipf bytes""".split()
_WITH_DTYPE = frozenset("rand randn uniform normal standard_normal lognormal exponential gumbel laplace".split())


def _drawn(name: str) -> Any:
    def function(*given: Any, dtype: Any = None, **options: Any) -> Any:
        own = getattr(_state, name)
        if dtype is None or name not in _WITH_DTYPE:
            more = {} if dtype is None else {"dtype": dtype}
            return apply(own, given, options | more)
        return apply(own, given, options).astype(dtype)

    function.__name__ = name
    return function


globals().update({name: _drawn(name) for name in _NAMES if hasattr(_state, name)})


def random(size: Any = None, dtype: Any = float) -> ndarray:
    """Numbers from 0 up to, and without, 1."""
    made = np.array(_state.random_sample(size), np.float64).astype(dtype)
    made[made >= 1] = 0  # what a narrower float rounds up
    return wrap(made)


random_sample = ranf = sample = random


def seed(seed: Any = None) -> None:
    """Begin the numbers anew."""
    _state.seed(seed)


class RandomState:
    """A source of numbers of its own."""

    def __init__(self, seed: Any = None, method: Any = None) -> None:
        del method
        self._state = np.random.RandomState(seed)

    def __getattr__(self, name: str) -> Any:
        return function_of(getattr(self._state, name), name)


class Generator:
    """What default_rng gives."""

    def __init__(self, own: np.random.Generator) -> None:
        self._own = own

    def __getattr__(self, name: str) -> Any:
        return function_of(getattr(self._own, name), name)


def default_rng(seed: Any = None) -> Generator:
    """A new generator."""
    return Generator(np.random.default_rng(seed))
