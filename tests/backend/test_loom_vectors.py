# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops on vectors: compiled for this machine, they leave the bytes in memory that the interpreter leaves."""

from __future__ import annotations

import ctypes
import functools
import math
import mmap
import random
import re
import struct
import subprocess
from pathlib import Path

import pytest

from warploom.backend.loom_code import asks_for_thread
from warploom.backend.loom_text import LoomText
from warploom.frontend.device_module import Kernel, Piece
from warploom.ir.core import Function
from warploom.ir.interpreter import run
from warploom.ir.memory import Memory
from warploom.ir.parser import parse_function
from warploom.ir.verifier import verify
from warploom.passes.barrier.hoist_parallel import HOIST_PARALLEL
from warploom.passes.barrier.unroll import UNROLL
from warploom.passes.base import Context
from warploom.passes.clean.canonicalise import CANONICALISE
from warploom.passes.clean.contract import CONTRACT
from warploom.passes.guards.hoist_ranges import HOIST_RANGES
from warploom.toolchain import find_toolchain

TARGET = 'target triple = "x86_64-unknown-linux-gnu"'
LAUNCH = "%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32"
RUNTIME = """
typedef unsigned long size;
void __warploom_run_blocks(void *launch, void (*body)(void *, unsigned *, char *, size, size), void *frame, size blocks,
                           size scratch, unsigned flags) {
  unsigned position[3];
  body(frame, position, 0, 0, blocks);
}
"""
BYTES = 1024

# What each case begins with. %in holds 64 i32 from -32 up in some order, 64 i32 from 0 to 63 in some order, 64 floats,
# 32 doubles.
START = """
%index.at: ptr = gep %in [offset=256, strides=()]
%float.at: ptr = gep %in [offset=512, strides=()]
%double.at: ptr = gep %in [offset=768, strides=()]
%i: <8 x i32> = load %in [align=4]
%j: <8 x i32> = load %index.at [align=4]
%f: <8 x float> = load %float.at [align=4]
%d: <8 x double> = load %double.at [align=8]
%m: <8 x i1> = icmp %i, zeroinitializer:<8 x i32> [pred=sgt]
%first: i32 = extractelement %j, 0:i32
%c: i1 = icmp %first, 31:i32 [pred=sgt]
"""
SEVENS = "`splat (i32 7)`:<8 x i32>"
NULL = "zeroinitializer:<8 x ptr>"
NONE = "%none: <8 x i1> = xor %m, %m"
ANYWHERE = "%at: <8 x ptr> = gep %{}, %j [offset=0, strides=(4)]"
NEXT = "`<i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10>`:<8 x i32>"
ROW = f"%at: <8 x ptr> = gep %{{}}, {NEXT} [offset=0, strides=(4)]"
PLACES = "%p: <8 x ptr> = gep %in, %j [offset=0, strides=(4)]"
OUT = "store %x, %out [align=1]"
# At the address of each element of %out that %j names.
OUT_PLACES = "%q: <8 x ptr> = gep %out, %j [offset=0, strides=(8)]"


def edges(width: int, bits: int) -> list[str]:
    """Constants: the bits of floats of `width` bits around the limits of integers of `bits` bits, and of no number."""
    code, number = ("<f", "<i") if width == 32 else ("<d", "<q")

    def pattern(value: float, step: int) -> int:
        return struct.unpack(number, struct.pack(code, value))[0] + step

    limits = [-(2.0 ** (bits - 1)), 2.0 ** (bits - 1), 2.0**bits, 0.0]
    near = [pattern(limit, step) for limit in limits for step in (-1, 0, 1) if limit or step >= 0]
    others = [pattern(value, 0) for value in (math.inf, -math.inf, math.nan, -0.75, -1.0)]
    found = [*near, *others]
    lists = [found[:8], found[8:]]
    return ["`<" + ", ".join(f"i{width} {each}" for each in part) + ">`" for part in lists]


