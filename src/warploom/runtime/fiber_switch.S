// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// void __warploom_switch(void **save, void *load)
//   pushes the registers that a call must preserve (and the floating-point control word) on the running stack, stores
//   the stack pointer in *save, and continues the context whose stack pointer is `load`.
// __warploom_resume
//   the second half alone: continues the context that the stack pointer names. A fault handler jumps here to leave a
//   thread for its scheduler without touching the thread's stack.
// [[noreturn]] void __warploom_leave(void *load)
//   continues the context `load`, the one that started the running fiber, for a function of the fiber that is done with
//   it: as __warploom_switch, but the processor predicts the returns that follow.
// __warploom_fiber_start
//   first return address of a new fiber: calls its function with its argument (see prepare_context in fiber.cpp, which
//   knows the frame layouts below).

        .text
        .globl  __warploom_switch
        .hidden __warploom_switch
        .type   __warploom_switch, %function
        .globl  __warploom_resume
        .hidden __warploom_resume
        .type   __warploom_resume, %function
        .globl  __warploom_leave
        .hidden __warploom_leave
        .type   __warploom_leave, %function
        .globl  __warploom_fiber_start
        .hidden __warploom_fiber_start
        .type   __warploom_fiber_start, %function
        .p2align 4

#if defined(__x86_64__)

// Frame, from the stack pointer: mxcsr, x87 control word, r15, r14, r13, r12, rbx, rbp, return address.
__warploom_switch:
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        subq    $8, %rsp
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        movq    %rsp, (%rdi)
        // Loading a control word costs several times the rest of the switch, and it is nearly always the same one. The
        // exception flags (low six bits of mxcsr) are not part of it: no device code can ask for them.
        movl    (%rsp), %eax
        xorl    (%rsi), %eax
        movzwl  4(%rsp), %ecx
        movq    %rsi, %rsp
        testl   $0xffc0, %eax
        jne     __warploom_resume
        cmpw    4(%rsp), %cx
        je      .Lrestore
__warploom_resume:
        ldmxcsr (%rsp)
        fldcw   4(%rsp)
.Lrestore:
        addq    $8, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        // Not `ret`: the return predictor holds the other context's addresses.
        popq    %rcx
        jmpq    *%rcx

// The return predictor holds, last first: the caller of this, and then where the context goes on. The first goes by a
// return to the next line, which is not foreseen; all others are.
__warploom_leave:
        subq    $8, %rsp
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        movl    (%rsp), %eax
        xorl    (%rdi), %eax
        movzwl  4(%rsp), %ecx
        movq    %rdi, %rsp
        testl   $0xffc0, %eax
        jne     .Lload_controls
        cmpw    4(%rsp), %cx
        je      .Lleave
.Lload_controls:
        ldmxcsr (%rsp)
        fldcw   4(%rsp)
.Lleave:
        addq    $8, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        leaq    .Lreturn(%rip), %rax
        pushq   %rax
        ret
.Lreturn:
        ret

// The stack goes on at whoever continued the fiber: *(*rsp) is that stack pointer, of the frame above.
__warploom_fiber_start:
        .cfi_startproc
        .cfi_escape 0x0f, 6, 0x77, 0, 0x06, 0x06, 0x23, 64      // CFA = *(*rsp) + 64
        .cfi_offset %rip, -8
        .cfi_offset %rbp, -16
        .cfi_offset %rbx, -24
        .cfi_offset %r12, -32
        .cfi_offset %r13, -40
        .cfi_offset %r14, -48
        .cfi_offset %r15, -56
        movq    %r12, %rdi
        // A call, but for the return predictor: nobody returns here.
        leaq    .Lnever(%rip), %rax
        pushq   %rax
        jmpq    *%r13
.Lnever:
        ud2
        .cfi_endproc

#elif defined(__aarch64__)

