// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What NPP does pixel by pixel, and counts.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>

#include "image.h"

namespace warploom::npp {
namespace {

bool compare(Npp16s pixel, Npp16s constant, NppCmpOp operation) {
  switch (operation) {
    case NPP_CMP_LESS:
      return pixel < constant;
    case NPP_CMP_LESS_EQ:
      return pixel <= constant;
    case NPP_CMP_EQ:
      return pixel == constant;
    case NPP_CMP_GREATER_EQ:
      return pixel >= constant;
    default:
      return pixel > constant;
  }
}

// What is left of equal widths makes the first ones larger by one.
Npp32s even_level(int i, int count, Npp32s lower, Npp32s upper) {
  const std::int64_t width = std::int64_t{upper} - lower, bins = count - 1;
  return static_cast<Npp32s>(lower + i * (width / bins) + std::min<std::int64_t>(i, width % bins));
}

// Between two levels a straight line, rounded down; other values stay.
Npp8u look_up(int pixel, const Npp32s *values, const Npp32s *levels, int count) {
  for (int i = 0; i + 1 < count; ++i) {
    if (pixel < levels[i] || pixel >= levels[i + 1]) continue;
    const double part = static_cast<double>(pixel - levels[i]) / (levels[i + 1] - levels[i]);
    const double value = values[i] + part * (static_cast<double>(values[i + 1]) - values[i]);
    return static_cast<Npp8u>(std::clamp(std::floor(value), 0., 255.));
  }
  return static_cast<Npp8u>(pixel);
}

}  // namespace
}  // namespace warploom::npp

using namespace warploom::npp;

