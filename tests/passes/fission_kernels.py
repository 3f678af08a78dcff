# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in text IR on which the splitting passes are tested; all work on int32 arrays @p (in place)."""

from __future__ import annotations

HEAD = "%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32"


def kernel(body: str, shared: str = "shared @s [size=4096, align=4]") -> str:
    """A kernel with parameters %n and %p; `body` is what a thread runs. %tid is its linear id in the launch."""
    return f"""kernel @k({HEAD}, %n: i32, %p: ptr) {{
  {shared}
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    block %bdx, %bdy, %bdz {{ (%tx: i32, %ty: i32, %tz: i32)
      %rows: i32 = mul %tz, %bdy
      %row: i32 = add %rows, %ty
      %skip: i32 = mul %row, %bdx
      %lin: i32 = add %skip, %tx
      %area: i32 = mul %bdx, %bdy
      %volume: i32 = mul %area, %bdz
      %before: i32 = mul %bx, %volume
      %tid: i32 = add %before, %lin
      %wide: i64 = zext %tid
      %here: ptr = gep %p, %wide [offset=0, strides=(4), inbounds=true]
      %narrow: i64 = zext %lin
      %mine: ptr = gep @s:ptr, %narrow [offset=0, strides=(4), inbounds=true]
{body}
      yield
    }}
    yield
  }}
  yield
}}
"""


# Each thread takes its left neighbour's value: one barrier at the top.
NEIGHBOUR = kernel("""
      %v: i32 = load %here [align=4]
      store %v, %mine [align=4]
      barrier [level=block]
      %l1: i32 = add %lin, %volume
      %l2: i32 = sub %l1, 1:i32
      %left: i32 = urem %l2, %volume
      %lw: i64 = zext %left
      %la: ptr = gep @s:ptr, %lw [offset=0, strides=(4), inbounds=true]
      %lv: i32 = load %la [align=4]
      %sum: i32 = add %lv, %v
      store %sum, %here [align=4]
""")

# A tree reduction: a `while` that is the same for all threads, with a carried value that differs.
REDUCTION = kernel("""
      %v: i32 = load %here [align=4]
      store %v, %mine [align=4]
      barrier [level=block]
      %last: i32, %end: i32 = while %v, %volume { (%a: i32, %s: i32)
        %go: i1 = icmp %s, 1:i32 [pred=ugt]
        condition %go, %a, %s
      } { (%a2: i32, %s2: i32)
        %up: i32 = add %s2, 1:i32
        %half: i32 = lshr %up, 1:i32
        %other: i32 = add %lin, %half
        %in: i1 = icmp %other, %s2 [pred=ult]
        %r: i32 = if %in {
          %ow: i64 = zext %other
          %oa: ptr = gep @s:ptr, %ow [offset=0, strides=(4), inbounds=true]
          %ov: i32 = load %oa [align=4]
          %mv: i32 = load %mine [align=4]
          %t: i32 = add %ov, %mv
          yield %t
        } {
          %mv2: i32 = load %mine [align=4]
          yield %mv2
        }
        barrier [level=block]
        store %r, %mine [align=4]
        barrier [level=block]
        %odd: i32 = xor %a2, %r
        yield %odd, %half
      }
      %total: i32 = load @s:ptr [align=4]
      %out: i32 = add %total, %last
      store %out, %here [align=4]
""")

# Threads that leave before a barrier: `if (tid >= n) return;` first.
EARLY_EXIT = kernel("""
      store 0:i32, %mine [align=4]
      %c: i1 = icmp %tid, %n [pred=slt]
      if %c {
        %v: i32 = load %here [align=4]
        store %v, %mine [align=4]
        barrier [level=block]
        %f: i32 = load @s:ptr [align=4]
        %q: i32 = add %f, %v
        store %q, %here [align=4]
        yield
      } {
        yield
      }
""")

# A loop whose trip count differs between threads, barriers inside: those that are done have nothing to wait for.
VARYING_LOOP = kernel("""
      %v: i32 = load %here [align=4]
      %k: i32 = and %lin, 3:i32
      %trips: i32 = add %k, 1:i32
      %acc: i32 = for 0:i32, %trips, 1:i32, %v [pred=slt] { (%i: i32, %x: i32)
        %y: i32 = mul %x, 3:i32
        store %y, %mine [align=4]
        barrier [level=block]
        %z: i32 = load %mine [align=4]
        %w: i32 = add %z, %i
        yield %w
      }
      store %acc, %here [align=4]
""")

