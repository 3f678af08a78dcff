// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace warploom {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();
// Half and bfloat have few digits: so much smaller a multiple of their unit.
constexpr double kShortUlps = 1.0 / 16;

struct Format {
  FloatKinds kind;
  std::size_t size;
  int digits;          // of the significand
  double least, most;  // magnitudes that numbers of this kind usually have, in programs
};
constexpr Format kFormats[] = {
    {kDouble, 8, 53, 1e-200, 1e200},
    {kFloat, 4, 24, 1e-35, 1e35},
    {kHalf, 2, 11, 6.2e-5, 65504},
    {kBfloat, 2, 8, 1e-35, 1e35},
};

double half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 1023;
  const double magnitude = exponent == 0    ? std::ldexp(fraction, -24)
                           : exponent == 31 ? (fraction == 0 ? kNone : std::nan(""))
                                            : std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -magnitude : magnitude;
}

double read(const Format &format, const char *bytes) {
  if (format.kind == kDouble) {
    double value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  if (format.kind == kFloat) {
    float value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  std::uint16_t bits;
  std::memcpy(&bits, bytes, sizeof bits);
  return format.kind == kHalf ? half_value(bits) : std::bit_cast<float>(std::uint32_t{bits} << 16);
}

// Zero, NaN and infinity are numbers of any kind.
bool is_usual(const Format &format, double value) {
  const double magnitude = std::fabs(value);
  return !std::isfinite(value) || magnitude == 0 || (magnitude >= format.least && magnitude <= format.most);
}

bool are_numbers(const Format &format, const char *one, const char *other) {
  const double a = read(format, one), b = read(format, other);
  if (std::isnan(a) != std::isnan(b) || std::isinf(a) != std::isinf(b)) return false;
  return is_usual(format, a) && is_usual(format, b) && (a != 0 || b != 0);
}

// The distance over the larger one; of two NaN or zeros: none.
double relative_distance(double a, double b) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  const double larger = std::max(std::fabs(a), std::fabs(b));
  if (larger == 0 || a == b) return 0;
  return std::isfinite(larger) ? std::fabs(a - b) / larger : kNone;
}

// Takes the bytes for a number of this format where it makes them close.
bool close_as(const Format &format, const char *one, const char *other, const Closeness &closeness, double &relative) {
  if ((closeness.kinds & format.kind) == 0) return false;
  const double a = read(format, one), b = read(format, other);
  const bool both_zero = a == 0 && b == 0;
  if (!both_zero && !are_numbers(format, one, other)) return false;
  relative = relative_distance(a, b);
  const double ulps = format.size == 2 ? std::max(closeness.ulps * kShortUlps, 1.0) : closeness.ulps;
  return relative <= std::ldexp(ulps, 1 - format.digits);
}

class Walk {
 public:
  Walk(const char *one, const char *other, std::size_t size, const Closeness &closeness)
      : one_(one), other_(other), size_(size), closeness_(closeness) {}

  std::vector<Difference> run() {
    for (std::size_t at = 0; at < size_; at += 8) {
      const std::size_t count = std::min<std::size_t>(8, size_ - at);
      if (std::memcmp(one_ + at, other_ + at, count) != 0) take_eight(at, count);
    }
    return std::move(found_);
  }

 private:
  void take_eight(std::size_t at, std::size_t count) {
    if (count == 8 && (take_close(kFormats[0], at) || is_double(at))) return;
    for (std::size_t word = at; word < at + count; word += 4) {
      const std::size_t bytes = std::min<std::size_t>(4, at + count - word);
      if (std::memcmp(one_ + word, other_ + word, bytes) != 0) take_four(word, bytes);
    }
  }

  void take_four(std::size_t at, std::size_t count) {
    if (count == 4 && take_close(kFormats[1], at)) return;
    if (count % 2 == 0 && (closeness_.kinds & (kHalf | kBfloat)) != 0 && !is_float(at, count)) {
      for (std::size_t half = at; half < at + count; half += 2)
        if (std::memcmp(one_ + half, other_ + half, 2) != 0 && !take_close(kFormats[2], half) &&
            !take_close(kFormats[3], half))
          found_.push_back({half, 2});
      return;
    }
    found_.push_back({at, static_cast<std::uint8_t>(count)});
  }

  // A double, and not two floats.
  bool is_double(std::size_t at) {
    if ((closeness_.kinds & kDouble) == 0 || (closeness_.kinds & kFloat) != 0) return false;
    if (!are_numbers(kFormats[0], one_ + at, other_ + at)) return false;
    found_.push_back({at, 8});
    return true;
  }

  bool is_float(std::size_t at, std::size_t count) const {
    return count == 4 && (closeness_.kinds & kFloat) != 0 && are_numbers(kFormats[1], one_ + at, other_ + at);
  }

  bool take_close(const Format &format, std::size_t at) {
    double relative = 0;
    if (!close_as(format, one_ + at, other_ + at, closeness_, relative)) return false;
    found_.push_back({at, static_cast<std::uint8_t>(format.size), true, relative});
    return true;
  }

  const char *one_, *other_;
  std::size_t size_;
  const Closeness &closeness_;
  std::vector<Difference> found_;
};

std::string formatted(const char *format, double value) {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

std::vector<Difference> differences(const char *one, const char *other, std::size_t size, const Closeness &closeness) {
  return Walk(one, other, size, closeness).run();
}

bool are_floats(const char *one, const char *other, std::size_t size, std::uint32_t kinds) {
  return std::ranges::any_of(kFormats, [&](const Format &format) {
    return format.size == size && (kinds & format.kind) != 0 && are_numbers(format, one, other);
  });
}

double distance(const char *one, const char *other, std::size_t size, std::uint32_t kinds) {
  for (const Format &format : kFormats) {
    if (format.size != size || (kinds & format.kind) == 0) continue;
    const double a = read(format, one), b = read(format, other);
    if (std::isfinite(a) && std::isfinite(b)) return std::fabs(a - b);
    return std::memcmp(one, other, size) == 0 ? 0 : kNone;
  }
  return kNone;
}

std::string describe_value(const char *bytes, std::size_t size, std::uint32_t kinds) {
  std::string floats;
  for (const Format &format : kFormats) {
    if (format.size != size || (kinds & format.kind) == 0) continue;
    const char *const text = format.kind == kDouble ? "%.17g" : format.kind == kFloat ? "%.9g" : "%.5g";
    floats += (floats.empty() ? "" : " or ") + formatted(text, read(format, bytes));
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes, size);  // little-endian, as all our processors
  const std::int64_t whole = size == 8 ? static_cast<std::int64_t>(bits)
                                       : static_cast<std::int64_t>(bits << (64 - 8 * size)) >> (64 - 8 * size);
  char hexadecimal[24];
  std::snprintf(hexadecimal, sizeof hexadecimal, "0x%0*llx", static_cast<int>(2 * size),
                static_cast<unsigned long long>(bits));
  const std::string integer = std::to_string(whole);
  if (floats.empty()) return integer + " (" + hexadecimal + ')';
  return floats + " (int " + integer + ", " + hexadecimal + ')';
}

}  // namespace warploom
