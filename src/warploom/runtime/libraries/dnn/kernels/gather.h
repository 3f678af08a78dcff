// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Panels of operands, gathered from tensors: panel[k * width + i]. Numbers behind a panel, up to a vector, may be
// written over: panels are filled in the order of their addresses.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "../../common/micro_kernel.h"
#include "../../common/small_numbers.h"
#include "../kernels.h"

namespace warploom::dnn::WARPLOOM_LEVEL {

using namespace warploom::product::WARPLOOM_LEVEL;

struct Half {
  std::uint16_t bits;
};
struct Bfloat {
  std::uint16_t bits;
};
WARPLOOM_INLINE float widen(float value) { return value; }
WARPLOOM_INLINE double widen(double value) { return value; }
WARPLOOM_INLINE float widen(Half value) { return libraries::WARPLOOM_LEVEL::widen_half(value.bits); }
WARPLOOM_INLINE float widen(Bfloat value) {
  return libraries::WARPLOOM_LEVEL::float_of(std::uint32_t{value.bits} << 16);
}
WARPLOOM_INLINE void narrow(float value, float &to) { to = value; }
WARPLOOM_INLINE void narrow(double value, double &to) { to = value; }
WARPLOOM_INLINE void narrow(float value, Half &to) { to.bits = libraries::WARPLOOM_LEVEL::narrow_half(value); }
WARPLOOM_INLINE void narrow(float value, Bfloat &to) { to.bits = libraries::WARPLOOM_LEVEL::narrow_bfloat(value); }

#if defined(__AVX512F__)
// Lanes `begin` to `end` of a vector; 0 <= begin <= end <= 16.
WARPLOOM_INLINE __mmask16 lanes_between(Size begin, Size end) {
  return static_cast<__mmask16>(((1U << end) - 1) & ~((1U << begin) - 1));
}
WARPLOOM_INLINE Size clamp_lane(Size lane) { return lane < 0 ? 0 : lane > 16 ? 16 : lane; }
#endif

// to[i] = from[i * step] for begin <= i < end, zero for the other i below `count`.
template <class T, class S>
WARPLOOM_INLINE void copy_run(T *to, const S *from, Size step, Size begin, Size end, Size count) {
#if defined(__AVX512F__)
  if constexpr (sizeof(S) == 4) {
    if (step == 1) {
      for (Size i = 0; i < count; i += 16) {
        const __mmask16 mask = lanes_between(clamp_lane(begin - i), clamp_lane(end - i));
        _mm512_storeu_ps(to + i, _mm512_maskz_loadu_ps(mask, from + i));
      }
      return;
    }
    if (step == 2) {
      const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
      for (Size i = 0; i < count; i += 16) {
        const unsigned lanes = lanes_between(clamp_lane(begin - i), clamp_lane(end - i));
        const unsigned spread = _pdep_u32(lanes, 0x55555555U);
        const __m512 low = _mm512_maskz_loadu_ps(static_cast<__mmask16>(spread), from + 2 * i);
        const __m512 high = _mm512_maskz_loadu_ps(static_cast<__mmask16>(spread >> 16), from + 2 * i + 16);
        _mm512_storeu_ps(to + i, _mm512_permutex2var_ps(low, even, high));
      }
      return;
    }
  }
#endif
  for (Size i = 0; i < begin; ++i) to[i] = 0;
  if (step == 1) {
    for (Size i = begin; i < end; ++i) to[i] = widen(from[i]);
  } else {
    for (Size i = begin; i < end; ++i) to[i] = widen(from[i * step]);
  }
  for (Size i = end; i < count; ++i) to[i] = 0;
}

// Pixels side by side in one row of the grid.
struct Run {
  Size offset;        // of the first one's element at channel and tap zero, from the image's data
  Size d, h, w;       // where that is in the image
  Size begin, count;  // which pixels of the panel these are
};

inline Run run_at(const Image &image, Size pixel, Size begin, Size most) {
  const Size w = pixel % image.grid.w, rest = pixel / image.grid.w;
  const Size h = rest % image.grid.h, above = rest / image.grid.h;
  const Size d = above % image.grid.d, n = above / image.grid.d;
  const Size left = image.grid.w - w;
  Run run = {0, d * image.step.d, h * image.step.h, w * image.step.w, begin, left < most ? left : most};
  run.offset = n * image.stride_n + run.d * image.stride.d + run.h * image.stride.h + run.w * image.stride.w;
  return run;
}

// The runs of pixels [first, first + count), at most kTileDepth.
inline int runs_of(const Image &image, Size first, Size count, Run *runs) {
  int found = 0;
  for (Size done = 0; done < count; done += runs[found++].count) {
    runs[found] = run_at(image, first + done, done, count - done);
  }
  return found;
}

WARPLOOM_INLINE bool is_inside(Size at, Size size) { return at >= 0 && at < size; }
WARPLOOM_INLINE Size offset_of(const Image &image, const Triple &tap) {
  return tap.d * image.stride.d + tap.h * image.stride.h + tap.w * image.stride.w;
}

// Which pixels of a run are inside of the image at a tap.
struct Inside {
  Size begin, end;
};
inline Inside inside_of(const Image &image, const Run &run, const Triple &tap) {
  if (!is_inside(run.d + tap.d, image.size.d) || !is_inside(run.h + tap.h, image.size.h)) return {0, 0};
  const Size left = run.w + tap.w, step = image.step.w;
  Size begin = left >= 0 ? 0 : (-left + step - 1) / step;
  Size end = left < image.size.w ? (image.size.w - left + step - 1) / step : 0;
  if (begin > run.count) begin = run.count;
  if (end > run.count) end = run.count;
  return {begin, end < begin ? begin : end};
}

// One channel and tap of the pixels of some runs.
template <class T, class S>
WARPLOOM_INLINE void gather_pixels(const Image &image, const Run *runs, int count, Size channel, const Triple &tap,
                                   T *to) {
  const S *const data = static_cast<const S *>(image.data) + channel * image.stride_c + offset_of(image, tap);
  for (int i = 0; i < count; ++i) {
    const Run &run = runs[i];
    const Inside inside = inside_of(image, run, tap);
    copy_run<T, S>(to + run.begin, data + run.offset, image.step.w * image.stride.w, inside.begin, inside.end,
                   run.count);
  }
}

// Channels [channel, channel + count) of one pixel at one tap.
template <class T, class S>
WARPLOOM_INLINE void gather_channels(const Image &image, const Run &pixel, Size channel, const Triple &tap, Size count,
                                     T *to) {
  const bool inside = is_inside(pixel.d + tap.d, image.size.d) && is_inside(pixel.h + tap.h, image.size.h) &&
                      is_inside(pixel.w + tap.w, image.size.w);
  const S *const data = static_cast<const S *>(image.data) + pixel.offset + channel * image.stride_c;
  copy_run<T, S>(to, data + offset_of(image, tap), image.stride_c, 0, inside ? count : 0, count);
}

// Channel and tap of number `k`, and those after it.
struct Walk {
  const Image &image;
  Size channel, tap;