# Threads leave one by one a loop whose rounds take turns between two barriers; those left agree on the turn.
TAKING_TURNS = kernel("""
      %v: i32 = load %here [align=4]
      %k: i32 = and %lin, 3:i32
      store %v, %mine [align=4]
      %acc: i32, %rounds: i32 = while %v, 0:i32 { (%x: i32, %i: i32)
        %more: i1 = icmp %i, %k [pred=ule]
        condition %more, %x, %i
      } { (%x2: i32, %i2: i32)
        %odd: i32 = and %i2, 1:i32
        %turn: i1 = icmp %odd, 0:i32 [pred=eq]
        %y: i32 = if %turn {
          barrier [level=block]
          %a: i32 = mul %x2, 3:i32
          yield %a
        } {
          store %x2, %mine [align=4]
          barrier [level=block]
          %b: i32 = load %mine [align=4]
          %c: i32 = add %b, %i2
          yield %c
        }
        %next: i32 = add %i2, 1:i32
        yield %y, %next
      }
      %sum: i32 = mul %acc, %rounds
      store %sum, %here [align=4]
""")

# Threads end in the middle of a loop; those that stay agree on a value that the others never got.
ENDING_INSIDE = kernel("""
      %v: i32 = load %here [align=4]
      %k: i32 = and %lin, 7:i32
      %rounds: i32, %last: i32 = while 0:i32, %n { (%i: i32, %u: i32)
        %stays: i1 = icmp %i, %k [pred=ult]
        %w: i32, %go: i1 = if %stays {
          store %v, %mine [align=4]
          barrier [level=block]
          %h: i32 = udiv %u, 3:i32
          %l: i1 = icmp %i, 5:i32 [pred=ult]
          yield %h, %l
        } {
          yield poison:i32, 0:i1
        }
        if %go {
          %even: i32 = and %w, 1:i32
          %turn: i1 = icmp %even, 0:i32 [pred=eq]
          if %turn {
            barrier [level=block]
            %a: i32 = load %mine [align=4]
            %b: i32 = add %a, %w
            store %b, %here [align=4]
            yield
          } {
            store %w, %mine [align=4]
            barrier [level=block]
            %c: i32 = load %mine [align=4]
            store %c, %here [align=4]
            yield
          }
          yield
        } {
          yield
        }
        condition %go, %i, %w
      } { (%i2: i32, %w2: i32)
        %next: i32 = add %i2, 1:i32
        yield %next, %w2
      }
""")

# A loop that no thread of some blocks comes to, where it would divide by 0.
NOBODY_LEFT = kernel("""
      %v: i32 = load %here [align=4]
      store 0:i32, @s:ptr [align=4]
      barrier [level=block]
      %in: i1 = icmp %tid, %n [pred=slt]
      if %in {
        store 5:i32, @s:ptr [align=4]
        barrier [level=block]
        %r: i32 = while 0:i32 { (%i: i32)
          %five: i32 = load @s:ptr [align=4]
          %q: i32 = udiv 40:i32, %five
          %t: i32 = and %tid, %q
          %more: i1 = icmp %i, %t [pred=ult]
          barrier [level=block]
          condition %more, %i
        } { (%i2: i32)
          %next: i32 = add %i2, 1:i32
          yield %next
        }
        %o: i32 = add %v, %r
        store %o, %here [align=4]
        yield
      } {
        yield
      }
""")

# Counted loop, two carried values that change places, private array that lives across barriers.
SWAP_AND_ARRAY = kernel("""
      %buf: ptr = alloca [size=16, align=4]
      %v: i32 = load %here [align=4]
      %a: i32, %b: i32 = for 0:i32, 5:i32, 1:i32, %v, %lin [pred=slt] { (%i: i32, %x: i32, %y: i32)
        %slot: i32 = and %i, 3:i32
        %sw: i64 = zext %slot
        %sa: ptr = gep %buf, %sw [offset=0, strides=(4), inbounds=true]
        store %x, %sa [align=4]
        store %y, %mine [align=4]
        barrier [level=block]
        %d1: i32 = add %lin, 1:i32
        %d2: i32 = urem %d1, %volume
        %dw: i64 = zext %d2
        %da: ptr = gep @s:ptr, %dw [offset=0, strides=(4), inbounds=true]
        %dv: i32 = load %da [align=4]
        barrier [level=block]
        %back: i32 = load %sa [align=4]
        %n1: i32 = add %back, %dv
        yield %y, %n1
      }
      %first: i32 = load %buf [align=4]
      %s1: i32 = mul %a, 7:i32
      %s2: i32 = add %s1, %b
      %s3: i32 = add %s2, %first
      store %s3, %here [align=4]
""")