// Frame: x19 ... x30 (96 bytes), d8 ... d15 (64 bytes), fpcr, padding: 176 bytes.
__warploom_switch:
        sub     sp, sp, #176
        stp     x19, x20, [sp, #0]
        stp     x21, x22, [sp, #16]
        stp     x23, x24, [sp, #32]
        stp     x25, x26, [sp, #48]
        stp     x27, x28, [sp, #64]
        stp     x29, x30, [sp, #80]
        stp     d8, d9, [sp, #96]
        stp     d10, d11, [sp, #112]
        stp     d12, d13, [sp, #128]
        stp     d14, d15, [sp, #144]
        mrs     x9, fpcr
        str     x9, [sp, #160]
        mov     x9, sp
        str     x9, [x0]
        mov     sp, x1
__warploom_resume:
        ldp     x19, x20, [sp, #0]
        ldp     x21, x22, [sp, #16]
        ldp     x23, x24, [sp, #32]
        ldp     x25, x26, [sp, #48]
        ldp     x27, x28, [sp, #64]
        ldp     x29, x30, [sp, #80]
        ldp     d8, d9, [sp, #96]
        ldp     d10, d11, [sp, #112]
        ldp     d12, d13, [sp, #128]
        ldp     d14, d15, [sp, #144]
        ldr     x9, [sp, #160]
        msr     fpcr, x9
        add     sp, sp, #176
        br      x30

__warploom_leave:
        mov     sp, x0
        b       __warploom_resume

__warploom_fiber_start:
        .cfi_startproc
        .cfi_undefined x30
        mov     x0, x19
        blr     x20
        brk     #1
        .cfi_endproc

#elif defined(__riscv) && __riscv_xlen == 64 && defined(__riscv_float_abi_double)

// Frame: s0 ... s11 (96 bytes), ra, rounding mode, fs0 ... fs11 (96 bytes): 208 bytes.
__warploom_switch:
        addi    sp, sp, -208
        sd      s0, 0(sp)
        sd      s1, 8(sp)
        sd      s2, 16(sp)
        sd      s3, 24(sp)
        sd      s4, 32(sp)
        sd      s5, 40(sp)
        sd      s6, 48(sp)
        sd      s7, 56(sp)
        sd      s8, 64(sp)
        sd      s9, 72(sp)
        sd      s10, 80(sp)
        sd      s11, 88(sp)
        sd      ra, 96(sp)
        frrm    t0
        sd      t0, 104(sp)
        fsd     fs0, 112(sp)
        fsd     fs1, 120(sp)
        fsd     fs2, 128(sp)
        fsd     fs3, 136(sp)
        fsd     fs4, 144(sp)
        fsd     fs5, 152(sp)
        fsd     fs6, 160(sp)
        fsd     fs7, 168(sp)
        fsd     fs8, 176(sp)
        fsd     fs9, 184(sp)
        fsd     fs10, 192(sp)
        fsd     fs11, 200(sp)
        sd      sp, 0(a0)
        mv      sp, a1
__warploom_resume:
        ld      s0, 0(sp)
        ld      s1, 8(sp)
        ld      s2, 16(sp)
        ld      s3, 24(sp)
        ld      s4, 32(sp)
        ld      s5, 40(sp)
        ld      s6, 48(sp)
        ld      s7, 56(sp)
        ld      s8, 64(sp)
        ld      s9, 72(sp)
        ld      s10, 80(sp)
        ld      s11, 88(sp)
        ld      ra, 96(sp)
        ld      t0, 104(sp)
        fsrm    t0
        fld     fs0, 112(sp)
        fld     fs1, 120(sp)
        fld     fs2, 128(sp)
        fld     fs3, 136(sp)
        fld     fs4, 144(sp)
        fld     fs5, 152(sp)
        fld     fs6, 160(sp)
        fld     fs7, 168(sp)
        fld     fs8, 176(sp)
        fld     fs9, 184(sp)
        fld     fs10, 192(sp)
        fld     fs11, 200(sp)
        addi    sp, sp, 208
        // Through t0: a jump through ra would be taken for a return by the predictor.
        mv      t0, ra
        jr      t0

__warploom_leave:
        mv      sp, a0
        j       __warploom_resume

__warploom_fiber_start:
        .cfi_startproc
        .cfi_undefined ra
        mv      a0, s0
        jalr    s1
        ebreak
        .cfi_endproc

#else
#error "no context switch for this processor: write one here and in prepare_context (fiber.cpp)"
#endif

        .section .note.GNU-stack, "", %progbits
