# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numba.cuda.random: xoroshiro128+ (Blackman and Vigna), one state for each thread, seeded by SplitMix64.

Thread number n begins where the generator of the seed is after n jumps of 2^64 numbers. Numbers are those of numba.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from warploom.compat.numba_arrays import to_device
from warploom.pyjit.function import jit

xoroshiro128p_dtype = np.dtype([("s0", np.uint64), ("s1", np.uint64)], align=True)
_MASK = (1 << 64) - 1
_JUMP = (0xBEAC0467EBA5FACB, 0xD86B048B86AA9922)
_U64, _F32, _F64 = np.uint64, np.float32, np.float64
_PI2_32, _PI2_64 = np.float32(2 * math.pi), np.float64(2 * math.pi)


def _rotated(x: int, by: int) -> int:
    return ((x << by) | (x >> (64 - by))) & _MASK


def _stepped(state: tuple[int, int]) -> tuple[int, int]:
    s0, s1 = state
    s1 ^= s0
    return _rotated(s0, 55) ^ s1 ^ (s1 << 14 & _MASK), _rotated(s1, 36)


def _seeded(seed: int) -> tuple[int, int]:
    z = (seed + 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    z ^= z >> 31
    return z, z


def _jumped(state: tuple[int, int]) -> tuple[int, int]:
    s0 = s1 = 0
    for word in _JUMP:
        for bit in range(64):
            if word >> bit & 1:
                s0, s1 = s0 ^ state[0], s1 ^ state[1]
            state = _stepped(state)
    return s0, s1


def init_xoroshiro128p_states(states: Any, seed: int, subsequence_start: int = 0, stream: Any = 0) -> None:
    """Give each state its place in the sequence of a seed."""
    if stream:
        stream.synchronize()
    state = _seeded(int(seed))
    for _ in range(subsequence_start):
        state = _jumped(state)
    for place in range(len(states)):
        states[place] = state
        state = _jumped(state)


def create_xoroshiro128p_states(n: int, seed: int, subsequence_start: int = 0, stream: Any = 0) -> Any:
    """States for `n` threads, as an array of the device's."""
    states = np.empty(n, xoroshiro128p_dtype)
    init_xoroshiro128p_states(states, seed, subsequence_start, stream)
    return to_device(states)


def _next(states: Any, index: Any) -> Any:
    """The next 64 bits of a thread's sequence."""
    s0 = states[index]["s0"]
    s1 = states[index]["s1"]
    result = s0 + s1
    s1 ^= s0
    states[index]["s0"] = ((s0 << _U64(55)) | (s0 >> _U64(9))) ^ s1 ^ (s1 << _U64(14))
    states[index]["s1"] = (s1 << _U64(36)) | (s1 >> _U64(28))
    return result


xoroshiro128p_next: Any = jit(device=True)(_next)


def _uniform_float64(states: Any, index: Any) -> Any:
    """A float64 from 0 up to, but without, 1."""
    bits = xoroshiro128p_next(states, index)
    return _F64(bits >> _U64(11)) * _F64(2.0**-53)


xoroshiro128p_uniform_float64: Any = jit(device=True)(_uniform_float64)


def _uniform_float32(states: Any, index: Any) -> Any:
    """The float32 next to a float64 of the same kind: from 0 up to 1."""
    return _F32(xoroshiro128p_uniform_float64(states, index))


xoroshiro128p_uniform_float32: Any = jit(device=True)(_uniform_float32)


def _normal_float32(states: Any, index: Any) -> Any:
    """A float32 of the normal distribution, by Box and Muller's method."""
    one = xoroshiro128p_uniform_float32(states, index)
    other = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(_F32(-2.0) * math.log(one)) * math.cos(_PI2_32 * other)


xoroshiro128p_normal_float32: Any = jit(device=True)(_normal_float32)


def _normal_float64(states: Any, index: Any) -> Any:
    """A float64 of the normal distribution; what it is made of are float32, as numba has it."""
    one = xoroshiro128p_uniform_float32(states, index)
    other = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(_F64(-2.0) * math.log(one)) * math.cos(_PI2_64 * other)


xoroshiro128p_normal_float64: Any = jit(device=True)(_normal_float64)
