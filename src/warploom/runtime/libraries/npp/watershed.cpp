// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Watersheds: water rises from each regional minimum, and where it comes from first, there a pixel belongs. A segment's
// label is the number of the first pixel of its minimum, row by row. NPP's own segments differ in where they meet and
// in how noise is split: how it does so is not documented.
#include <array>
#include <cstdint>
#include <vector>

#include "image.h"

namespace warploom::npp {
namespace {

class Watershed {
 public:
  Watershed(const Image<Npp8u> &image, const Image<Npp32u> &labels, NppiSize roi, bool diagonals)
      : image_(image), labels_(labels), roi_(roi), near_(diagonals ? 8 : 4) {}

  void run(NppiWatershedSegmentBoundaryType boundary) {
    find_minima();
    flood();
    paint(boundary);
  }

 private:
  struct Pixel {
    int x, y;
  };
  static constexpr Npp32u kNone = ~Npp32u{0};
  static constexpr Pixel kSteps[8] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {1, -1}, {-1, 1}, {1, 1}};

  Npp8u &value(Pixel p) const { return image_.row(p.y)[p.x]; }
  Npp32u &label(Pixel p) const { return labels_.row(p.y)[p.x]; }
  template <class Act>
  void each_pixel(const Act &act) const {
    for (int y = 0; y < roi_.height; ++y)
      for (int x = 0; x < roi_.width; ++x) act(Pixel{x, y});
  }
  template <class Act>
  void each_neighbour(Pixel p, const Act &act) const {
    for (int i = 0; i < near_; ++i) {
      const Pixel q{p.x + kSteps[i].x, p.y + kSteps[i].y};
      if (q.x >= 0 && q.y >= 0 && q.x < roi_.width && q.y < roi_.height) act(q);
    }
  }

  // Labels the plateaus that no lower pixel touches; their pixels are where the water begins.
  void find_minima() {
    each_pixel([&](Pixel p) { label(p) = kNone; });
    std::vector<char> seen(static_cast<std::size_t>(roi_.width) * static_cast<std::size_t>(roi_.height));
    const auto index = [&](Pixel p) { return static_cast<std::size_t>(p.y) * roi_.width + p.x; };
    std::vector<Pixel> plateau;
    each_pixel([&](Pixel start) {
      if (seen[index(start)]) return;
      bool is_lowest = true;
      plateau.assign(1, start);
      seen[index(start)] = 1;
      for (std::size_t i = 0; i < plateau.size(); ++i) {
        const Pixel at = plateau[i];
        each_neighbour(at, [&](Pixel q) {
          if (value(q) < value(at)) is_lowest = false;
          if (value(q) != value(at) || seen[index(q)]) return;
          seen[index(q)] = 1;
          plateau.push_back(q);
        });
      }
      if (!is_lowest) return;
      for (const Pixel p : plateau) label(p) = static_cast<Npp32u>(index(start)), rising_[value(p)].push_back(p);
    });
  }

  void flood() {
    for (std::size_t level = 0; level < rising_.size(); ++level) {
      for (std::size_t i = 0; i < rising_[level].size(); ++i) {
        const Pixel from = rising_[level][i];
        each_neighbour(from, [&](Pixel q) {
          if (label(q) != kNone) return;
          label(q) = label(from);
          rising_[std::max<std::size_t>(level, value(q))].push_back(q);
        });
      }
    }
  }

  // A segment gets its minimum's value; its first pixels from the left and from above are its boundary.
  void paint(NppiWatershedSegmentBoundaryType boundary) {
    std::vector<Npp8u> least(static_cast<std::size_t>(roi_.width) * static_cast<std::size_t>(roi_.height), 255);
    each_pixel([&](Pixel p) { least[label(p)] = std::min(least[label(p)], value(p)); });
    each_pixel([&](Pixel p) {
      const bool is_first =
          (p.x > 0 && label({p.x - 1, p.y}) != label(p)) || (p.y > 0 && label({p.x, p.y - 1}) != label(p));
      value(p) = painted(boundary, is_first, least[label(p)]);
    });
  }
  static Npp8u painted(NppiWatershedSegmentBoundaryType boundary, bool is_boundary, Npp8u value) {
    switch (boundary) {
      case NPP_WATERSHED_SEGMENT_BOUNDARIES_BLACK:
        return is_boundary ? 0 : value;
      case NPP_WATERSHED_SEGMENT_BOUNDARIES_WHITE:
        return is_boundary ? 255 : value;
      case NPP_WATERSHED_SEGMENT_BOUNDARIES_CONTRAST:
        return !is_boundary ? value : value < 128 ? 255 : 0;
      case NPP_WATERSHED_SEGMENT_BOUNDARIES_ONLY:
        return is_boundary ? 255 : 0;
      default:
        return value;
    }
  }

  Image<Npp8u> image_;
  Image<Npp32u> labels_;
  NppiSize roi_;
  int near_;
  std::array<std::vector<Pixel>, 256> rising_;
};

}  // namespace
}  // namespace warploom::npp

using namespace warploom::npp;

#pragma GCC visibility push(default)
extern "C" {

NppStatus nppiSegmentWatershedGetBufferSize_8u_C1R(NppiSize roi, size_t *bytes) {
  if (bytes == nullptr) return NPP_NULL_POINTER_ERROR;
  if (roi.width <= 0 || roi.height <= 0) return NPP_SIZE_ERROR;
  *bytes =
      static_cast<size_t>(roi.width) * static_cast<size_t>(roi.height) * 24 + 256;  // about as much as NPP asks for
  return NPP_NO_ERROR;
}

NppStatus nppiSegmentWatershed_8u_C1IR_Ctx(Npp8u *image, int image_step, Npp32u *labels, int labels_step, NppiNorm norm,
                                           NppiWatershedSegmentBoundaryType boundary, NppiSize roi, Npp8u *buffer,
                                           NppStreamContext context) {
  const Image<Npp8u> pixels = {image, image_step};
  const Image<Npp32u> to = {labels, labels_step};
  const bool has_labels = labels != nullptr;  // who does not want them gives none
  const NppStatus status = has_labels ? check_all(roi, pixels, to) : check_all(roi, pixels);
  if (status != NPP_NO_ERROR) return status;
  if (buffer == nullptr) return NPP_NULL_POINTER_ERROR;
  const bool is_known = (norm == nppiNormInf || norm == nppiNormL1) &&
                        boundary >= NPP_WATERSHED_SEGMENT_BOUNDARIES_NONE &&
                        boundary <= NPP_WATERSHED_SEGMENT_BOUNDARIES_ONLY;
  if (!is_known) return NPP_BAD_ARGUMENT_ERROR;
  const double time = 60. * roi.width * roi.height;
  return run_whole(context, "nppiSegmentWatershed_8u_C1IR_Ctx", time, [=] {
    std::vector<Npp32u> own(has_labels ? 0 : static_cast<std::size_t>(roi.width) * roi.height);
    const Image<Npp32u> within = {own.data(), roi.width * static_cast<int>(sizeof(Npp32u))};
    Watershed(pixels, has_labels ? to : within, roi, norm == nppiNormInf).run(boundary);
  });
}

}  // extern "C"
#pragma GCC visibility pop
