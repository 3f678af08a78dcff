// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One explicit step of the heat equation on a rod of n cells whose ends keep their temperature.
void step_heat(const float *now, float *next, int n, float rate);
