// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine of cuFFT as it is made for one level of processors, for test_fourier_levels.py. FOURIER_LEVEL: the level.
#include <algorithm>

#include "levels.h"

using namespace warploom::fft;

// A transform along the last axis, `batch` times; back if `inverse`. kind: 0 complex, 1 from real data, 2 to real data.
// The work is cut into `pieces`.
extern "C" __attribute__((visibility("default"))) void transform(bool is_double, int kind, std::int64_t n,
                                                                 std::int64_t batch, std::int64_t stride, bool inverse,
                                                                 std::int64_t pieces, void *in, void *out) {
  Shape shape;
  shape.kind = static_cast<Kind>(kind);
  shape.length = {n, 1, 1}, shape.batch = batch;
  const std::int64_t half = n / 2 + 1;
  shape.in.stride = shape.out.stride = {stride, 1, 1};
  shape.in.distance = stride > 1 ? 1 : shape.kind == Kind::kComplexToReal ? half : n;
  shape.out.distance = stride > 1 ? 1 : shape.kind == Kind::kRealToComplex ? half : n;
  const auto plan = is_double ? FOURIER_LEVEL::plan_double(shape) : FOURIER_LEVEL::plan_float(shape);
  plan->run(in, out, inverse, [pieces](std::int64_t count, const Body &body) {
    const std::int64_t all = std::min(pieces, count);
    for (std::int64_t i = all - 1; i >= 0; --i) body(count * i / all, count * (i + 1) / all);
  });
}