CASES = {
    # -- elementwise
    "arithmetic": f"%y: <8 x i32> = mul %i, {SEVENS} [flags=(nsw)] %z: <8 x i32> = sub %y, %j %x: <8 x i32> = "
    f"ashr %z, `<i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 31>`:<8 x i32> {OUT}",
    "floats": f"%y: <8 x float> = fdiv %f, `splat (float 3.0)`:<8 x float> %n: <8 x float> = fneg %y "
    f"%x: <8 x float> = fadd %n, %f {OUT}",
    "doubles": f"%x: <8 x double> = fmul %d, %d {OUT}",
    "select by element": f"%x: <8 x i32> = select %m, %i, %j {OUT}",
    "select whole": f"%x: <8 x i32> = select %c, %i, %j {OUT}",
    "select addresses": f"{PLACES} %k: <8 x ptr> = gep %in, %i [offset=128, strides=(4)] "
    f"%s: <8 x ptr> = select %m, %p, %k %all: <8 x i1> = splat 1:i1 "
    f"%x: <8 x i32> = gather %s, %all, %i [align=4] {OUT}",
    "comparisons": "%a: <8 x i1> = fcmp %f, zeroinitializer:<8 x float> [pred=ogt] %b: <8 x i1> = xor %a, %m "
    f"%x: <8 x i32> = zext %b {OUT}",
    "casts": f"%a: <8 x i64> = sext %i %b: <8 x double> = sitofp %a %y: <8 x float> = fptrunc %b "
    f"%x: <8 x i32> = fptosi %y {OUT}",
    "mask as number": f"%x: i8 = bitcast %m {OUT}",
    "freeze": f"%x: <8 x i32> = freeze %i {OUT}",
    "one element": f"%k: i32 = and %first, 7:i32 %e: i32 = extractelement %i, %k "
    f"%x: <8 x i32> = insertelement %j, %e, %k {OUT}",
    "one bit of a mask": "%k: i8 = trunc %first %l: i8 = and %k, 7:i8 %e: i1 = extractelement %m, %l "
    "%x: <8 x i1> = insertelement %m, %e, 3:i32 %y: <8 x i8> = zext %x store %y, %out",
    "one double, an address": "%k: i32 = and %first, 7:i32 %e: double = extractelement %d, %k store %e, %out "
    f"{PLACES} %a: ptr = extractelement %p, %k %x: i32 = load %a [align=4] "
    "%at: ptr = gep %out [offset=8, strides=()] store %x, %at",
    "one of three": "%three: <3 x i32> = shufflevector %i, %j [mask=(7, 0, 15)] %k: i64 = zext %first "
    "%l: i64 = urem %k, 3:i64 %e: i32 = extractelement %three, %l %v: <3 x i32> = insertelement %three, %first, %l "
    "%w: <8 x i32> = shufflevector %v, %three [mask=(0, 1, 2, 3, 4, 5, 0, 1)] "
    f"%x: <8 x i32> = insertelement %w, %e, 7:i32 {OUT}",
    "the last lane of a mask that has none": f"""
        %none: <8 x i1> = icmp %i, `splat (i32 1000)`:<8 x i32> [pred=sgt]
        %bits: i8 = bitcast %none
        %any: i1 = icmp %bits, 0:i8 [pred=ne]
        %x: i32 = if %any {{
          %zeros: i8 = call %bits, 0:i1 [callee=llvm.ctlz.i8, effects=none, speculatable=true]
          %last: i8 = sub 7:i8, %zeros
          %e: i32 = extractelement %i, %last
          yield %e
        }} {{ yield 5:i32 }} {OUT}""",
    "shuffle": f"%x: <4 x i32> = shufflevector %i, %j [mask=(7, 0, 15, 8)] {OUT}",
    "a loop that carries vectors": f"""
        %x: <8 x i32> = for 0:i32, 5:i32, 1:i32, %i [pred=slt] {{ (%k: i32, %v: <8 x i32>)
          %w: <8 x i32> = add %v, %j
          yield %w
        }} {OUT}""",
    "a loop until no lane is left": f"""
        %any: i1 = reduce %m [kind=or]
        %l: <8 x i1>, %x: <8 x i32> = while %m, %i {{ (%l0: <8 x i1>, %v: <8 x i32>)
          %go: i1 = reduce %l0 [kind=or]
          condition %go, %l0, %v
        }} {{ (%l1: <8 x i1>, %v1: <8 x i32>)
          %less: <8 x i32> = sub %v1, `splat (i32 3)`:<8 x i32>
          %v2: <8 x i32> = select %l1, %less, %v1
          %on: <8 x i1> = icmp %v2, zeroinitializer:<8 x i32> [pred=sgt]
          %l2: <8 x i1> = and %l1, %on
          yield %l2, %v2
        }} {OUT}""",
    "a branch that gives a vector": f"%x: <8 x i32> = if %c {{ yield %i }} {{ yield {SEVENS} }} {OUT}",
    # -- splat and reduce
    "splat a value": f"%x: <8 x i32> = splat %first {OUT}",
    "splat a constant": f"%y: <8 x i32> = splat -5:i32 %x: <8 x i32> = add %y, %i {OUT}",
    "splat a float": f"%y: <8 x float> = splat 0.1:float %x: <8 x float> = fadd %y, %f {OUT}",
    "splat a condition": f"%e: i1 = icmp %first, 7:i32 [pred=ne] %y: <8 x i1> = splat %c %z: <8 x i1> = splat %e "
    f"%a: <8 x i1> = or %y, %m %b: <8 x i1> = and %a, %z %x: <8 x i32> = select %b, %i, %j {OUT}",
    "splat null": f"%x: <8 x ptr> = splat null:ptr {OUT}",
    "splat an address": f"%y: <8 x ptr> = splat %index.at %z: <8 x ptr> = gep %y, %j [offset=-256, strides=(4)] "
    f"%x: <8 x i32> = gather %z, %m, %i [align=4] {OUT}",
    **{
        f"reduce {kind}": f"%x: i32 = reduce %i [kind={kind}] {OUT}"
        for kind in "add mul and or xor umin umax smin smax".split()
    },
    **{f"reduce {kind}": f"%x: float = reduce %f [kind={kind}] {OUT}" for kind in "fadd fmul fmin fmax".split()},
    "reduce doubles": f"%x: double = reduce %d [kind=fadd] {OUT}",
    "reduce whole numbers in any order": "%w: <8 x float> = sitofp %i "
    f"%x: float = reduce %w [kind=fadd, flags=(reassoc)] {OUT}",
    "reduce masks": f"%a: i1 = reduce %m [kind=and] %b: i1 = reduce %m [kind=xor] %e: i8 = zext %a %g: i8 = zext %b "
    f"%h: i8 = shl %e, 1:i8 %x: i8 = or %h, %g {OUT}",
    # -- addresses
    "one index and an offset": "%p: <8 x ptr> = gep %in, %j, %first [offset=4, strides=(4, -4), inbounds=true] "
    f"%k: <8 x ptr> = gep %p, %first [offset=-4, strides=(4)] %x: <8 x i32> = gather %k, %m, %j [align=4] {OUT}",
    "an odd stride": f"%p: <8 x ptr> = gep %in, %j [offset=0, strides=(12)] %x: <8 x i32> = gather %p, %m, %j {OUT}",
    "two indices": "%k: <8 x i64> = zext %j %l: <8 x i8> = trunc %i %p: <8 x ptr> = gep %in, %k, %l "
    f"[offset=128, strides=(8, 4)] %x: <8 x i32> = gather %p, %m, %j [align=4] {OUT}",
    "constant indices": "%p: <8 x ptr> = gep %in, "
    "`<i16 0, i16 9, i16 2, i16 3, i16 -4, i16 5, i16 6, i16 1>`:<8 x i16> "
    f"[offset=16, strides=(4), inbounds=true] %x: <8 x i32> = gather %p, %m, %j [align=4] {OUT}",
    "no step": f"{PLACES} %q: <8 x ptr> = gep %p [offset=0, strides=()] %x: <8 x i32> = gather %q, %m, %j {OUT}",
    "numbers of addresses": f"{PLACES} %a: <8 x i64> = ptrtoint %p %b: <8 x ptr> = inttoptr %a "
    f"%x: <8 x i32> = gather %b, %m, %i [align=4] {OUT}",
    # -- memory
    "load under a mask": f"%x: <8 x i32> = masked_load %index.at, %m, %i [align=4] {OUT}",
    "load everything": f"%x: <8 x i32> = masked_load %index.at, `splat (i1 true)`:<8 x i1>, poison:<8 x i32> {OUT}",
    "load nothing": "%none: <8 x i1> = splat 0:i1 %x: <8 x double> = masked_load null:ptr, %none, %d [align=8] " + OUT,
    "load up to the end": "%at: ptr = gep %in [offset=1008, strides=()] "
    "%four: <8 x i1> = icmp `<i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>`:<8 x i32>, "
    f"`splat (i32 4)`:<8 x i32> [pred=slt] %x: <8 x float> = masked_load %at, %four, %f [align=4] {OUT}",
    "bytes under a mask": f"%b: <8 x i8> = trunc %j %x: <8 x i8> = masked_load %in, %m, %b [align=1] {OUT}",
    "store under a mask": "masked_store %f, %out, %m [align=4]",
    "store under masks that are often whole": """
      masked_store %f, %out, %m [align=4, often_all=true] %all: <8 x i1> = icmp %i, %i [pred=eq]
      %next: ptr = gep %out [offset=32, strides=()] masked_store %i, %next, %all [align=4, often_all=true]
      %none: <8 x i1> = icmp %i, %i [pred=ne] masked_store %d, null:ptr, %none [align=8, often_all=true]""",
    "store halves under a mask": "%h: <8 x half> = fptrunc %f masked_store %h, %out, %m [align=2]",
    "store addresses that are no addresses": "%n: <8 x ptr> = splat null:ptr masked_store %n, %out, %m [align=8]",
    **{
        f"{name}, {attrs}": f"{text} [{attrs}] {OUT if '%x:' in text else ''}"
        for attrs in ("align=4", "align=4, by_lanes=true")
        for name, text in {
            "anywhere": f"{ANYWHERE.format('in')} %x: <8 x i32> = gather_near %at, %m, %i, 0:i64",
            "a row": f"{ROW.format('in')} %x: <8 x i32> = gather_near %at, `splat (i1 true)`:<8 x i1>, %i, 28:i64",
            "to anywhere": f"{ANYWHERE.format('out')} scatter_near %i, %at, %m, 0:i64",
            "to a row": f"{ROW.format('out')} scatter_near %i, %at, `splat (i1 true)`:<8 x i1>, 28:i64",
            "nowhere": f"{NONE} scatter_near %i, {NULL}, %none, 0:i64 [align=4] "
            f"%x: <8 x i32> = gather_near {NULL}, %none, %i, 0:i64",
        }.items()
    },
    **{
        f"{type_} one after the other": f"""
      {made} %at: <8 x ptr> = gep %in, %j [offset=0, strides=({size})]
      %to: <8 x ptr> = gep %out, %j [offset=128, strides=({size})]
      scatter {value}, %to, %m [align={size}, by_lanes=true]
      %x: <8 x {type_}> = gather %at, %m, {value} [align={size}, by_lanes=true] store %x, %out [align={size}]"""
        for type_, value, size, made in (
            ("i8", "%b", 1, "%b: <8 x i8> = trunc %j"),
            ("i16", "%h", 2, "%h: <8 x i16> = trunc %j"),
            ("double", "%d", 8, ""),
            ("ptr", "%p", 8, "%n: <8 x i64> = zext %j %p: <8 x ptr> = inttoptr %n"),
        )
    },
    "bytes lane by lane": "%b: <8 x i8> = trunc %j "
    f"%x: <8 x i8> = masked_load %in, %m, %b [align=1, by_lanes=true] {OUT}",
    "bytes lane by lane, all or none": f"""
      %b: <8 x i8> = trunc %j %all: <8 x i1> = icmp %i, %i [pred=eq] %none: <8 x i1> = icmp %i, %i [pred=ne]
      %x: <8 x i8> = masked_load %in, %all, %b [align=1, by_lanes=true]
      %y: <8 x i8> = masked_load null:ptr, %none, %b [align=1, by_lanes=true]
      %next: ptr = gep %out [offset=8, strides=()] store %y, %next [align=1]
      masked_store %b, null:ptr, %none [align=1, by_lanes=true]
      %last: ptr = gep %out [offset=17, strides=()] masked_store %b, %last, %all [align=1, by_lanes=true] {OUT}""",
    "three bytes": """
      %three: <8 x i1> = icmp `<i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>`:<8 x i32>,
        `splat (i32 3)`:<8 x i32> [pred=slt]
      %b: <8 x i8> = trunc %j %at: ptr = gep %out [offset=64, strides=()]
      %x: <8 x i8> = masked_load %at, %three, %b [align=1, by_lanes=true] store %x, %out [align=1]
      masked_store %b, %at, %three [align=1, by_lanes=true]""",
    "halves lane by lane": f"""
      %h: <8 x half> = fptrunc %f %at: ptr = gep %in [offset=1016, strides=()]
      %four: <8 x i1> = icmp `<i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>`:<8 x i32>,
        `splat (i32 4)`:<8 x i32> [pred=slt]
      %x: <8 x half> = masked_load %at, %four, %h [align=2, by_lanes=true]
      %odd: ptr = gep %out [offset=16, strides=()] masked_store %h, %odd, %m [align=2, by_lanes=true] {OUT}""",
    "gather": f"{PLACES} %x: <8 x i32> = gather %p, %m, %i [align=4] {OUT}",
    "gather doubles": "%p: <8 x ptr> = gep %in, %j [offset=0, strides=(8)] %x: <8 x double> = gather %p, %m, %d "
    f"[align=8] {OUT}",
    "gather with wild lanes": f"{PLACES} %w: <8 x ptr> = inttoptr %i %s: <8 x ptr> = select %m, %p, %w "
    f"%x: <8 x i32> = gather %s, %m, %i [align=4] {OUT}",
    "scatter": f"{OUT_PLACES} scatter %f, %q, %m [align=4]",
    "scatter doubles": f"{OUT_PLACES} scatter %d, %q, %m",
    "of equal addresses the last one stays": "%k: <8 x i32> = and %j, `splat (i32 1)`:<8 x i32> "
    "%q: <8 x ptr> = gep %out, %k [offset=0, strides=(4)] scatter %i, %q, %m [align=4]",
    "gather bytes": "%p: <8 x ptr> = gep %in, %j [offset=900, strides=(1)] %b: <8 x i8> = trunc %j "
    f"%x: <8 x i8> = gather %p, %m, %b [align=1] {OUT}",
    "gather shorts": "%p: <8 x ptr> = gep %in, %j [offset=0, strides=(2)] %b: <8 x i16> = trunc %j "
    f"%x: <8 x i16> = gather %p, %m, %b [align=2] {OUT}",
    "gather shorts that lie anyhow": "%p: <8 x ptr> = gep %in, %j [offset=0, strides=(1)] %b: <8 x i16> = trunc %j "
    f"%x: <8 x i16> = gather %p, %m, %b [align=1] {OUT}",
    "gather halves": "%p: <8 x ptr> = gep %in, %j [offset=514, strides=(2)] %b: <8 x half> = fptrunc %f "
    f"%x: <8 x half> = gather %p, %m, %b [align=2] {OUT}",
    "gather the last bytes": "%p: <8 x ptr> = gep %in, %i [offset=991, strides=(1)] %b: <8 x i8> = trunc %j "
    f"%x: <8 x i8> = gather %p, %m, %b {OUT}",
    "scatter bytes": "%b: <8 x i8> = trunc %i %q: <8 x ptr> = gep %out, %j [offset=3, strides=(3)] "
    "scatter %b, %q, %m [align=1]",
    "scatter shorts": "%b: <8 x i16> = trunc %i %q: <8 x ptr> = gep %out, %j [offset=1, strides=(5)] "
    "scatter %b, %q, %m [align=1]",
    "scatter halves twice": "%b: <8 x half> = fptrunc %f %q: <8 x ptr> = gep %out, %j [offset=0, strides=(6)] "
    "scatter %b, %q, %m %all: <8 x i1> = splat 1:i1 %r: <8 x ptr> = gep %q [offset=2, strides=()] scatter %b, %r, %all",
    "scatter bytes to few places": "%b: <8 x i8> = trunc %i %k: <8 x i32> = and %j, `splat (i32 1)`:<8 x i32> "
    "%q: <8 x ptr> = gep %out, %k [offset=0, strides=(1)] scatter %b, %q, %m",
    "scatter bytes of no lane": "%none: <8 x i1> = splat 0:i1 %b: <8 x i8> = trunc %i store %b, %out "
    "%q: <8 x ptr> = gep %out, %j [offset=8, strides=(1)] scatter %b, %q, %none",
    # -- intrinsics
    **{
        f"{sign} to {bits} bits of {float_} {part}": f"%e: <8 x {float_}> = bitcast {part}:<8 x i{width}> "
        f"%x: <8 x i{bits}> = call %e [callee=llvm.fpto{sign}i.sat.v8i{bits}.v8f{width}, effects=none] {OUT}"
        for sign in "su"
        for bits in (32, 64)
        for float_, width in (("float", 32), ("double", 64))
        for part in edges(width, bits)
    },
    "intrinsics": "%a: <8 x float> = call %f [callee=llvm.fabs.v8f32, effects=none] "
    "%s: <8 x float> = call %a [callee=llvm.sqrt.v8f32, effects=none] "
    "%x: <8 x float> = call %s, %f, %a [callee=llvm.fma.v8f32, effects=none] " + OUT,
    "integer intrinsics": "%a: <8 x i32> = call %i, %j [callee=llvm.smax.v8i32, effects=none] "
    "%p: <8 x i32> = call %i [callee=llvm.ctpop.v8i32, effects=none] "
    "%z: <8 x i32> = call %j, 0:i1 [callee=llvm.ctlz.v8i32, effects=none] "
    "%s: <8 x i32> = call %a, %p, %z [callee=llvm.fshl.v8i32, effects=none] "
    f"%t: <8 x i32> = call %f [callee=llvm.fptosi.sat.v8i32.v8f32, effects=none] %x: <8 x i32> = add %s, %t {OUT}",
    "an unaligned vector": "%at: ptr = gep %out [offset=12, strides=()] store %i, %at "
    f"%k: ptr = gep %in [offset=20, strides=()] %x: <8 x i32> = load %k {OUT}",
}


