// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs and stream capture. Included by cuda_runtime_api.h inside extern "C".
