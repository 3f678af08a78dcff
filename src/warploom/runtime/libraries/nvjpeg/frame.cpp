// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A JPEG file's frame header: T.81, annex B.
#include <algorithm>

#include "picture.h"

namespace warploom::nvjpeg {
namespace {

bool is_frame(int marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}
// Markers that have no length behind them.
bool stands_alone(int marker) { return marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8); }

nvjpegStatus_t read_frame(const unsigned char *at, std::size_t length, int marker, Frame *frame) {
  if (length < 8) return NVJPEG_STATUS_BAD_JPEG;
  frame->marker = marker, frame->bits = at[2];
  frame->size = {at[5] << 8 | at[6], at[3] << 8 | at[4]};
  frame->components = at[7];
  const bool fits = frame->components >= 1 && frame->components <= NVJPEG_MAX_COMPONENT &&
                    length >= 8 + 3 * static_cast<std::size_t>(frame->components);
  if (!fits || frame->size.width == 0) return NVJPEG_STATUS_BAD_JPEG;
  if (frame->size.height == 0) return NVJPEG_STATUS_JPEG_NOT_SUPPORTED;  // it would come behind the first scan
  for (int i = 0; i < frame->components; ++i) {
    const int both = at[9 + 3 * i];
    frame->ids[i] = at[8 + 3 * i], frame->tables[i] = at[10 + 3 * i];
    frame->factors[i] = {both >> 4, both & 15};
    if (frame->factors[i].width == 0 || frame->factors[i].height == 0) return NVJPEG_STATUS_BAD_JPEG;
  }
  return NVJPEG_STATUS_SUCCESS;
}

}  // namespace

bool has_scan(const unsigned char *data, std::size_t length) {
  std::size_t at = 2;
  while (at + 4 <= length && data[at] == 0xff) {
    const int marker = data[at + 1];
    if (marker == 0xff || stands_alone(marker)) {
      at += marker == 0xff ? 1 : 2;
      continue;
    }
    at += 2 + (static_cast<std::size_t>(data[at + 2]) << 8 | data[at + 3]);
    if (marker == 0xda) return at < length;
  }
  return false;
}

nvjpegStatus_t parse(const unsigned char *data, std::size_t length, Frame *frame) {
  if (length < 2) return NVJPEG_STATUS_INCOMPLETE_BITSTREAM;
  if (data[0] != 0xff || data[1] != 0xd8) return NVJPEG_STATUS_BAD_JPEG;
  std::size_t at = 2;
  while (at + 1 < length) {
    if (data[at] != 0xff) return NVJPEG_STATUS_BAD_JPEG;
    const int marker = data[at + 1];
    if (marker == 0xff || stands_alone(marker)) {
      at += marker == 0xff ? 1 : 2;
      continue;
    }
    if (marker == 0xd9 || marker == 0xda) return NVJPEG_STATUS_BAD_JPEG;  // the picture ends or begins: no frame
    if (at + 4 > length) break;
    const std::size_t size = static_cast<std::size_t>(data[at + 2]) << 8 | data[at + 3];
    if (size < 2) return NVJPEG_STATUS_BAD_JPEG;
    if (at + 2 + size > length) break;
    if (is_frame(marker)) return read_frame(data + at + 2, size, marker, frame);
    at += 2 + size;
  }
  return NVJPEG_STATUS_INCOMPLETE_BITSTREAM;
}

Size Frame::size_of(int i) const {
  Size most{1, 1};
  for (int j = 0; j < components; ++j)
    most = {std::max(most.width, factors[j].width), std::max(most.height, factors[j].height)};
  return {(size.width * factors[i].width + most.width - 1) / most.width,
          (size.height * factors[i].height + most.height - 1) / most.height};
}

bool Frame::is_unit_too_large() const {
  int blocks = 0;
  for (int i = 0; i < components; ++i) blocks += factors[i].width * factors[i].height;
  return components > 1 && blocks > 10;
}

nvjpegChromaSubsampling_t Frame::subsampling() const {
  if (components == 1) return NVJPEG_CSS_GRAY;
  if (components < 3) return NVJPEG_CSS_UNKNOWN;
  const Size luma = factors[0], chroma = factors[1];
  const bool is_plain = factors[2].width == chroma.width && factors[2].height == chroma.height &&
                        luma.width % chroma.width == 0 && luma.height % chroma.height == 0;
  if (!is_plain) return NVJPEG_CSS_UNKNOWN;
  switch (luma.width / chroma.width * 10 + luma.height / chroma.height) {
    case 11:
      return NVJPEG_CSS_444;
    case 21:
      return NVJPEG_CSS_422;
    case 22:
      return NVJPEG_CSS_420;
    case 12:
      return NVJPEG_CSS_440;
    case 41:
      return NVJPEG_CSS_411;
    case 42:
      return NVJPEG_CSS_410;
    case 24:
      return NVJPEG_CSS_410V;
    default:
      return NVJPEG_CSS_UNKNOWN;
  }
}

Size plane_size(nvjpegChromaSubsampling_t subsampling, Size size, int i) {
  if (i == 0) return size;
  const auto divided = [&](int x, int y) { return Size{(size.width + x - 1) / x, (size.height + y - 1) / y}; };
  switch (subsampling) {
    case NVJPEG_CSS_444:
      return size;
    case NVJPEG_CSS_422:
      return divided(2, 1);
    case NVJPEG_CSS_420:
      return divided(2, 2);
    case NVJPEG_CSS_440:
      return divided(1, 2);
    case NVJPEG_CSS_411:
      return divided(4, 1);
    case NVJPEG_CSS_410:
      return divided(4, 2);
    case NVJPEG_CSS_410V:
      return divided(2, 4);
    default:
      return {0, 0};
  }
}

}  // namespace warploom::nvjpeg