  Walk(const Image &image_, Size k) : image(image_) {
    channel = image.channels_inner ? k % image.channels : k / image.tap_count;
    tap = image.channels_inner ? k / image.channels : k % image.tap_count;
  }
  const Triple &where() const { return image.taps[tap]; }
  void next() {
    if (!image.channels_inner) {
      if (++tap == image.tap_count) tap = 0, ++channel;
    } else if (++channel == image.channels) {
      channel = 0, ++tap;
    }
  }
  // How many of the next `most` numbers have this tap and channels side by side.
  Size together(Size most) const {
    if (!image.channels_inner) return image.tap_count == 1 ? most : 1;
    return image.channels - channel < most ? image.channels - channel : most;
  }
  void skip(Size count) {
    channel += count - 1;
    next();
  }
};

// All channels and taps [first, first + count) of one pixel.
template <class T, class S>
void gather_line(const Image &image, const Run &pixel, Size first, Size count, T *to) {
  Walk walk(image, first);
  for (Size k = 0; k < count;) {
    const Size together = walk.together(count - k);
    gather_channels<T, S>(image, pixel, walk.channel, walk.where(), together, to + k);
    walk.skip(together);
    k += together;
  }
}

// Pixels of a panel, at most.
template <class T>
inline constexpr int kPixels = kWidth<T> > kRows ? kWidth<T> : kRows;

struct Part {         // of an operand: which panel
  Size first, count;  // indices
  int width;
  Size k, depth;
};
inline bool by_channels(const Image &image) { return image.stride_c == 1 && image.stride.w != 1; }

template <class T>
WARPLOOM_INLINE void clear_rest(const Part &part, T *row) {
  for (Size i = part.count; i < part.width; ++i) row[i] = 0;
}

// Pixels of a channel that soon follows: each channel is a short piece of its own, which processors do not foresee.
// With several taps the first of a channel brings what the others need.
template <class S>
WARPLOOM_INLINE void prefetch_pixels(const Image &image, const Run &first, Size channel, Size count) {
  constexpr Size kAhead = 16, kLine = 64 / sizeof(S);
  const S *const from = static_cast<const S *>(image.data) + first.offset + (channel + kAhead) * image.stride_c;
  const Size span = count * image.step.w * image.stride.w;
  for (Size i = 0; i < span; i += kLine) __builtin_prefetch(from + i);
}

// Copies the pixels of a panel at one tap, from any channel: what is inside is found once for all channels.
template <class T, class S>
class PixelCopy {
 public:
  PixelCopy(const Image &image, const Run *runs, int count, const Triple &tap)
      : runs_(runs), count_(count), step_(image.step.w * image.stride.w), offset_(offset_of(image, tap)) {
    for (int i = 0; i < count; ++i) inside_[i] = inside_of(image, runs[i], tap);
  }
  void operator()(const S *channel, T *to) const {
    for (int i = 0; i < count_; ++i) {
      const Run &run = runs_[i];
      const S *const from = channel + offset_ + run.offset;
      copy_run<T, S>(to + run.begin, from, step_, inside_[i].begin, inside_[i].end, run.count);
    }
  }

