# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of the paper on barriers (Moses et al., High-Performance GPU-to-CPU Transpilation), in text IR."""

from __future__ import annotations

HEAD = "%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32"


def thread_kernel(body: str, attrs: str = "block=(16, 16, 1)") -> str:
    """A kernel of %p, %q: ptr and %n: i32 with shared @s and @t; `body` is what a thread runs. %lin is its linear id,
    %ps and %pt its own slots of @s and @t, %pn the next thread's slot of @s."""
    return f"""kernel @k({HEAD}, %p: ptr, %q: ptr, %n: i32) [{attrs}] {{
  shared @s [size=4096, align=4]
  shared @t [size=4096, align=4]
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    block %bdx, %bdy, %bdz {{ (%tx: i32, %ty: i32, %tz: i32)
      %row: i32 = mul %ty, %bdx
      %lin: i32 = add %row, %tx
      %w: i64 = zext %lin
      %ps: ptr = gep @s:ptr, %w [offset=0, strides=(4,), inbounds=true]
      %pn: ptr = gep @s:ptr, %w [offset=4, strides=(4,), inbounds=true]
      %pt: ptr = gep @t:ptr, %w [offset=0, strides=(4,), inbounds=true]
      %pp: ptr = gep %p, %w [offset=0, strides=(4,), inbounds=true]
      %pq: ptr = gep %q, %w [offset=0, strides=(4,), inbounds=true]
{body}
      yield
    }}
    yield
  }}
  yield
}}
"""


# Fig. 9: backprop's layerforward, HEIGHT = WIDTH = 16, the index computed as the source does.
LAYERFORWARD = f"""
kernel @layerforward({HEAD}, %input: ptr, %output: ptr, %hidden: ptr, %hid: i32)
    [block=(16, 16, 1), noalias=(0, 1, 2)] {{
  shared @node [size=64, align=4]
  shared @weights [size=1024, align=4]
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    block %bdx, %bdy, %bdz {{ (%tx: i32, %ty: i32, %tz: i32)
      %width: i32 = add %hid, 1:i32 [flags=(nsw)]
      %above: i32 = mul %width, %by [flags=(nsw)]
      %above16: i32 = shl %above, 4:i32 [flags=(nsw)]
      %row: i32 = mul %width, %ty [flags=(nsw)]
      %index1: i32 = add %above16, %row [flags=(nsw)]
      %index2: i32 = add %index1, %tx [flags=(nsw)]
      %index3: i32 = add %index2, 1:i32 [flags=(nsw)]
      %index: i32 = add %index3, %width [flags=(nsw)]
      %first: i1 = icmp %tx, 0:i32 [pred=eq]
      %x: i64 = zext %tx
      %y: i64 = zext %ty
      %pnode: ptr = gep @node:ptr, %y [offset=0, strides=(4), inbounds=true]
      if %first {{
        %in1: i32 = shl %by, 4:i32
        %in2: i32 = add %in1, %ty
        %in3: i32 = add %in2, 1:i32
        %in4: i64 = sext %in3
        %pin: ptr = gep %input, %in4 [offset=0, strides=(4), inbounds=true]
        %vin: float = load %pin [align=4]
        store %vin, %pnode [align=4]
        yield
      }} {{
        yield
      }}
      barrier [level=block] @ "backprop.cu":1
      %wide: i64 = sext %index
      %phidden: ptr = gep %hidden, %wide [offset=0, strides=(4), inbounds=true]
      %vh: float = load %phidden [align=4]
      %pw: ptr = gep @weights:ptr, %y, %x [offset=0, strides=(64, 4), inbounds=true]
      store %vh, %pw [align=4] @ "backprop.cu":101
      barrier [level=block] @ "backprop.cu":2
      %w1: float = load %pw [align=4] @ "backprop.cu":102
      %vn: float = load %pnode [align=4]
      %w2: float = fmul %w1, %vn
      store %w2, %pw [align=4]
      barrier [level=block] @ "backprop.cu":3
      for 1:i32, 5:i32, 1:i32 [pred=slt] {{ (%i: i32)
        %power: i32 = shl 1:i32, %i
        %mask: i32 = sub %power, 1:i32
        %rest: i32 = and %ty, %mask
        %active: i1 = icmp %rest, 0:i32 [pred=eq]
        if %active {{
          %i1: i32 = sub %i, 1:i32
          %half: i32 = shl 1:i32, %i1
          %other: i32 = add %ty, %half
          %other64: i64 = sext %other
          %po: ptr = gep @weights:ptr, %other64, %x [offset=0, strides=(64, 4), inbounds=true]
          %vo: float = load %po [align=4]
          %vm: float = load %pw [align=4]
          %vs: float = fadd %vo, %vm
          store %vs, %pw [align=4]
          yield
        }} {{
          yield
        }}
        barrier [level=block] @ "backprop.cu":4
        yield
      }}
      %result: float = load %pw [align=4]
      store %result, %phidden [align=4]
      barrier [level=block] @ "backprop.cu":5
      if %first {{
        %pt: ptr = gep @weights:ptr, %x, %y [offset=0, strides=(64, 4), inbounds=true]
        %vt: float = load %pt [align=4]
        %out1: i32 = mul %by, %hid
        %out2: i32 = add %out1, %ty
        %out3: i64 = zext %out2
        %pout: ptr = gep %output, %out3 [offset=0, strides=(4), inbounds=true]
        store %vt, %pout [align=4]
        yield
      }} {{
        yield
      }}
      yield
    }}
    yield
  }}
  yield
}}
"""

# Fig. 1: each thread sums the whole input.
NORMALIZE = f"""
kernel @normalize({HEAD}, %out: ptr, %in: ptr, %n: i32) {{
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    block %bdx, %bdy, %bdz {{ (%tx: i32, %ty: i32, %tz: i32)
      %before: i32 = mul %bx, %bdx
      %tid: i32 = add %before, %tx
      %sum: float = for 0:i32, %n, 1:i32, 0.0:float [pred=slt] {{ (%i: i32, %acc: float)
        %i64: i64 = zext %i
        %pi: ptr = gep %in, %i64 [offset=0, strides=(4), inbounds=true]
        %x: float = load %pi [align=4]
        %next: float = fadd %acc, %x
        yield %next
      }}
      %inside: i1 = icmp %tid, %n [pred=slt]
      if %inside {{
        %tid64: i64 = sext %tid
        %pt: ptr = gep %in, %tid64 [offset=0, strides=(4), inbounds=true]
        %y: float = load %pt [align=4]
        %z: float = fdiv %y, %sum
        %po: ptr = gep %out, %tid64 [offset=0, strides=(4), inbounds=true]
        store %z, %po [align=4]
        yield
      }} {{
        yield
      }}
      yield
    }}
    yield
  }}
  yield
}}
"""
