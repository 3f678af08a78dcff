// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The direction numbers, packed by tests/headers/sobol_direction_numbers.py, which says what the bits are.

        .section .rodata
        .globl  __warploom_sobol_directions
        .hidden __warploom_sobol_directions
        .p2align 3
__warploom_sobol_directions:
        .incbin "curand/sobol_directions.bin"
        .quad   0
        .section .note.GNU-stack,"",%progbits
