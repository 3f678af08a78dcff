// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NPP's filters.
#include <cmath>
#include <cstdlib>
#include <vector>

#include "image.h"

namespace warploom::npp {
namespace {

constexpr double kDirection = 0.41421356237309503;  // the tangent of an eighth of a turn's half

struct Gradient {
  int x, y;
};

// What is on the left less what is on the right, and what is below less what is above, of three columns and rows whose
// middle one counts `middle` times. The signs are an H200's.
Gradient gradient_at(const Replicated &from, int x, int y, int middle) {
  const Npp8u *const above = from.row(y - 1), *const here = from.row(y), *const below = from.row(y + 1);
  const int left = from.column(x - 1), column = from.column(x), right = from.column(x + 1);
  return {above[left] - above[right] + middle * (here[left] - here[right]) + below[left] - below[right],
          below[left] + middle * below[column] + below[right] - above[left] - middle * above[column] - above[right]};
}

double magnitude_of(Gradient gradient, NppiNorm norm) {
  const double x = std::abs(gradient.x), y = std::abs(gradient.y);
  return norm == nppiNormL1 ? x + y : std::sqrt(x * x + y * y);
}

// The mean under the mask, rounded down; `row(y)` and `column(x)` are where pixels are.
template <class Row, class Column>
void box_row(int y, Npp8u *out, int width, NppiSize mask, NppiPoint anchor, const Row &row, const Column &column) {
  std::vector<int> sums(static_cast<std::size_t>(width + mask.width - 1));
  for (int j = 0; j < mask.height; ++j) {
    const Npp8u *const from = row(y - anchor.y + j);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += from[column(static_cast<int>(i) - anchor.x)];
  }
  const int area = mask.width * mask.height;
  int sum = 0;
  for (int i = 0; i < mask.width; ++i) sum += sums[static_cast<std::size_t>(i)];
  for (int x = 0; x < width; ++x) {
    out[x] = static_cast<Npp8u>(sum / area);
    if (x + 1 < width) sum += sums[static_cast<std::size_t>(x + mask.width)] - sums[static_cast<std::size_t>(x)];
  }
}

NppStatus check_mask(NppiSize mask, NppiPoint anchor) {
  if (mask.width <= 0 || mask.height <= 0) return NPP_MASK_SIZE_ERROR;
  const bool is_inside = anchor.x >= 0 && anchor.x < mask.width && anchor.y >= 0 && anchor.y < mask.height;
  return is_inside ? NPP_NO_ERROR : NPP_ANCHOR_ERROR;
}

NppStatus check_border(NppiSize size, NppiPoint offset, NppiBorderType border) {
  if (size.width <= 0 || size.height <= 0) return NPP_SIZE_ERROR;
  if (offset.x < 0 || offset.y < 0 || offset.x >= size.width || offset.y >= size.height) return NPP_SIZE_ERROR;
  return border == NPP_BORDER_REPLICATE ? NPP_NO_ERROR : NPP_NOT_SUPPORTED_MODE_ERROR;
}

// Canny's, as on an H200: what is smaller than its neighbours along the gradient becomes 0, and what is as large as
// `low` is an edge. Faint edges need not touch strong ones: the upper threshold only has to be above the lower one.
class Canny {
 public:
  Canny(const Replicated &from, const Image<Npp8u> &to, NppiSize roi, NppiNorm norm, float *magnitudes)
      : from_(from), to_(to), roi_(roi), norm_(norm), magnitudes_(magnitudes) {}

  void run(int low) {
    each([&](int x, int y) {
      at(x, y) = static_cast<float>(static_cast<int>(magnitude_of(gradient_at(from_, x, y, 2), norm_)));
    });
    each([&](int x, int y) { to_.row(y)[x] = (is_largest(x, y) ? at(x, y) : 0) >= static_cast<float>(low) ? 255 : 0; });
  }

 private:
  template <class Act>
  void each(const Act &act) {
    for (int y = 0; y < roi_.height; ++y)
      for (int x = 0; x < roi_.width; ++x) act(x, y);
  }
  float &at(int x, int y) { return magnitudes_[static_cast<std::ptrdiff_t>(y) * roi_.width + x]; }
  float near(int x, int y) { return at(std::clamp(x, 0, roi_.width - 1), std::clamp(y, 0, roi_.height - 1)); }

  bool is_largest(int x, int y) {
    const Gradient gradient = gradient_at(from_, x, y, 2);
    const double across = std::abs(gradient.x), up = std::abs(gradient.y);
    int dx = 1, dy = 0;
    if (across * kDirection >= up) {
      dy = 0;
    } else if (up * kDirection >= across) {
      dx = 0, dy = 1;
    } else {
      dy = (gradient.x > 0) == (gradient.y > 0) ? -1 : 1;
    }
    return at(x, y) >= near(x - dx, y - dy) && at(x, y) >= near(x + dx, y + dy);
  }

  Replicated from_;
  Image<Npp8u> to_;
  NppiSize roi_;
  NppiNorm norm_;
  float *magnitudes_;
};

}  // namespace
}  // namespace warploom::npp

using namespace warploom::npp;

