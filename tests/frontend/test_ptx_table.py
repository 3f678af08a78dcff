# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every form of every instruction in the table is C++ that the device headers know."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

from warploom.frontend import passes
from warploom.frontend.passes import SourceOptions
from warploom.frontend.ptx.lower import Statement, function_text, translation_unit
from warploom.frontend.ptx.table import ROWS, Row
from warploom.frontend.ptx.types import TYPES
from warploom.llvm.module import Location
from warploom.toolchain import find_toolchain, run_tool

WIDE = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}
# Instructions whose forms are no rows: one of each kind.
OTHERS = """
mov.b64 %d64, {%r1, %r2};
mov.b64 {%r1, %r2}, %d1;
mov.b32 {%h1, _}, %r1;
mov.u32 %r1, %clock64;
mov.f32 %r1, 0f3F800000;
mov.f64 %d1, 0d3FF0000000000000;
mov.f32 %r1, 1.5;
mov.pred %p1, %p2;
setp.lt.and.u32 %p1|%p2, %r1, %r2, !%p3;
setp.neu.ftz.f32 %p1, %r1, %r2;
setp.hs.u64 %p1, %d1, 3;
setp.gt.f16 %p1, %h1, %h2;
setp.nan.f64 %p1, %d1, %d2;
set.eq.u32.f32 %r1, %r1, %r2;
set.lt.xor.f32.s32 %r1, %r1, %r2, %p1;
lop3.b32 %r1, %r1, %r2, %r3, 0x96;
lop3.or.b32 %r1|%p1, %r1, %r2, %r3, 0xe8, %p2;
dp4a.u32.s32 %r1, %r1, %r2, %r3;
dp2a.hi.s32.u32 %r1, %r1, %r2, %r3;
ld.global.nc.L1::no_allocate.v4.f32 {%r1, %r2, %r3, _}, [%d1+16];
ld.shared.u8 %r1, [%r2];
ld.b128 %q1, [%d1];
ld.acquire.gpu.u64 %d1, [%d1];
ld.relaxed.sys.global.v2.f64 {%d1, %d2}, [%d3];
ld.volatile.shared.s16 %r1, [%r1-2];
ld.global.L2::cache_hint.b32 %r1, [%d1], %d2;
st.global.cs.v2.b32 [%d1], {%r1, 7};
st.shared.f16 [%r1], %h1;
st.release.cluster.b32 [%d1], %r1;
st.volatile.b8 [%d1], %r1;
atom.global.add.f32 %r1, [%d1], %r2;
atom.shared.cas.b64 %d1, [%r1], %d2, %d3;
red.relaxed.gpu.global.max.s64 [%d1], %d2;
atom.acq_rel.sys.exch.b32 %r1, [%d1], 1;
atom.add.noftz.f16x2 %r1, [%d1], %r2;
red.inc.u32 [%d1], %r1;
atom.min.bf16 %h1, [%d1], %h2;
atom.release.cas.b16 %h1, [%d1], %h2, %h3;
red.and.b64 [%d1], %d2;
cp.async.ca.shared.global [%r1], [%d1], 4;
cp.async.cg.shared.global.L2::128B [%r1], [%d1], 16, %r2;
cp.async.ca.shared::cta.global [%r1], [%d1], 8, %p1;
cp.async.commit_group;
cp.async.wait_group 0;
cp.async.wait_all;
prefetch.global.L2 [%d1];
createpolicy.fractional.L2::evict_first.b64 %d1, 1.0;
discard.global.L2 [%d1], 128;
mbarrier.init.shared::cta.b64 [%r1], %r2;
mbarrier.arrive.shared.b64 %d1, [%r1];
mbarrier.inval.shared.b64 [%r1];
mbarrier.arrive.release.cta.shared::cta.b64 _, [%r1], 3;
mbarrier.test_wait.shared.b64 %p1, [%r1], %d1;
mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2;
mbarrier.pending_count.b64 %r1, %d1;
mbarrier.arrive_drop.b64 %d1, [%d2];
mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1];
cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r1];
cp.async.mbarrier.arrive.shared.b64 [%r1];
stmatrix.sync.aligned.x4.trans.m8n8.shared.b16 [%r5], {%r1, %r2, %r3, %r4};
mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r1], %r2;
mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], %r2;
mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r1], 16;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%r1], [%d1], %r2, [%r3], %d2;
cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r2], 64, [%r3];
cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r1], %r2;
cp.async.bulk.commit_group;
cp.async.bulk.wait_group.read 0;
cp.async.bulk.prefetch.L2.global [%d1], %r2;
cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32 [%d1], [%r1], %r2;
cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [%d1], [%r1], %r2;
st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%r1], {%r2, %r3, %r4, %r5}, [%r3];
red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%r1], %r2, [%r3];
red.global.add.v4.f32 [%d1], {%r1, %r2, %r3, %r4};
red.relaxed.gpu.global.add.noftz.v2.bf16x2 [%d1], {%r1, %r2};
atom.global.v2.f32.add {%r1, %r2}, [%d1], {%r3, %r1};
.pragma "nounroll";
setmaxnreg.inc.sync.aligned.u32 240;
barrier.cluster.arrive.release.aligned;
barrier.cluster.wait.acquire.aligned;
mapa.shared::cluster.u32 %r1, %r2, 3;
mapa.u64 %d1, %d2, %r1;
getctarank.shared::cluster.u32 %r1, %r2;
isspacep.shared::cluster %p1, %d1;
ld.shared::cluster.u32 %r1, [%r2 + 4];
red.shared::cluster.add.u32 [%r1], %r2;
mov.u32 %r1, %cluster_ctarank;
mov.u32 %r1, %cluster_nctaid.y;
mov.u32 %r1, %clusterid.x;
shfl.sync.up.b32 %r1|%p1, %r2, 1, 0, -1;
shfl.sync.bfly.b32 %r1, %r2, 16, 0x1f, 0xffffffff;
shfl.idx.b32 %r1, %r2, %r3, %r3;
vote.sync.ballot.b32 %r1, %p1, %r2;
vote.all.pred %p1, !%p2;
vote.sync.uni.pred %p1, %p2, -1;
match.any.sync.b64 %r1, %d1, %r2;
match.all.sync.b32 %r1|%p1, %r2, %r3;
activemask.b32 %r1;
redux.sync.min.s32 %r1, %r2, %r3;
redux.sync.xor.b32 %r1, %r2, -1;
elect.sync _|%p1, %r1;
bar.sync 0;
barrier.sync.aligned 1, 64;
bar.arrive 2, 64;
bar.red.popc.u32 %r1, 0, %p1;
bar.warp.sync -1;
barrier.cta.red.and.pred %p1, 0, !%p2;
bar.sync %r1;
membar.gl;
fence.acq_rel.gpu;
fence.proxy.async;
fence.sc.sys;
ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];
ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 %r1, [%r5];
ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%r1, %r2}, [%r5];
movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;
stmatrix.sync.aligned.m8n8.x2.shared::cta.b16 [%r5], {%r1, %r2};
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1,%r2,%r3,%r4},
  {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1,%r2,%r3,%r4};
mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1,%r2}, {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1,%r2};
mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1}, {%r1,%r2,%r3,%r4};
mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r1,%r2,%r3,%r4},
  {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1,%r2,%r3,%r4};
mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d1,%d2}, {%d1}, {%d1}, {%d1,%d2};
mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%r1,%r2,%r3,%r4},
  {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1,%r2,%r3,%r4};
mma.sync.aligned.m8n8k32.row.col.s32.u4.s4.s32 {%r1,%r2}, {%r1}, {%r1}, {%r1,%r2};
mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.u4.s32 {%r1,%r2,%r3,%r4},
  {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1,%r2,%r3,%r4};
mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%r1,%r2}, {%r1}, {%r1}, {%r1,%r2};
mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e5m2.f16 {%r1,%r2}, {%r1,%r2}, {%r1}, {%r1,%r2};
mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16 {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1,%r2}, {%r1,%r2,%r3,%r4};
vabsdiff4.u32.u32.u32.add %r1, %r2, %r3, %r4;
vadd2.s32.s32.s32.sat %r1.h1, %r2.h01, %r3, %r4;
vshr.u32.u32.u32.clamp.add %r1, %r2, %r3, %r4;
vadd.s32.u32.s32.sat %r1, %r2.b3, %r3.h1;
vmax.u32.u32.u32.min %r1, %r2, %r3, %r4;
cvt.rn.f16x2.f32 %r1, %r2, %r3;
cvt.rz.relu.bf16x2.f32 %r1, %r2, %r3;
cvt.rna.tf32.f32 %r1, %r2;
cvt.rn.satfinite.e4m3x2.f32 %h1, %r1, %r2;
cvt.rn.f16x2.e5m2x2 %r1, %h1;
cvt.rn.satfinite.e5m2x2.f16x2 %h1, %r1;
cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r4;
cvt.pack.sat.s4.s32.b32 %r1, %r2, %r3, %r4;
cvt.u32.u64 %r1, %d1;
cvt.s64.s8 %d1, %r1;
cvt.sat.u8.s32 %r1, %r2;
cvt.rni.f32.f32 %r1, %r2;
cvt.rpi.ftz.sat.f32.f32 %r1, %r2;
""".replace("%d64", "%d1")
NUMBERS = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64"]