#pragma GCC visibility push(default)
extern "C" {

NppStatus nppiAbsDiff_8u_C1R_Ctx(const Npp8u *first, int first_step, const Npp8u *second, int second_step,
                                 Npp8u *target, int target_step, NppiSize roi, NppStreamContext context) {
  const Image<const Npp8u> a = {first, first_step}, b = {second, second_step};
  const Image<Npp8u> to = {target, target_step};
  if (const NppStatus status = check_all(roi, a, b, to); status != NPP_NO_ERROR) return status;
  return run_rows(context, "nppiAbsDiff_8u_C1R_Ctx", roi, .2, [=](int y) {
    const Npp8u *const one = a.row(y), *const other = b.row(y);
    Npp8u *const out = to.row(y);
    for (int x = 0; x < roi.width; ++x) out[x] = static_cast<Npp8u>(std::abs(one[x] - other[x]));
  });
}

NppStatus nppiCompareC_16s_C1R_Ctx(const Npp16s *source, int source_step, Npp16s constant, Npp8u *target,
                                   int target_step, NppiSize roi, NppCmpOp operation, NppStreamContext context) {
  const Image<const Npp16s> from = {source, source_step};
  const Image<Npp8u> to = {target, target_step};
  if (const NppStatus status = check_all(roi, from, to); status != NPP_NO_ERROR) return status;
  if (operation < NPP_CMP_LESS || operation > NPP_CMP_GREATER) return NPP_NOT_SUPPORTED_MODE_ERROR;
  return run_rows(context, "nppiCompareC_16s_C1R_Ctx", roi, .5, [=](int y) {
    for (int x = 0; x < roi.width; ++x) to.row(y)[x] = compare(from.row(y)[x], constant, operation) ? 255 : 0;
  });
}

NppStatus nppiCopyConstBorder_8u_C1R_Ctx(const Npp8u *source, int source_step, NppiSize source_roi, Npp8u *target,
                                         int target_step, NppiSize target_roi, int top, int left, Npp8u value,
                                         NppStreamContext context) {
  const Image<const Npp8u> from = {source, source_step};
  const Image<Npp8u> to = {target, target_step};
  if (const NppStatus status = check_all(source_roi, from, to); status != NPP_NO_ERROR) return status;
  const bool fits = top >= 0 && left >= 0 && source_roi.width + left <= target_roi.width &&
                    source_roi.height + top <= target_roi.height;
  if (!fits) return NPP_SIZE_ERROR;
  return run_rows(context, "nppiCopyConstBorder_8u_C1R_Ctx", target_roi, .2, [=](int y) {
    Npp8u *const out = to.row(y);
    std::memset(out, value, static_cast<std::size_t>(target_roi.width));
    if (y >= top && y < top + source_roi.height)
      std::memcpy(out + left, from.row(y - top), static_cast<std::size_t>(source_roi.width));
  });
}

NppStatus nppiEvenLevelsHost_32s(Npp32s *levels, int count, Npp32s lower, Npp32s upper) {
  if (levels == nullptr) return NPP_NULL_POINTER_ERROR;
  if (count < 2) return NPP_HISTOGRAM_NUMBER_OF_LEVELS_ERROR;
  for (int i = 0; i < count; ++i) levels[i] = even_level(i, count, lower, upper);
  return NPP_NO_ERROR;
}

NppStatus nppiHistogramEvenGetBufferSize_8u_C1R_Ctx(NppiSize roi, int levels, size_t *bytes, NppStreamContext) {
  if (bytes == nullptr) return NPP_NULL_POINTER_ERROR;
  if (levels < 2) return NPP_HISTOGRAM_NUMBER_OF_LEVELS_ERROR;
  *bytes = static_cast<size_t>(levels) * sizeof(Npp32s);
  return check_size(roi);
}

NppStatus nppiHistogramEven_8u_C1R_Ctx(const Npp8u *source, int source_step, NppiSize roi, Npp32s *counts, int levels,
                                       Npp32s lower, Npp32s upper, Npp8u *buffer, NppStreamContext context) {
  const Image<const Npp8u> from = {source, source_step};
  if (const NppStatus status = check_all(roi, from); status != NPP_NO_ERROR) return status;
  if (counts == nullptr || buffer == nullptr) return NPP_NULL_POINTER_ERROR;
  if (levels < 2) return NPP_HISTOGRAM_NUMBER_OF_LEVELS_ERROR;
  if (upper <= lower) return NPP_RANGE_ERROR;
  const double time = .5 * roi.width * roi.height;
  return run_whole(context, "nppiHistogramEven_8u_C1R_Ctx", time, [=] {
    Npp32s found[256] = {};
    for (int y = 0; y < roi.height; ++y)
      for (int x = 0; x < roi.width; ++x) ++found[from.row(y)[x]];
    std::fill(counts, counts + levels - 1, 0);
    for (int i = 0; i + 1 < levels; ++i) {
      const int first = std::max(even_level(i, levels, lower, upper), 0);
      const int end = std::min(even_level(i + 1, levels, lower, upper), 256);
      for (int value = first; value < end; ++value) counts[i] += found[value];
    }
  });
}

NppStatus nppiLUT_Linear_8u_C1R_Ctx(const Npp8u *source, int source_step, Npp8u *target, int target_step, NppiSize roi,
                                    const Npp32s *values, const Npp32s *levels, int count, NppStreamContext context) {
  const Image<const Npp8u> from = {source, source_step};
  const Image<Npp8u> to = {target, target_step};
  if (const NppStatus status = check_all(roi, from, to); status != NPP_NO_ERROR) return status;
  if (values == nullptr || levels == nullptr) return NPP_NULL_POINTER_ERROR;
  if (count < 2) return NPP_LUT_NUMBER_OF_LEVELS_ERROR;
  return run_whole(context, "nppiLUT_Linear_8u_C1R_Ctx", 1. * roi.width * roi.height, [=] {
    Npp8u table[256];
    for (int pixel = 0; pixel < 256; ++pixel) table[pixel] = look_up(pixel, values, levels, count);
    for (int y = 0; y < roi.height; ++y)
      for (int x = 0; x < roi.width; ++x) to.row(y)[x] = table[from.row(y)[x]];
  });
}

NppStatus nppiCompressMarkerLabelsGetBufferSize_32u_C1R(int labels, int *bytes) {
  if (bytes == nullptr) return NPP_NULL_POINTER_ERROR;
  if (labels <= 0) return NPP_SIZE_ERROR;
  *bytes = labels;
  return NPP_NO_ERROR;
}

// Labels above 0 and below `limit` become 1, 2, ... in their order; the count has one for 0. As on an H200.
NppStatus nppiCompressMarkerLabelsUF_32u_C1IR_Ctx(Npp32u *labels, int labels_step, NppiSize roi, int limit, int *count,
                                                  Npp8u *buffer, NppStreamContext context) {
  const Image<Npp32u> image = {labels, labels_step};
  if (const NppStatus status = check_all(roi, image); status != NPP_NO_ERROR) return status;
  if (count == nullptr || buffer == nullptr) return NPP_NULL_POINTER_ERROR;
  if (limit <= 0) return NPP_BAD_ARGUMENT_ERROR;
  const double time = 50. * roi.width * roi.height;
  const NppStatus status = run_whole(context, "nppiCompressMarkerLabelsUF_32u_C1IR_Ctx", time, [=] {
    std::map<Npp32u, Npp32u> numbers;
    const auto each = [&](auto &&act) {
      for (int y = 0; y < roi.height; ++y)
        for (int x = 0; x < roi.width; ++x)
          if (Npp32u &label = image.row(y)[x]; label != 0 && label < static_cast<Npp32u>(limit)) act(label);
    };
    each([&](const Npp32u &label) { numbers[label] = 0; });
    Npp32u next = 0;
    for (auto &[label, number] : numbers) number = ++next;
    each([&](Npp32u &label) { label = numbers[label]; });
    *count = static_cast<int>(next) + 1;
  });
  if (status != NPP_NO_ERROR) return status;
  return cudaStreamSynchronize(context.hStream) == cudaSuccess ? NPP_NO_ERROR : NPP_CUDA_KERNEL_EXECUTION_ERROR;
}

}  // extern "C"
#pragma GCC visibility pop