#pragma GCC visibility push(default)
extern "C" {

NppStatus nppiFilterBox_8u_C1R_Ctx(const Npp8u *source, int source_step, Npp8u *target, int target_step, NppiSize roi,
                                   NppiSize mask, NppiPoint anchor, NppStreamContext context) {
  const Image<const Npp8u> from = {source, source_step};
  const Image<Npp8u> to = {target, target_step};
  NppStatus status = check_all(roi, from, to);
  if (status == NPP_NO_ERROR) status = check_mask(mask, anchor);
  if (status != NPP_NO_ERROR) return status;
  return run_rows(context, "nppiFilterBox_8u_C1R_Ctx", roi, 1 + .3 * mask.height, [=](int y) {
    box_row(y, to.row(y), roi.width, mask, anchor, [&](int j) { return from.row(j); }, [](int x) { return x; });
  });
}

NppStatus nppiFilterBoxBorder_8u_C1R_Ctx(const Npp8u *source, int source_step, NppiSize size, NppiPoint offset,
                                         Npp8u *target, int target_step, NppiSize roi, NppiSize mask, NppiPoint anchor,
                                         NppiBorderType border, NppStreamContext context) {
  const Replicated from = {{source, source_step}, size, offset};
  const Image<Npp8u> to = {target, target_step};
  NppStatus status = check_all(roi, from.image, to);
  if (status == NPP_NO_ERROR) status = check_border(size, offset, border);
  if (status == NPP_NO_ERROR) status = check_mask(mask, anchor);
  if (status != NPP_NO_ERROR) return status;
  return run_rows(context, "nppiFilterBoxBorder_8u_C1R_Ctx", roi, 1 + mask.height, [=](int y) {
    box_row(
        y, to.row(y), roi.width, mask, anchor, [&](int j) { return from.row(j); },
        [&](int x) { return from.column(x); });
  });
}

NppStatus nppiGradientVectorPrewittBorder_8u16s_C1R_Ctx(const Npp8u *source, int source_step, NppiSize size,
                                                        NppiPoint offset, Npp16s *x, int x_step, Npp16s *y, int y_step,
                                                        Npp16s *magnitude, int magnitude_step, Npp32f *angle,
                                                        int angle_step, NppiSize roi, NppiMaskSize mask, NppiNorm norm,
                                                        NppiBorderType border, NppStreamContext context) {
  const Replicated from = {{source, source_step}, size, offset};
  const Image<Npp16s> to_x = {x, x_step}, to_y = {y, y_step}, to_magnitude = {magnitude, magnitude_step};
  const Image<Npp32f> to_angle = {angle, angle_step};
  NppStatus status = check_all(roi, from.image);
  if (status == NPP_NO_ERROR) status = check_border(size, offset, border);
  if (status != NPP_NO_ERROR) return status;
  if (mask != NPP_MASK_SIZE_3_X_3) return NPP_MASK_SIZE_ERROR;
  if (norm != nppiNormL1 && norm != nppiNormL2) return NPP_BAD_ARGUMENT_ERROR;
  return run_rows(context, "nppiGradientVectorPrewittBorder_8u16s_C1R_Ctx", roi, 10, [=](int row) {
    for (int column = 0; column < roi.width; ++column) {
      const Gradient gradient = gradient_at(from, column, row, 1);
      if (to_x.data != nullptr) to_x.row(row)[column] = static_cast<Npp16s>(gradient.x);
      if (to_y.data != nullptr) to_y.row(row)[column] = static_cast<Npp16s>(gradient.y);
      if (to_magnitude.data != nullptr)
        to_magnitude.row(row)[column] = static_cast<Npp16s>(magnitude_of(gradient, norm));
      if (to_angle.data != nullptr)
        to_angle.row(row)[column] = std::atan2(static_cast<float>(gradient.y), static_cast<float>(gradient.x));
    }
  });
}

NppStatus nppiFilterCannyBorderGetBufferSize(NppiSize roi, int *bytes) {
  if (bytes == nullptr) return NPP_NULL_POINTER_ERROR;
  if (roi.width <= 0 || roi.height <= 0) return NPP_SIZE_ERROR;
  *bytes = roi.width * roi.height * static_cast<int>(sizeof(float));
  return NPP_NO_ERROR;
}

NppStatus nppiFilterCannyBorder_8u_C1R_Ctx(const Npp8u *source, int source_step, NppiSize size, NppiPoint offset,
                                           Npp8u *target, int target_step, NppiSize roi, NppiDifferentialKernel filter,
                                           NppiMaskSize mask, Npp16s low, Npp16s high, NppiNorm norm,
                                           NppiBorderType border, Npp8u *buffer, NppStreamContext context) {
  const Replicated from = {{source, source_step}, size, offset};
  const Image<Npp8u> to = {target, target_step};
  NppStatus status = check_all(roi, from.image, to);
  if (status == NPP_NO_ERROR) status = check_border(size, offset, border);
  if (status != NPP_NO_ERROR) return status;
  if (buffer == nullptr) return NPP_NULL_POINTER_ERROR;
  if ((norm != nppiNormL1 && norm != nppiNormL2) || low < 0 || high < low) return NPP_BAD_ARGUMENT_ERROR;
  if (filter != NPP_FILTER_SOBEL || mask != NPP_MASK_SIZE_3_X_3)
    return WARPLOOM_REFUSE("nppiFilterCannyBorder_8u_C1R_Ctx", "only Sobel's filter of 3 x 3 is there",
                           NPP_NOT_SUPPORTED_MODE_ERROR);
  const double time = 30. * roi.width * roi.height;
  return run_whole(context, "nppiFilterCannyBorder_8u_C1R_Ctx", time,
                   [=] { Canny(from, to, roi, norm, reinterpret_cast<float *>(buffer)).run(low); });
}

}  // extern "C"
#pragma GCC visibility pop