def texts_of(name: str, row: Row) -> Iterator[str]:
    for types in product(*(sorted(allowed) for allowed in row.types)):
        for extra in ("", *sorted(row.allows)):
            words = row.signature.split()
            kinds = [{"T": types[0] if types else "", "U": types[-1] if types else ""}.get(w, w) for w in words]
            kinds = [WIDE[types[0]] if kind == "W" else kind for kind in kinds]
            operands = [f"%{'prhrdq'[[1, 8, 16, 32, 64, 128].index(TYPES[k][1])]}1" for k in kinds if k != "-"]
            modifiers = "".join(f".{part}" for part in (*sorted(row.needs), extra, *types) if part)
            yield f"{name}{modifiers} {', '.join(operands)};"


def conversions() -> Iterator[str]:
    for target, source in product(NUMBERS, NUMBERS):
        bits = [TYPES[kind][1] for kind in (target, source)]
        registers = [f"%{ {8: 'r', 16: 'h', 32: 'r', 64: 'd'}[width] }1" for width in bits]
        for mode in ("rn", "rz", "rm", "rp"):
            rounding = mode + ("i" if target[0] in "us" and source[0] not in "us" else "")
            yield f"cvt.{rounding}.{target}.{source} {registers[0]}, {registers[1]};"


def test_every_form_of_every_instruction_compiles(tmp_path: Path) -> None:
    declared = "".join(
        f".reg .{kind} %{letter}<6>;"
        for letter, kind in {"p": "pred", "h": "b16", "r": "b32", "d": "b64", "q": "b128"}.items()
    )
    singles = [text for name, rows in ROWS.items() for row in rows for text in texts_of(name, row)]
    singles += [part.strip() + ";" for part in OTHERS.replace("\n", " ").split(";") if part.strip()]
    singles += conversions()
    assert len(singles) > 1000
    texts = [f"{{{declared} mad.lo.cc.u32 %r1, %r1, %r2, %r3; {single}}}" for single in singles]
    source = tmp_path / "forms.cu"
    functions = [function_text(Statement(text, Location("t.cu", 1))) for text in texts]
    source.write_text(translation_unit({text: f"f{index}" for index, text in enumerate(functions)}))
    flags = passes.device_flags(find_toolchain(), SourceOptions(arch=90))
    result = run_tool([*flags, *passes.PLAIN_HEADER, "-fsyntax-only", "-w", str(source)])
    assert result.returncode == 0, result.stderr[:4000]