def kernel(name: str) -> Function:
    """The case as a kernel of one block."""
    body = f"grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32) {START} {CASES[name]} yield }} yield"
    function = parse_function(f"kernel @{entry(name)}({LAUNCH}, %in: ptr, %out: ptr) {{ {body} }}")
    verify(function, "split")
    return function


def entry(name: str) -> str:
    return "k" + re.sub(r"\W", "_", name)


class NoSymbols:
    """A module that has no globals."""

    def is_function(self, name: str) -> bool:
        return bool(name)

    def is_library(self, name: str) -> bool:
        return name.startswith("llvm.")


def emit(names: list[str]) -> str:
    """The LLVM text of these cases."""
    text = LoomText(TARGET, NoSymbols(), attributes="nounwind")
    for name in names:
        text.add(Kernel(entry(name), (8, 8), (Piece(0, 0), Piece(1, 0)), 0), [kernel(name)])
    return text.text()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """All cases."""
    folder = tmp_path_factory.mktemp("vectors")
    source, runtime, built = folder / "k.ll", folder / "runtime.c", folder / "k.so"
    source.write_text(emit(list(CASES)))
    runtime.write_text(RUNTIME)
    build(["-O2", "-fPIC", "-shared", "-march=native", "-x", "ir", source, "-x", "c", runtime, "-o", built])
    return ctypes.CDLL(str(built))


