// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libturbojpeg, loaded when the first picture is seen. Its numbers are those of version 2's interface, which version 3
// has too.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>

#include "../../library_calls.h"
#include "picture.h"

namespace warploom::nvjpeg {
namespace {

constexpr int kRgb = 0, kBgr = 1, kGray = 6;                                    // of pixels
constexpr int k444 = 0, k422 = 1, k420 = 2, kOnlyGray = 3, k440 = 4, k411 = 5;  // of chroma
constexpr int kProgressive = 16384, kAccurate = 4096, kRepeat = 256;            // flags
constexpr int kWarning = 0;                                                     // an error code: there are pixels

struct Turbo {
  void *(*init_decompress)();
  void *(*init_compress)();
  int (*destroy)(void *);
  void (*free)(unsigned char *);
  int (*decompress)(void *, const unsigned char *, unsigned long, unsigned char *, int, int, int, int, int);
  int (*decompress_planes)(void *, const unsigned char *, unsigned long, unsigned char **, int, int *, int, int);
  int (*decode_planes)(void *, const unsigned char **, const int *, int, unsigned char *, int, int, int, int, int);
  int (*compress)(void *, const unsigned char *, int, int, int, int, unsigned char **, unsigned long *, int, int, int);
  int (*compress_planes)(void *, const unsigned char **, int, const int *, int, int, unsigned char **, unsigned long *,
                         int, int);
  int (*plane_width)(int, int, int);
  int (*plane_height)(int, int, int);
  int (*error_code)(void *);  // of the last call that failed; null in versions before 2.0
  bool is_there = false;
};

template <class Function>
bool find(void *library, const char *name, Function *&function) {
  function = reinterpret_cast<Function *>(dlsym(library, name));
  return function != nullptr;
}

Turbo load() {
  Turbo t{};
  void *library = nullptr;
  for (const char *name : {"libturbojpeg.so.0", "libturbojpeg.so"})
    if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  t.is_there = library != nullptr && find(library, "tjInitDecompress", t.init_decompress) &&
               find(library, "tjInitCompress", t.init_compress) && find(library, "tjDestroy", t.destroy) &&
               find(library, "tjFree", t.free) && find(library, "tjDecompress2", t.decompress) &&
               find(library, "tjDecompressToYUVPlanes", t.decompress_planes) &&
               find(library, "tjDecodeYUVPlanes", t.decode_planes) && find(library, "tjCompress2", t.compress) &&
               find(library, "tjCompressFromYUVPlanes", t.compress_planes) &&
               find(library, "tjPlaneWidth", t.plane_width) && find(library, "tjPlaneHeight", t.plane_height);
  if (t.is_there) find(library, "tjGetErrorCode", t.error_code);
  if (!t.is_there)
    __warploom_library_message(
        "nvJPEG needs libturbojpeg, which was not found: install it (Debian, Ubuntu: apt-get install libturbojpeg0), "
        "or name its folder in LD_LIBRARY_PATH");
  return t;
}
const Turbo &turbo() {
  static const Turbo loaded = load();
  return loaded;
}

// A compressor's or decompressor's state, for one picture.
class Session {
 public:
  explicit Session(void *(*create)()) : state(create()) {}
  ~Session() {
    if (state != nullptr) turbo().destroy(state);
  }
  Session(const Session &) = delete;
  void *const state;
};

// libturbojpeg's number; -1: it has none.
int chroma_of(nvjpegChromaSubsampling_t subsampling) {
  switch (subsampling) {
    case NVJPEG_CSS_444:
      return k444;
    case NVJPEG_CSS_422:
      return k422;
    case NVJPEG_CSS_420:
      return k420;
    case NVJPEG_CSS_440:
      return k440;
    case NVJPEG_CSS_411:
      return k411;
    case NVJPEG_CSS_GRAY:
      return kOnlyGray;
    default:
      return -1;
  }
}

std::size_t bytes_of(Size size) { return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height); }

// Planes as libturbojpeg has them: rounded up to whole blocks of chroma's samples.
struct Planes {
  Planes(int chroma, Size size) {
    for (int i = 0; i < (chroma == kOnlyGray ? 1 : 3); ++i) {
      sizes[i] = {turbo().plane_width(i, size.width, chroma), turbo().plane_height(i, size.height, chroma)};
      memory[i].resize(bytes_of(sizes[i]));
      rows[i] = memory[i].data(), steps[i] = sizes[i].width;
    }
  }
  Size sizes[3]{};
  std::vector<unsigned char> memory[3];
  unsigned char *rows[3]{};
  int steps[3]{};
};

// The code for a file whose pixels could not all be read. Of a file that ends within its only scan an H200 gives what
// is there, and no error.
nvjpegStatus_t status_of_failure(const Session &session, const unsigned char *data, std::size_t length,
                                 const Frame &frame) {
  constexpr unsigned char kEnd[] = {0xff, 0xd9};
  if (std::search(data, data + length, kEnd, kEnd + 2) != data + length) return NVJPEG_STATUS_BAD_JPEG;
  const bool has_pixels =
      has_scan(data, length) && turbo().error_code != nullptr && turbo().error_code(session.state) == kWarning;
  return has_pixels && frame.marker != NVJPEG_ENCODING_PROGRESSIVE_DCT_HUFFMAN ? NVJPEG_STATUS_SUCCESS
                                                                               : NVJPEG_STATUS_INCOMPLETE_BITSTREAM;
}

nvjpegStatus_t decode_pixels(const unsigned char *data, std::size_t length, int format, Upsampling upsampling,
                             const Frame &frame, std::vector<unsigned char> *pixels) {
  const Session session(turbo().init_decompress);
  if (session.state == nullptr) return NVJPEG_STATUS_ALLOCATOR_FAILURE;
  const Size size = frame.size;
  const int step = size.width * (format == kGray ? 1 : 3);
  pixels->resize(bytes_of({step, size.height}));
  const int flags = kAccurate | (upsampling == Upsampling::kRepeated ? kRepeat : 0);
  const int failed =
      turbo().decompress(session.state, data, length, pixels->data(), size.width, step, size.height, format, flags);
  return failed != 0 ? status_of_failure(session, data, length, frame) : NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t decode_yuv(const unsigned char *data, std::size_t length, const Frame &frame, Picture *picture) {
  const int chroma = chroma_of(frame.subsampling());
  if (chroma < 0 || frame.components != (chroma == kOnlyGray ? 1 : 3) || frame.is_unit_too_large())
    return decode_baseline(data, length, frame, picture);
  const Session session(turbo().init_decompress);
  if (session.state == nullptr) return NVJPEG_STATUS_ALLOCATOR_FAILURE;
  Planes planes(chroma, frame.size);
  if (turbo().decompress_planes(session.state, data, length, planes.rows, frame.size.width, planes.steps,
                                frame.size.height, kAccurate) != 0) {
    const auto status = status_of_failure(session, data, length, frame);
    if (status != NVJPEG_STATUS_SUCCESS) return status;
  }
  picture->channels = frame.components;
  for (int i = 0; i < frame.components; ++i) {
    const Size size = picture->sizes[i] = frame.size_of(i);
    picture->pixels[i].resize(bytes_of(size));
    for (int y = 0; y < size.height; ++y)
      std::memcpy(picture->pixels[i].data() + static_cast<std::ptrdiff_t>(y) * size.width,
                  planes.rows[i] + static_cast<std::ptrdiff_t>(y) * planes.steps[i],
                  static_cast<std::size_t>(size.width));
  }
  return NVJPEG_STATUS_SUCCESS;
}

// Three interleaved channels to three of their own.
void split(Size size, Picture *picture) {
  const std::vector<unsigned char> mixed = std::move(picture->pixels[0]);
  picture->channels = 3;
  for (int c = 0; c < 3; ++c) {
    picture->sizes[c] = size;
    picture->pixels[c].resize(bytes_of(size));
    for (std::size_t i = 0; i < picture->pixels[c].size(); ++i)
      picture->pixels[c][i] = mixed[3 * i + static_cast<std::size_t>(c)];
  }
}

nvjpegStatus_t take(int failed, unsigned char *made, unsigned long length, std::vector<unsigned char> *file) {
  if (failed == 0) file->assign(made, made + length);
  if (made != nullptr) turbo().free(made);
  return failed == 0 ? NVJPEG_STATUS_SUCCESS : NVJPEG_STATUS_EXECUTION_FAILED;
}

// Copies a plane into one that may be larger, whose last column and row go on.
void extend(const std::vector<unsigned char> &from, Size small, unsigned char *to, Size large) {
  for (int y = 0; y < large.height; ++y) {
    const unsigned char *const row =
        from.data() + static_cast<std::ptrdiff_t>(std::min(y, small.height - 1)) * small.width;
    unsigned char *const out = to + static_cast<std::ptrdiff_t>(y) * large.width;
    const int width = std::min(small.width, large.width);
    std::memcpy(out, row, static_cast<std::size_t>(width));
    std::fill(out + width, out + large.width, row[width - 1]);
  }
}

// Planes whose chroma has a sample for each pixel: its own repeated.
Picture with_all_chroma(const Picture &given, Size size) {
  Picture made;
  made.channels = given.channels;
  for (int i = 0; i < given.channels; ++i) {
    made.sizes[i] = size;
    made.pixels[i].resize(bytes_of(size));
    const Size from = given.sizes[i];
    const int across = (size.width + from.width - 1) / from.width, down = (size.height + from.height - 1) / from.height;
    unsigned char *to = made.pixels[i].data();
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x)
        *to++ = given.pixels[i][static_cast<std::size_t>(y / down) * static_cast<std::size_t>(from.width) +
                                static_cast<std::size_t>(x / across)];
  }
  return made;
}

}  // namespace

bool is_ready() { return turbo().is_there; }

nvjpegStatus_t decode(const unsigned char *data, std::size_t length, nvjpegOutputFormat_t format, Upsampling upsampling,
                      Picture *picture) {
  Frame frame;
  if (const auto status = parse(data, length, &frame); status != NVJPEG_STATUS_SUCCESS) return status;
  if (frame.marker > NVJPEG_ENCODING_PROGRESSIVE_DCT_HUFFMAN) return NVJPEG_STATUS_JPEG_NOT_SUPPORTED;
  if (format == NVJPEG_OUTPUT_UNCHANGED) return decode_yuv(data, length, frame, picture);
  if (frame.components == 2 || frame.components == 4) return NVJPEG_STATUS_INVALID_PARAMETER;
  if (format == NVJPEG_OUTPUT_YUV) return decode_yuv(data, length, frame, picture);
  if (frame.subsampling() == NVJPEG_CSS_UNKNOWN) {
    if (format != NVJPEG_OUTPUT_Y) return NVJPEG_STATUS_INVALID_PARAMETER;
    const auto status = decode_yuv(data, length, frame, picture);
    picture->channels = 1;
    return status;
  }
  const bool is_bgr = format == NVJPEG_OUTPUT_BGR || format == NVJPEG_OUTPUT_BGRI;
  const int pixels = format == NVJPEG_OUTPUT_Y ? kGray : is_bgr ? kBgr : kRgb;
  const auto status = decode_pixels(data, length, pixels, upsampling, frame, &picture->pixels[0]);
  if (status != NVJPEG_STATUS_SUCCESS) return status;
  picture->channels = 1;
  picture->sizes[0] = {frame.size.width * (pixels == kGray ? 1 : 3), frame.size.height};
  if (format == NVJPEG_OUTPUT_RGB) split(frame.size, picture);
  if (format == NVJPEG_OUTPUT_BGR) split(frame.size, picture);
  return status;
}

nvjpegStatus_t encode(const EncoderSettings &settings, const std::vector<unsigned char> &pixels, bool is_bgr, Size size,
                      std::vector<unsigned char> *file) {
  const int chroma = chroma_of(settings.subsampling);
  if (chroma < 0) return NVJPEG_STATUS_IMPLEMENTATION_NOT_SUPPORTED;
  const Session session(turbo().init_compress);
  if (session.state == nullptr) return NVJPEG_STATUS_ALLOCATOR_FAILURE;
  unsigned char *made = nullptr;
  unsigned long length = 0;
  const int flags = kAccurate | (settings.is_progressive ? kProgressive : 0);
  const int failed = turbo().compress(session.state, pixels.data(), size.width, 3 * size.width, size.height,
                                      is_bgr ? kBgr : kRgb, &made, &length, chroma, settings.quality, flags);
  return take(failed, made, length, file);
}

nvjpegStatus_t encode_planes(const EncoderSettings &settings, const Picture &given,
                             nvjpegChromaSubsampling_t subsampling, Size size, std::vector<unsigned char> *file) {
  const int chroma = chroma_of(subsampling);
  if (chroma < 0) return encode_planes(settings, with_all_chroma(given, size), NVJPEG_CSS_444, size, file);
  Planes planes(chroma, size);
  for (int i = 0; i < given.channels; ++i) extend(given.pixels[i], given.sizes[i], planes.rows[i], planes.sizes[i]);
  const unsigned char *rows[3] = {planes.rows[0], planes.rows[1], planes.rows[2]};
  if (settings.subsampling != subsampling && settings.subsampling != NVJPEG_CSS_GRAY) {
    const Session session(turbo().init_decompress);  // other chroma: by way of RGB
    if (session.state == nullptr) return NVJPEG_STATUS_ALLOCATOR_FAILURE;
    std::vector<unsigned char> pixels(3 * bytes_of(size));
    const int failed = turbo().decode_planes(session.state, rows, planes.steps, chroma, pixels.data(), size.width,
                                             3 * size.width, size.height, kRgb, kAccurate);
    return failed != 0 ? NVJPEG_STATUS_EXECUTION_FAILED : encode(settings, pixels, false, size, file);
  }
  const Session session(turbo().init_compress);
  if (session.state == nullptr) return NVJPEG_STATUS_ALLOCATOR_FAILURE;
  unsigned char *made = nullptr;
  unsigned long length = 0;
  const int flags = kAccurate | (settings.is_progressive ? kProgressive : 0);
  const int wanted = settings.subsampling == NVJPEG_CSS_GRAY ? kOnlyGray : chroma;
  const int failed = turbo().compress_planes(session.state, rows, size.width, planes.steps, size.height, wanted, &made,
                                             &length, settings.quality, flags);
  return take(failed, made, length, file);
}

}  // namespace warploom::nvjpeg
