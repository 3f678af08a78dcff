# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two kernels that hold every op of the table between them, printed as the printer prints."""

from __future__ import annotations

LAUNCH = "%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32"

STRUCTURED = f"""\
kernel @every_op({LAUNCH}, %n: i32, %p: ptr, %f: double) [waits=true] @ "every.cu":3:1 {{
  shared @tile [size=512, align=4]
  shared @dynamic [size=0, align=16]
  %everywhere: ptr = scratch [size=8, align=8, level=grid]
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    %kept: ptr = scratch [size=4, align=4, level=block]
    warp 2:i32 {{ (%w: i32)
      %each: ptr = scratch [size=4, align=4, level=warp]
      lane 32:i32 {{ (%l: i32)
        barrier [level=warp]
        yield
      }}
      yield
    }}
    block %bdx, %bdy, %bdz {{ (%tx: i32, %ty: i32, %tz: i32)
      %0: i32 = add %bx, %tx [flags=(nuw, nsw)] @ "every.cu":4:7
      %1: i32 = sub %0, -1:i32
      %2: i32 = mul %1, 2147483647:i32
      %3: i32 = shl %2, 1:i32
      %4: i32 = lshr %3, 1:i32 [flags=(exact)]
      %5: i32 = ashr %4, 1:i32
      %6: i32 = and %5, undef:i32
      %7: i32 = or %6, 0:i32 [flags=(disjoint)]
      %8: i32 = xor %7, poison:i32
      %9: i32 = udiv %8, 3:i32
      %10: i32 = sdiv %9, -3:i32
      %11: i32 = urem %10, 3:i32
      %12: i32 = srem %11, 3:i32
      %13: double = fadd %f, 0.1:double [flags=(fast)]
      %14: double = fsub %13, -0.0:double
      %15: double = fmul %14, 1e+300:double [flags=(contract, nnan)]
      %16: double = fdiv %15, 0x7FF0000000000000:double
      %17: double = frem %16, 0x7FF8000000000001:double
      %18: double = fneg %17
      %c: i1 = icmp %12, %n [pred=slt]
      %19: i1 = fcmp %18, 3.141592653589793:double [pred="true"]
      %20: i1 = select %c, %19, 1:i1
      %21: i8 = trunc %12
      %22: i64 = zext %12 [flags=(nneg)]
      %23: i64 = sext %12
      %24: float = fptrunc %18
      %25: double = fpext %24
      %26: i32 = fptoui %25
      %27: i32 = fptosi %25
      %28: half = uitofp %26
      %29: bfloat = sitofp %27
      %30: i64 = ptrtoint %p
      %31: ptr = inttoptr %30
      %32: <2 x i32> = bitcast %23
      %33: <2 x i32> = freeze %32
      %34: ptr = gep %31, %23, %12 [offset=-8, strides=(4, 16), inbounds=true]
      %35: i32 = extractelement %33, 0:i32
      %36: <2 x i32> = insertelement `<i32 1, i32 2>`:<2 x i32>, %35, %n
      %37: <4 x i32> = shufflevector %36, poison:<2 x i32> [mask=(0, 1, -1, 3)]
      %every: <2 x float> = splat 0.5:float
      %all: <2 x i1> = splat %c
      %places: <2 x ptr> = gep %31, %36, %n [offset=4, strides=(4, 64), inbounds=true]
      %row: <2 x float> = masked_load %31, %all, %every [align=4, constant=true]
      %found: <2 x float> = gather %places, %all, %row [align=4]
      %near: <2 x float> = gather_near %places, %all, %found, %30 [align=4, by_lanes=true]
      masked_store %found, %31, %all [align=4]
      scatter %row, %places, %all [align=4]
      scatter_near %near, %places, %all, %30 [align=4]
      %one: float = reduce %found [kind=fadd, flags=(reassoc)]
      %38: {{ i32, [2 x float] }} = insertvalue zeroinitializer:{{ i32, [2 x float] }}, %24 [path=(1, 0)]
      %39: [2 x float] = extractvalue %38 [path=(1)]
      %40: i32 = load %34 [align=4, volatile=true, ordering=acquire, scope=agent]
      store %40, @tile:ptr [align=4]
      %41: i32 = atomicrmw %34, 1:i32 [operation=add, ordering=monotonic, scope=workgroup, align=4]
      %42: {{ i32, i1 }} = cmpxchg %34, 0:i32, %41 [ordering=acq_rel, failure=monotonic, weak=false]
      fence [ordering=seq_cst, scope=""]
      %43: ptr = alloca [size=64, align=16]
      memcpy %43, %p, 64:i64 [align_to=16, align_from=4]
      memmove %43, `getelementptr (i8, ptr @tile, i64 4)`:ptr, 8:i64
      memset %43, 0:i8, 64:i64 [volatile=false]
      %44: float = call %24 [callee=llvm.sqrt.f32, effects=none, speculatable=true]
      call null:ptr, %n [callee="odd name", effects=any, convergent=true, noreturn=false]
      %45: i32 = call_indirect %31, %n [effects=any]
      %46: i32 = asm %n [text="mov $0, $1; // \\"`\\"\\n", constraints="=r,r", effects=none, sideeffect=false]
      barrier [level=block]
      %47: i32 = barrier_reduce %46 [kind=count]
      %48: i64 = shuffle -1:i32, %23, %47, 32:i32 [kind=down]
      %49: i32 = vote -1:i32, %47 [kind=ballot]
      %50: i32 = match -1:i32, %48 [kind=any]
      %51: i32 = warp_reduce -1:i32, %50 [kind=umax]
      %mask: i32 = activemask
      %sum: float, %last: i32 = for 0:i32, %n, 1:i32, 0.0:float, %mask [pred=slt] {{ (%i: i32, %s: float, %m: i32)
        %s.1: float = fadd %s, 1.5:float
        yield %s.1, %i
      }}
      %half: i32 = while %last {{ (%u: i32)
        %more: i1 = icmp %u, 0:i32 [pred=sgt]
        condition %more, %u
      }} {{ (%v: i32)
        %u.1: i32 = lshr %v, 1:i32
        yield %u.1
      }}
      if %20 @ "a \\"quoted\\" name.cu":7:0 {{
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

CFG = f"""\
kernel @every_branch({LAUNCH}, %n: i32) {{
  ids (%bx: i32, %by: i32, %bz: i32, %tx: i32, %ty: i32, %tz: i32)
  ^entry:
    %c: i1 = icmp %tx, %n [pred=ult]
    cond_br %c, %n, 1:i32, 2.5:float [targets=(loop, last), counts=(1, 2)]
  ^last(%a: i32, %b: float):
    switch %a [targets=(done, dead, "0"), counts=(0, 0, 0), cases=(0, 7)]
  ^loop(%k: i32):
    %next: i32 = sub %k, 1:i32
    br %next [targets=(loop), counts=(1)]
  ^0:
    br [targets=(done), counts=(0)]
  ^dead:
    unreachable
  ^done:
    ret
}}
"""