def build(arguments: list[str | Path]) -> None:
    """Run clang."""
    toolchain = find_toolchain()
    command = [toolchain.clang, *toolchain.link_flags, "-nostdlib++", "-Wno-everything", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@functools.cache
def given() -> bytes:
    """The content of %in."""
    draw = random.Random(4)
    signed, places = list(range(-32, 32)), list(range(64))
    draw.shuffle(signed)
    draw.shuffle(places)
    floats = [draw.uniform(-9, 9) for _ in range(64)]
    doubles = [draw.uniform(-1e3, 1e3) for _ in range(32)]
    return struct.pack("<64i64I64f32d", *signed, *places, *floats, *doubles)


def interpreted(function: Function, seed: int | None) -> bytes:
    """What the interpreter leaves in %out."""
    memory = Memory()
    in_, out = memory.allocate(BYTES, given()), memory.allocate(BYTES, b"\xaa" * BYTES)
    run(function, (1, 1, 1), (1, 1, 1), [in_, out], memory, seed=seed, races=seed is None)
    return memory.read(out, BYTES)


@pytest.mark.parametrize("name", CASES)
def test_native_code_does_what_the_interpreter_does(library: ctypes.CDLL, name: str) -> None:
    in_, out = ctypes.create_string_buffer(given(), BYTES), ctypes.create_string_buffer(b"\xaa" * BYTES, BYTES)
    launch(library, name, ctypes.addressof(in_), ctypes.addressof(out))
    assert out.raw != b"\xaa" * BYTES
    assert out.raw == interpreted(kernel(name), None)
    assert out.raw == interpreted(kernel(name), 7)


def launch(library: ctypes.CDLL, name: str, in_: int, out: int) -> None:
    """Run the case on memory at two addresses."""
    arguments = [ctypes.c_void_p(each) for each in (in_, out)]
    pointers = (ctypes.c_void_p * 2)(*(ctypes.addressof(each) for each in arguments))
    getattr(library, entry(name) + ".grid")(pointers, (ctypes.c_uint * 6)(*[1] * 6))


def test_lanes_that_are_not_active_touch_no_other_page(library: ctypes.CDLL) -> None:
    in_, pages = ctypes.create_string_buffer(given(), BYTES), mmap.mmap(-1, 2 * mmap.PAGESIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(start + mmap.PAGESIZE), mmap.PAGESIZE, 0) == 0
    pages[mmap.PAGESIZE - 3 : mmap.PAGESIZE] = b"abc"
    launch(library, "three bytes", ctypes.addressof(in_), start + mmap.PAGESIZE - 67)
    numbers = bytes(number & 255 for number in struct.unpack_from("<8i", given(), 256))
    assert pages[mmap.PAGESIZE - 67 : mmap.PAGESIZE - 59] == b"abc" + numbers[3:]
    assert pages[mmap.PAGESIZE - 3 : mmap.PAGESIZE] == numbers[:3]


@pytest.mark.parametrize("name", CASES)
def test_other_passes_keep_the_meaning(name: str) -> None:
    function = kernel(name)
    before = interpreted(function, None)
    for each in (CANONICALISE, CONTRACT, UNROLL, HOIST_PARALLEL, HOIST_RANGES, CANONICALISE):
        each.run(function, Context())
        verify(function, "split")
    assert interpreted(function, None) == before


def test_vectors_that_a_block_gets_from_its_launch_lie_aligned() -> None:
    function = parse_function(f"""kernel @k({LAUNCH}, %in: ptr, %out: ptr) {{
      %x: <16 x i32> = load %in [align=4]
      grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32) {OUT} yield }}
      yield }}""")
    text = LoomText(TARGET, NoSymbols())
    text.add(Kernel("k", (8, 8), (Piece(0, 0), Piece(1, 0)), 0), [function])
    assert re.search(r"%frame\S* = alloca \[\d+ x i8\], align 64\n", text.text())


@pytest.mark.parametrize(("facts", "chooses"), [("", True), ("[vector_bits=256]", False)])
def test_a_condition_of_all_lanes_is_chosen_where_masks_have_registers(facts: str, chooses: bool) -> None:
    function = parse_function(f"""kernel @k({LAUNCH}, %in: ptr, %out: ptr) {facts} {{
      grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
        %c: i1 = icmp %bx, 1:i32 [pred=eq]
        %m: <8 x i1> = splat %c
        masked_store zeroinitializer:<8 x i32>, %out, %m [align=4]
        yield }}
      yield }}""")
    text = LoomText(TARGET, NoSymbols())
    text.add(Kernel("k", (8, 8), (Piece(0, 0), Piece(1, 0)), 0), [function])
    assert bool(re.search(r"select i1 \S+, <8 x i1> splat \(i1 true\), <8 x i1> zero", text.text())) == chooses
    assert ("insertelement <8 x i1>" in text.text()) != chooses


def test_what_is_uniform_goes_into_the_base() -> None:
    """So that LLVM finds what a gather takes: one base, indices scaled by a power of two."""
    text = emit(["one index and an offset"])
    (base,) = re.findall(r"(%base\S*) = getelementptr i8, ptr %in", text)
    (index,) = re.findall(r"(%index\S*) = sext <8 x i32> %j\S* to <8 x i64>", text)
    assert re.search(rf"= getelementptr i32, ptr {base}, <8 x i64> {index}\n", text)


def test_vector_mathematics_asks_for_no_thread() -> None:
    assert not asks_for_thread("__warploom_v16_fast_exp_f32")
    assert asks_for_thread("__warploom_vote")


def test_an_element_that_is_not_known_comes_from_memory() -> None:
    """What may be run ahead of its guard must not take an index from there to an address."""
    text = emit([name for name in CASES if "extractelement" in CASES[name] or "insertelement" in CASES[name]])
    assert not re.search(r"(extract|insert)element .*, i\d+ %[\w.]+$", text, re.MULTILINE)


@pytest.mark.parametrize(("machine", "keeps_all"), [("x86_64", True), ("aarch64", True), ("riscv64", False)])
def test_what_is_called_seldom_keeps_all_registers_where_llvm_can(machine: str, keeps_all: bool) -> None:
    sink = LoomText(f'target triple = "{machine}-unknown-linux-gnu"', NoSymbols())
    call = sink.help("each", "ptr %x", lambda: ["entry:", "  ret void"])
    assert call == ("call preserve_allcc void @each" if keeps_all else "call void @each")
    assert f"define internal {'preserve_allcc ' if keeps_all else ''}void @each(ptr %x)" in sink.text()


def test_neighbours_one_by_one_are_one_loop_for_each_size_and_alignment() -> None:
    text = emit(["bytes lane by lane", "halves lane by lane"])
    loops = re.findall(r"^define .*@(warploom\.copy\.[\d.]+)\(", text, re.M)
    assert sorted(loops) == ["warploom.copy.1.1", "warploom.copy.2.2"]
    assert text.count("@warploom.copy.2.2(") == 3, "a load and a store call the same one"
