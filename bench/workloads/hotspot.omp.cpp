// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each step sweeps over the whole chip; the cells of the first and last column stand apart so that the loop over a row
// has no clamps.
#include "hotspot.h"

static void step(const Hotspot &chip, const float *from, float *to) {
  const int side = chip.side;
  const float *power = chip.power.data();
  const float capacity = chip.capacity, x_rate = chip.x_rate, y_rate = chip.y_rate, z_rate = chip.z_rate;
  const float ambient = chip.ambient;
#pragma omp parallel for
  for (int y = 0; y < side; ++y) {
    const float *row = from + y * side, *watts = power + y * side;
    const float *north = from + (y > 0 ? y - 1 : y) * side, *south = from + (y < side - 1 ? y + 1 : y) * side;
    float *out = to + y * side;
    auto cell = [&](int x, int west, int east) {
      return row[x] + capacity * (watts[x] + (south[x] + north[x] - 2.0f * row[x]) * y_rate +
                                  (row[east] + row[west] - 2.0f * row[x]) * x_rate + (ambient - row[x]) * z_rate);
    };
    out[0] = cell(0, 0, 1);
#pragma omp simd
    for (int x = 1; x < side - 1; ++x) out[x] = cell(x, x - 1, x + 1);
    out[side - 1] = cell(side - 1, side - 2, side - 1);
  }
}

int main(int argc, char **argv) {
  const bench::Settings settings(argc, argv);
  Hotspot problem(settings);
  bench::Array<float> between(problem.temperature.size()), result(problem.temperature.size());
  return bench::measure(
      settings, problem.work(),
      [&] {
        step(problem, problem.temperature.data(), between.data());
        step(problem, between.data(), result.data());
      },
      [&] { return problem.check(result.data()); });
}
