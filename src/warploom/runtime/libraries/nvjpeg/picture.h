// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What JPEG files say of themselves, and pictures between them and the caller's memory. libturbojpeg, which the user's
// system brings, does the work on single pictures.
#pragma once

#include <nvjpeg.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace warploom::nvjpeg {

struct Size {
  int width, height;
};

// A JPEG file's frame header.
struct Frame {
  int marker = 0;  // the kind of coding, as nvjpegJpegEncoding_t has it
  int components = 0;
  Size size{};
  int bits = 0;                                                     // of a sample
  Size factors[NVJPEG_MAX_COMPONENT]{};                             // of sampling
  int ids[NVJPEG_MAX_COMPONENT]{}, tables[NVJPEG_MAX_COMPONENT]{};  // tables: of quantization
  // Of component i: its share of the picture, rounded up.
  Size size_of(int i) const;
  nvjpegChromaSubsampling_t subsampling() const;
  // Whether a unit of all components has more than the 10 blocks that T.81 (B.2.3) allows.
  bool is_unit_too_large() const;
};
// Finds the frame header; NVJPEG_STATUS_BAD_JPEG if there is none, _INCOMPLETE_BITSTREAM if the file ends before it.
nvjpegStatus_t parse(const unsigned char *data, std::size_t length, Frame *frame);
// Whether a file goes on behind the header of its first scan.
bool has_scan(const unsigned char *data, std::size_t length);

// A picture's channels, rows one behind the other.
struct Picture {
  int channels = 0;
  Size sizes[NVJPEG_MAX_COMPONENT]{};  // in bytes and rows
  std::vector<unsigned char> pixels[NVJPEG_MAX_COMPONENT];
};

// Whether libturbojpeg is there; says once that it is not.
bool is_ready();
// What pixels that share a sample of chroma have of it: the sample itself, or values between it and its neighbours.
enum class Upsampling { kRepeated, kInterpolated };
// Decodes a file into the format's channels.
nvjpegStatus_t decode(const unsigned char *data, std::size_t length, nvjpegOutputFormat_t format, Upsampling upsampling,
                      Picture *picture);

// Decodes a baseline file of any sampling into a plane for each component.
nvjpegStatus_t decode_baseline(const unsigned char *data, std::size_t length, const Frame &frame, Picture *picture);

struct EncoderSettings {
  int quality = 70;
  nvjpegChromaSubsampling_t subsampling = NVJPEG_CSS_UNKNOWN;  // until it is set nothing is encoded
  bool is_progressive = false;
};
// Encodes interleaved RGB or BGR.
nvjpegStatus_t encode(const EncoderSettings &settings, const std::vector<unsigned char> &pixels, bool is_bgr, Size size,
                      std::vector<unsigned char> *file);
// Encodes planes of YUV in `subsampling`.
nvjpegStatus_t encode_planes(const EncoderSettings &settings, const Picture &planes,
                             nvjpegChromaSubsampling_t subsampling, Size size, std::vector<unsigned char> *file);
// Of plane i of a picture of `size` in `subsampling`; {0, 0} where there is none.
Size plane_size(nvjpegChromaSubsampling_t subsampling, Size size, int i);

}  // namespace warploom::nvjpeg