# __syncthreads_count, _and, _or, some threads gone.
VOTES = kernel("""
      %c: i1 = icmp %tid, %n [pred=slt]
      if %c {
        %v: i32 = load %here [align=4]
        %odd: i32 = and %v, 1:i32
        %count: i32 = barrier_reduce %odd [kind=count]
        %all: i32 = barrier_reduce %odd [kind=and]
        %some: i32 = barrier_reduce %odd [kind=or]
        %h: i32 = shl %count, 4:i32
        %i: i32 = shl %all, 2:i32
        %j: i32 = or %h, %i
        %k: i32 = or %j, %some
        store %k, %here [align=4]
        yield
      } {
        yield
      }
""")

# Every warp collective, converged and under a condition that differs in a warp.
WARP = kernel("""
      %v: i32 = load %here [align=4]
      %lane: i32 = and %lin, 31:i32
      %vw: i64 = zext %v
      %up: i64 = shuffle -1:i32, %vw, 1:i32, 32:i32 [kind=up]
      %down: i64 = shuffle -1:i32, %vw, 3:i32, 16:i32 [kind=down]
      %idx: i64 = shuffle -1:i32, %vw, %lane, 8:i32 [kind=idx]
      %xor: i64 = shuffle -1:i32, %vw, 5:i32, 32:i32 [kind=xor]
      %odd: i32 = and %v, 1:i32
      %bal: i32 = vote -1:i32, %odd [kind=ballot]
      %any: i32 = vote -1:i32, %odd [kind=any]
      %all: i32 = vote -1:i32, %odd [kind=all]
      %low: i64 = and %vw, 3:i64
      %same: i32 = match -1:i32, %low [kind=any]
      %one: i32 = match -1:i32, %low [kind=all]
      %sum: i32 = warp_reduce -1:i32, %v [kind=add]
      %max: i32 = warp_reduce -1:i32, %v [kind=smax]
      %c: i1 = icmp %odd, 0:i32 [pred=ne]
      %r: i32 = if %c {
        %active: i32 = activemask
        %leader: i32 = warp_reduce %active, %v [kind=umin]
        %fu: i64 = shuffle %active, %vw, 1:i32, 32:i32 [kind=down]
        %ft: i32 = trunc %fu
        %fl: i32 = add %leader, %ft
        %fm: i32 = xor %fl, %active
        yield %fm
      } {
        yield %v
      }
      %t1: i64 = add %up, %down
      %t2: i64 = xor %t1, %idx
      %t3: i64 = add %t2, %xor
      %t4: i32 = trunc %t3
      %u1: i32 = add %t4, %bal
      %u2: i32 = mul %u1, 3:i32
      %u3: i32 = add %u2, %any
      %u4: i32 = add %u3, %all
      %u5: i32 = xor %u4, %same
      %u6: i32 = add %u5, %one
      %u7: i32 = mul %u6, 5:i32
      %u8: i32 = add %u7, %sum
      %u9: i32 = xor %u8, %max
      %u10: i32 = add %u9, %r
      store %u10, %here [align=4]
""")

# A reduction by shuffles under a condition that only whole warps answer differently (COX's example).
WARP_UNDER_IF = kernel("""
      %v: i32 = load %here [align=4]
      %c: i1 = icmp %lin, 32:i32 [pred=ult]
      %r: i32 = if %c {
        %o: i32 = for 16:i32, 0:i32, -8:i32, %v [pred=sgt] { (%k: i32, %x: i32)
          %z: i64 = zext %x
          %y: i64 = shuffle -1:i32, %z, %k, 32:i32 [kind=down]
          %t: i32 = trunc %y
          %s: i32 = add %x, %t
          yield %s
        }
        yield %o
      } {
        yield %v
      }
      store %r, %here [align=4]
""")

# What was computed from a carried value is used after the next round's value is known.
LATE_USE = kernel("""
      %v: i32 = load %here [align=4]
      %r: i32 = for 0:i32, 3:i32, 1:i32, %v [pred=slt] { (%i: i32, %x: i32)
        %f: i32 = add %x, %lin
        store %f, %mine [align=4]
        barrier [level=block]
        %d1: i32 = add %lin, 1:i32
        %d2: i32 = urem %d1, %volume
        %dw: i64 = zext %d2
        %da: ptr = gep @s:ptr, %dw [offset=0, strides=(4), inbounds=true]
        %next: i32 = load %da [align=4]
        barrier [level=block]
        store %f, %mine [align=4]
        %t: i32 = xor %f, %i
        store %t, %here [align=4]
        yield %next
      }
      %old: i32 = load %here [align=4]
      %sum: i32 = add %old, %r
      store %sum, %here [align=4]
""")

