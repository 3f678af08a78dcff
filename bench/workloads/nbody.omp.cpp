// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nbody.h"

static void accelerate(const Nbody &bodies, float *ax, float *ay, float *az) {
  const int n = bodies.count;
  const float *x = bodies.x.data(), *y = bodies.y.data(), *z = bodies.z.data(), *mass = bodies.mass.data();
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const float my_x = x[i], my_y = y[i], my_z = z[i];
    float sum_x = 0, sum_y = 0, sum_z = 0;
#pragma omp simd reduction(+ : sum_x, sum_y, sum_z)
    for (int j = 0; j < n; ++j) {
      const float dx = x[j] - my_x, dy = y[j] - my_y, dz = z[j] - my_z;
      const float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + Nbody::kSoftening);
      const float scale = mass[j] * (inverse * inverse * inverse);
      sum_x += dx * scale;
      sum_y += dy * scale;
      sum_z += dz * scale;
    }
    ax[i] = sum_x;
    ay[i] = sum_y;
    az[i] = sum_z;
  }
}

int main(int argc, char **argv) {
  const bench::Settings settings(argc, argv);
  Nbody problem(settings);
  bench::Array<float> ax(problem.count), ay(problem.count), az(problem.count);
  return bench::measure(
      settings, problem.work(), [&] { accelerate(problem, ax.data(), ay.data(), az.data()); },
      [&] { return problem.check([&](int i, int axis) {
              return (axis == 0 ? ax : axis == 1 ? ay : az)[i];
            }); });
}