 private:
  const Run *runs_;
  int count_;
  Size step_, offset_;
  Inside inside_[kPixels<T>];
};

#if defined(__AVX512F__)
// Floats by vectors under masks; a store leaves alone what is behind its run.
template <>
class PixelCopy<float, float> {
 public:
  PixelCopy(const Image &image, const Run *runs, int count, const Triple &tap)
      : step_(image.step.w * image.stride.w), offset_(offset_of(image, tap)) {
    for (int i = 0; i < count; ++i) add(runs[i], inside_of(image, runs[i], tap));
  }
  void operator()(const float *channel, float *to) const {
    const float *const from = channel + offset_;
    if (step_ == 1) {
      for (int i = 0; i < count_; ++i) {
        const Piece &piece = pieces_[i];
        const __m512 pixels = _mm512_maskz_loadu_ps(piece.inside, from + piece.from);
        _mm512_mask_storeu_ps(to + piece.to, piece.there, pixels);
      }
    } else if (step_ == 2) {
      const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
      for (int i = 0; i < count_; ++i) {
        const Piece &piece = pieces_[i];
        const unsigned spread = _pdep_u32(piece.inside, 0x55555555U);
        const __m512 low = _mm512_maskz_loadu_ps(static_cast<__mmask16>(spread), from + piece.from);
        const __m512 high = _mm512_maskz_loadu_ps(static_cast<__mmask16>(spread >> 16), from + piece.from + 16);
        _mm512_mask_storeu_ps(to + piece.to, piece.there, _mm512_permutex2var_ps(low, even, high));
      }
    } else {
      for (int i = 0; i < count_; ++i) {
        const Piece &piece = pieces_[i];
        for (Size j = 0; j < 16 && (piece.there >> j & 1) != 0; ++j) {
          to[piece.to + j] = (piece.inside >> j & 1) != 0 ? from[piece.from + j * step_] : 0;
        }
      }
    }
  }

