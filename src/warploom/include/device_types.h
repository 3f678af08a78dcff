// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding modes, as CUDA numbers them.
#pragma once

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };
