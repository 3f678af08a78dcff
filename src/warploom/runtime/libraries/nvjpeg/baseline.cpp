// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A decoder of baseline files (T.81, annexes A, B, C and F) into one plane a component, for what libturbojpeg has no
// planes of: two or four components, and factors of sampling beside JPEG's usual ones.
//
// Where the coded data ends or breaks, the rest of the picture keeps the last block's mean of its component.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "picture.h"

namespace warploom::nvjpeg {
namespace {

constexpr int kSide = 8, kArea = 64, kMost = 32767;
constexpr int kScanHeader = 0xda, kTables = 0xdb, kCodes = 0xc4, kRestarts = 0xdd, kEnd = 0xd9;

// The position of each coefficient in the order of coding: T.81, figure A.6.
std::array<int, kArea> zigzag() {
  std::array<int, kArea> order{};
  int at = 0;
  for (int sum = 0; sum < 2 * kSide - 1; ++sum)
    for (int i = 0; i <= sum; ++i) {
      const int row = sum % 2 == 0 ? sum - i : i, column = sum - row;
      if (row < kSide && column < kSide) order[static_cast<std::size_t>(at++)] = row * kSide + column;
    }
  return order;
}

// Codes of one table, by length: annex C.
struct Codes {
  int first[18]{};  // the first code of each length; none of 17 bits
  int count[18]{};
  int start[18]{};  // where the symbols of that length begin
  std::vector<unsigned char> symbols;
};

// The bits of a scan: stuffed zeros are skipped, behind a marker there are only zeros.
class Bits {
 public:
  Bits(const unsigned char *data, std::size_t length) : data(data), length(length) {}
  int next() {
    if (have == 0) fill();
    return byte >> --have & 1;
  }
  int next(int count) {
    int value = 0;
    for (int i = 0; i < count; ++i) value = value << 1 | next();
    return value;
  }
  int symbol(const Codes &codes) {
    int code = 0;
    for (int size = 1; size <= 16; ++size) {
      code = code << 1 | next();
      const int i = code - codes.first[size];
      if (i >= 0 && i < codes.count[size]) return codes.symbols[static_cast<std::size_t>(codes.start[size] + i)];
    }
    is_over = true;
    return 0;
  }
  // A number of `size` bits whose first bit is its sign: table F.1.
  int number(int size) {
    if (size == 0) return 0;
    const int value = next(size);
    return value >> (size - 1) != 0 ? value : value - (1 << size) + 1;
  }
  // Goes behind the next marker if that is one of restart.
  void restart() {
    have = 0;
    while (at + 1 < length && !(data[at] == 0xff && data[at + 1] != 0 && data[at + 1] != 0xff)) ++at;
    if (at + 1 < length && data[at + 1] >= 0xd0 && data[at + 1] <= 0xd7) at += 2, is_over = false;
  }
  std::size_t position() const { return at; }
  bool is_over = false;  // nothing more is coded here

 private:
  void fill() {
    have = 8, byte = 0;
    is_over = is_over || at >= length || (data[at] == 0xff && (at + 1 >= length || data[at + 1] != 0));
    if (is_over) return;
    byte = data[at];
    at += byte == 0xff ? 2 : 1;
  }
  const unsigned char *data;
  std::size_t length, at = 0;
  int byte = 0, have = 0;
};

unsigned char limited(double value) {
  return static_cast<unsigned char>(std::clamp(std::lrint(value + 128), 0L, 255L));
}

// The samples of a block, of its coefficients: A.3.3, columns and then rows.
void transform(const int *coefficients, unsigned char *to, std::size_t step) {
  static const auto basis = [] {
    std::array<std::array<double, kSide>, kSide> made{};  // [x][u]
    for (std::size_t x = 0; x < kSide; ++x)
      for (std::size_t u = 0; u < kSide; ++u)
        made[x][u] = (u == 0 ? std::sqrt(.125) : .5) *
                     std::cos((2. * static_cast<double>(x) + 1) * static_cast<double>(u) * std::acos(-1.) / 16);
    return made;
  }();
  double columns[kSide][kSide];
  for (std::size_t y = 0; y < kSide; ++y)
    for (std::size_t u = 0; u < kSide; ++u) {
      columns[y][u] = 0;
      for (std::size_t v = 0; v < kSide; ++v) columns[y][u] += basis[y][v] * coefficients[v * kSide + u];
    }
  for (std::size_t y = 0; y < kSide; ++y)
    for (std::size_t x = 0; x < kSide; ++x) {
      double value = 0;
      for (std::size_t u = 0; u < kSide; ++u) value += basis[x][u] * columns[y][u];
      to[y * step + x] = limited(value);
    }
}

struct Component {
  int id = 0, table = 0, dc = 0, ac = 0, last = 0;
  Size factors{}, blocks{};  // blocks: in memory, whole units of all components
  std::vector<unsigned char> memory;
};

class Decoder {
 public:
  Decoder(const unsigned char *data, std::size_t length, const Frame &frame) : data(data), length(length) {
    most = {1, 1};
    for (int i = 0; i < frame.components; ++i)
      most = {std::max(most.width, frame.factors[i].width), std::max(most.height, frame.factors[i].height)};
    across = (frame.size.width + kSide * most.width - 1) / (kSide * most.width);
    down = (frame.size.height + kSide * most.height - 1) / (kSide * most.height);
    size = frame.size;
    components.resize(static_cast<std::size_t>(frame.components));
    for (int i = 0; i < frame.components; ++i) {
      Component &component = components[static_cast<std::size_t>(i)];
      component.factors = frame.factors[i], component.id = frame.ids[i], component.table = frame.tables[i];
      component.blocks = {across * component.factors.width, down * component.factors.height};
      component.memory.assign(
          static_cast<std::size_t>(component.blocks.width) * static_cast<std::size_t>(component.blocks.height) * kArea,
          128);
    }
  }

  nvjpegStatus_t run() {
    std::size_t at = 2;
    while (at + 4 <= length) {
      if (data[at] != 0xff) return NVJPEG_STATUS_BAD_JPEG;
      const int marker = data[at + 1];
      if (marker == kEnd) break;
      if (marker == 0xff || (marker >= 0xd0 && marker <= 0xd8) || marker == 0x01) {
        at += marker == 0xff ? 1 : 2;
        continue;
      }
      const std::size_t bytes = word(at + 2);
      if (bytes < 2 || at + 2 + bytes > length) break;
      const unsigned char *const from = data + at + 4, *const end = data + at + 2 + bytes;
      at += 2 + bytes;
      bool is_good = true;
      if (marker == kTables) is_good = read_tables(from, end);
      if (marker == kCodes) is_good = read_codes(from, end);
      if (marker == kRestarts) is_good = end - from >= 2, interval = is_good ? from[0] << 8 | from[1] : 0;
      if (marker == kScanHeader) {
        is_good = read_scan(from, end);
        if (is_good) at += scan(at);
      }
      if (!is_good) return NVJPEG_STATUS_BAD_JPEG;
    }
    return has_pixels ? NVJPEG_STATUS_SUCCESS : NVJPEG_STATUS_INCOMPLETE_BITSTREAM;
  }

  std::vector<Component> components;

 private:
  std::size_t word(std::size_t at) const { return static_cast<std::size_t>(data[at]) << 8 | data[at + 1]; }

  bool read_tables(const unsigned char *from, const unsigned char *end) {
    while (from < end) {
      const int wide = *from >> 4, which = *from & 15;
      ++from;
      if (wide > 1 || which > 3 || end - from < kArea * (1 + wide)) return false;
      for (int i = 0; i < kArea; ++i, from += 1 + wide) quantizers[which][i] = wide ? from[0] << 8 | from[1] : from[0];
    }
    return true;
  }

  bool read_codes(const unsigned char *from, const unsigned char *end) {
    while (end - from >= 17) {
      const int kind = *from >> 4, which = *from & 15;
      if (kind > 1 || which > 3) return false;
      Codes made;
      int code = 0, total = 0;
      for (int bits = 1; bits <= 16; ++bits) {
        made.first[bits] = code, made.count[bits] = from[bits], made.start[bits] = total;
        total += from[bits];
        code = (code + from[bits]) << 1;
      }
      from += 17;
      if (end - from < total) return false;
      made.symbols.assign(from, from + total);
      from += total;
      codes[kind][which] = std::move(made);
    }
    return from == end;
  }

  bool read_scan(const unsigned char *from, const unsigned char *end) {
    if (from >= end) return false;
    const int count = *from++;
    if (count < 1 || count > static_cast<int>(components.size()) || end - from < 2 * count + 3) return false;
    scanned.clear();
    for (int i = 0; i < count; ++i, from += 2) {
      const auto found = std::find_if(components.begin(), components.end(), [&](auto &c) { return c.id == from[0]; });
      if (found == components.end() || from[1] >> 4 > 3 || (from[1] & 15) > 3 || found->table > 3) return false;
      found->dc = from[1] >> 4, found->ac = from[1] & 15;
      scanned.push_back(&*found);
    }
    return true;
  }

  // Reads a scan's blocks; the bytes that it took.
  std::size_t scan(std::size_t at) {
    has_pixels = has_pixels || at < length;
    Bits bits(data + at, length - at);
    // A scan of one component has its own blocks only, one a unit: A.2.2.
    const bool is_single = scanned.size() == 1;
    const Component &one = *scanned.front();
    const auto whole = [](int pixels, int factor, int all) {
      return ((pixels * factor + all - 1) / all + kSide - 1) / kSide;
    };
    const Size units = is_single ? Size{whole(size.width, one.factors.width, most.width),
                                        whole(size.height, one.factors.height, most.height)}
                                 : Size{across, down};
    for (Component *component : scanned) component->last = 0;
    int until_restart = interval;
    for (int y = 0; y < units.height; ++y)
      for (int x = 0; x < units.width; ++x) {
        if (interval > 0 && until_restart-- == 0) {
          bits.restart();
          until_restart = interval - 1;
          for (Component *component : scanned) component->last = 0;
        }
        for (Component *component : scanned) {
          const Size each = is_single ? Size{1, 1} : component->factors;
          for (int j = 0; j < each.height; ++j)
            for (int i = 0; i < each.width; ++i) block(bits, *component, x * each.width + i, y * each.height + j);
        }
      }
    std::size_t end = at + bits.position();
    while (end + 1 < length && !(data[end] == 0xff && data[end + 1] != 0 && data[end + 1] != 0xff)) ++end;
    return end - at;
  }

  void block(Bits &bits, Component &component, int x, int y) {
    static const auto order = zigzag();
    const int *const quantizer = quantizers[component.table];
    int coefficients[kArea]{};
    if (!bits.is_over) {
      const int difference = bits.number(std::min(bits.symbol(codes[0][component.dc]), 15));
      component.last = std::clamp(component.last + difference, -kMost, kMost);
      for (int i = 1; i < kArea && !bits.is_over; ++i) {
        const int symbol = bits.symbol(codes[1][component.ac]), bits_of = symbol & 15;
        if (bits_of == 0 && symbol != 0xf0) break;  // the block's end; else 16 zeros
        i += symbol >> 4;
        const int value = bits.number(bits_of);
        if (i < kArea && bits_of != 0) coefficients[order[static_cast<std::size_t>(i)]] = value * quantizer[i];
      }
    }
    coefficients[0] = component.last * quantizer[0];
    const auto step = static_cast<std::size_t>(component.blocks.width) * kSide;
    transform(
        coefficients,
        component.memory.data() + static_cast<std::size_t>(y) * kSide * step + static_cast<std::size_t>(x) * kSide,
        step);
  }

  const unsigned char *data;
  std::size_t length;
  Size size{}, most{};
  int across = 0, down = 0, interval = 0;
  bool has_pixels = false;
  int quantizers[4][kArea]{};
  Codes codes[2][4];  // of DC and AC coefficients
  std::vector<Component *> scanned;
};

}  // namespace

nvjpegStatus_t decode_baseline(const unsigned char *data, std::size_t length, const Frame &frame, Picture *picture) {
  if (frame.marker > NVJPEG_ENCODING_EXTENDED_SEQUENTIAL_DCT_HUFFMAN || frame.bits != kSide)
    return NVJPEG_STATUS_JPEG_NOT_SUPPORTED;
  Decoder decoder(data, length, frame);
  if (const auto status = decoder.run(); status != NVJPEG_STATUS_SUCCESS) return status;
  picture->channels = frame.components;
  for (int i = 0; i < frame.components; ++i) {
    const Component &component = decoder.components[static_cast<std::size_t>(i)];
    const Size size = picture->sizes[i] = frame.size_of(i);
    const auto width = static_cast<std::size_t>(size.width),
               step = static_cast<std::size_t>(component.blocks.width) * kSide;
    picture->pixels[i].resize(width * static_cast<std::size_t>(size.height));
    for (std::size_t y = 0; y < static_cast<std::size_t>(size.height); ++y)
      std::memcpy(picture->pixels[i].data() + y * width, component.memory.data() + y * step, width);
  }
  return NVJPEG_STATUS_SUCCESS;
}

}  // namespace warploom::nvjpeg