# A grid barrier in a loop: every block reads what the next block wrote.
GRID = kernel("""
      %all: i32 = mul %gdx, %volume
      %v: i32 = load %here [align=4]
      %r: i32 = for 0:i32, 3:i32, 1:i32, %v [pred=slt] { (%i: i32, %x: i32)
        store %x, %here [align=4]
        store %x, %mine [align=4]
        barrier [level=grid]
        %n1: i32 = add %tid, %volume
        %n2: i32 = urem %n1, %all
        %nw: i64 = zext %n2
        %na: ptr = gep %p, %nw [offset=0, strides=(4), inbounds=true]
        %nv: i32 = load %na [align=4]
        %own: i32 = load %mine [align=4]
        barrier [level=grid]
        %y: i32 = add %nv, %own
        yield %y
      }
      store %r, %here [align=4]
""")

# All threads read which way to go before a grid barrier, and go it after.
GRID_THEN_EITHER = kernel("""
      %which: i32 = load %p [align=4]
      %v: i32 = load %here [align=4]
      barrier [level=grid]
      %c: i1 = icmp %which, %n [pred=slt]
      if %c {
        store %v, %mine [align=4]
        barrier [level=block]
        %f: i32 = load @s:ptr [align=4]
        store %f, %here [align=4]
        yield
      } {
        store %lin, %mine [align=4]
        barrier [level=block]
        %g: i32 = load @s:ptr [align=4]
        %h: i32 = add %g, %v
        store %h, %here [align=4]
        yield
      }
""")

# A private struct of 20 bytes aligned to 16: each thread's must be aligned where it lives across a barrier.
ODD_STRUCT = kernel("""
      %buf: ptr = alloca [size=20, align=16]
      memset %buf, 3:i8, 20:i64 [align_to=16]
      %v: i32 = load %here [align=4]
      %last: ptr = gep %buf [offset=16, strides=(), inbounds=true]
      store %v, %last [align=16]
      store %v, %mine [align=4]
      barrier [level=block]
      %d1: i32 = add %lin, 1:i32
      %d2: i32 = urem %d1, %volume
      %dw: i64 = zext %d2
      %da: ptr = gep @s:ptr, %dw [offset=0, strides=(4), inbounds=true]
      %dv: i32 = load %da [align=4]
      %first: i32 = load %buf [align=16]
      %end: i32 = load %last [align=16]
      %s1: i32 = mul %first, %dv
      %s2: i32 = add %s1, %end
      store %s2, %here [align=4]
""")

# A loop around barriers whose bound only threads have that are never there: it must not be asked for.
NOBODY_DECIDES = kernel("""
      %never: i1 = icmp %lin, %volume [pred=uge]
      %k: i32 = if %never {
        barrier [level=block]
        %m: i32 = load %p [align=4]
        yield %m
      } {
        yield poison:i32
      }
      store %lin, %mine [align=4]
      barrier [level=block]
      if %never {
        %r: i32 = for 0:i32, %k, 1:i32, %lin [pred=slt] { (%i: i32, %a: i32)
          barrier [level=block]
          %o: i32 = load @s:ptr [align=4]
          %b: i32 = add %a, %o
          barrier [level=block]
          store %b, %mine [align=4]
          yield %b
        }
        store %r, %here [align=4]
        yield
      } {
        yield
      }
      %d: i32 = sub %volume, %lin
      %e: i32 = sub %d, 1:i32
      %ew: i64 = zext %e
      %ea: ptr = gep @s:ptr, %ew [offset=0, strides=(4), inbounds=true]
      %ev: i32 = load %ea [align=4]
      store %ev, %here [align=4]
""")

KERNELS = {
    "odd_struct": ODD_STRUCT,
    "nobody_decides": NOBODY_DECIDES,
    "neighbour": NEIGHBOUR,
    "reduction": REDUCTION,
    "early_exit": EARLY_EXIT,
    "varying_loop": VARYING_LOOP,
    "taking_turns": TAKING_TURNS,
    "ending_inside": ENDING_INSIDE,
    "nobody_left": NOBODY_LEFT,
    "swap_and_array": SWAP_AND_ARRAY,
    "votes": VOTES,
    "warp": WARP,
    "warp_under_if": WARP_UNDER_IF,
    "late_use": LATE_USE,
    "grid": GRID,
    "grid_then_either": GRID_THEN_EITHER,
}