 private:
  struct Piece {  // of a run, at most a vector
    Size to, from;
    __mmask16 there, inside;
  };
  void add(const Run &run, const Inside &inside) {
    for (Size i = 0; i < run.count; i += 16) {
      const __mmask16 there = lanes_between(0, clamp_lane(run.count - i));
      const __mmask16 in = lanes_between(clamp_lane(inside.begin - i), clamp_lane(inside.end - i));
      pieces_[count_++] = {run.begin + i, run.offset + i * step_, there, in};
    }
  }
  Size step_, offset_;
  int count_ = 0;
  Piece pieces_[kPixels<float>];
};
#endif

// Index: pixel; sum: channels and taps. Tap by tap, each for all channels that are wanted.
template <class T, class S>
void pack_pixels(const Image &image, const Part &part, T *panel, T *lines) {
  if (by_channels(image)) {
    const Size step = part.depth + kLanes<T>;
    for (Size i = 0; i < part.count; ++i) {
      gather_line<T, S>(image, run_at(image, part.first + i, 0, 1), part.k, part.depth, lines + i * step);
    }
    return transpose_rows(lines, step, static_cast<int>(part.count), part.depth, part.width, panel);
  }
  Run runs[kPixels<T>];
  const int count = runs_of(image, part.first, part.count, runs);
  const Size channel_step = image.channels_inner ? 1 : image.tap_count;
  const Size tap_step = image.channels_inner ? image.channels : 1;
  const auto channels_below = [&](Size k) { return k <= 0 ? 0 : (k + channel_step - 1) / channel_step; };
  for (Size tap = 0; tap < image.tap_count; ++tap) {
    const Size begin = part.k - tap * tap_step;  // number k = begin + i of this tap is row i of the panel
    const Size first = channels_below(begin), all = channels_below(begin + part.depth);
    const Size last = all < image.channels ? all : image.channels;
    if (first >= last) continue;
    const PixelCopy<T, S> copy(image, runs, count, image.taps[tap]);
    const S *from = static_cast<const S *>(image.data) + first * image.stride_c;
    T *to = panel + (first * channel_step - begin) * part.width;
    for (Size channel = first; channel < last; ++channel) {
      if (image.tap_count == 1) prefetch_pixels<S>(image, runs[0], channel, part.count);
      copy(from, to);
      from += image.stride_c, to += channel_step * part.width;
    }
  }
  for (Size k = 0; part.count < part.width && k < part.depth; ++k) clear_rest(part, panel + k * part.width);
}

// Whether the pixels of each run lie side by side, are inside, and have one tap.
inline bool lie_in_lines(const Image &image, const Run *runs, int count) {
  if (image.tap_count != 1 || image.step.w != 1 || image.stride.w != 1) return false;
  const Triple &tap = image.taps[0];
  if (tap.d != 0 || tap.h != 0 || tap.w != 0) return false;
  for (int i = 0; i < count; ++i) {
    const Inside inside = inside_of(image, runs[i], tap);
    if (inside.begin != 0 || inside.end != runs[i].count) return false;
  }
  return true;
}

// Index: channels and taps; sum: pixels.
template <class T, class S>
void pack_taps(const Image &image, const Part &part, T *panel, T *lines) {
  Run runs[kTileDepth];
  if (by_channels(image)) {
    for (Size k = 0; k < part.depth; ++k, panel += part.width) {
      gather_line<T, S>(image, run_at(image, part.k + k, 0, 1), part.first, part.count, panel);
      clear_rest(part, panel);
    }
    return;
  }
  const int count = runs_of(image, part.k, part.depth, runs);
  if constexpr (sizeof(T) == sizeof(S)) {
    if (lie_in_lines(image, runs, count)) {
      const T *const from = static_cast<const T *>(image.data) + part.first * image.stride_c;
      for (int i = 0; i < count; ++i) {
        transpose_rows(from + runs[i].offset, image.stride_c, static_cast<int>(part.count), runs[i].count, part.width,
                       panel + runs[i].begin * part.width);
      }
      return;
    }
  }
  const Size step = part.depth + kLanes<T>;
  Walk walk(image, part.first);
  for (Size i = 0; i < part.count; ++i, walk.next()) {
    gather_pixels<T, S>(image, runs, count, walk.channel, walk.where(), lines + i * step);
  }
  transpose_rows(lines, step, static_cast<int>(part.count), part.depth, part.width, panel);
}

template <class T, class S>
void pack_matrix(const Matrix &matrix, const Part &part, T *panel, T *lines) {
  const S *const data = static_cast<const S *>(matrix.data) + part.first * matrix.step;
  const Size *const offsets = matrix.offsets + part.k;
  if (matrix.step == 1) {
    for (Size k = 0; k < part.depth; ++k, panel += part.width) {
      copy_run<T, S>(panel, data + offsets[k], 1, 0, part.count, part.count);
      clear_rest(part, panel);
    }
    return;
  }
  const int count = static_cast<int>(part.count);
  if constexpr (sizeof(T) == sizeof(S)) {
    if (matrix.contiguous) {
      return transpose_rows(data + offsets[0], matrix.step, count, part.depth, part.width, panel);
    }
  }
  const Size step = part.depth + kLanes<T>;
  for (Size i = 0; i < part.count; ++i) {
    const S *const row = data + i * matrix.step;
    for (Size k = 0; k < part.depth; ++k) lines[i * step + k] = widen(row[offsets[k]]);
  }
  transpose_rows(lines, step, count, part.depth, part.width, panel);
}

template <class T, class S>
void pack_as(const Operand &operand, const Part &part, T *panel, T *lines) {
  switch (operand.form) {
    case Operand::Form::kPixels:
      return pack_pixels<T, S>(operand.image, part, panel, lines);
    case Operand::Form::kTaps:
      return pack_taps<T, S>(operand.image, part, panel, lines);
    case Operand::Form::kMatrix:
      return pack_matrix<T, S>(operand.matrix, part, panel, lines);
  }
}

template <class T>
void pack(const Operand &operand, const Part &part, T *panel, T *lines) {
  const Kind kind = operand.form == Operand::Form::kMatrix ? operand.matrix.kind : operand.image.kind;
  if constexpr (sizeof(T) == 8) {
    pack_as<T, double>(operand, part, panel, lines);
  } else {
    switch (kind) {
      case Kind::kHalf:
        return pack_as<T, Half>(operand, part, panel, lines);
      case Kind::kBfloat:
        return pack_as<T, Bfloat>(operand, part, panel, lines);
      default:
        return pack_as<T, float>(operand, part, panel, lines);
    }
  }
}

}  // namespace warploom::dnn::WARPLOOM_LEVEL
