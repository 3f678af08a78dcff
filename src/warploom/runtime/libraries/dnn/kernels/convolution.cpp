// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One tile of a product whose operands are gathered, and what becomes of its sums.
#include "gather.h"

namespace warploom::dnn::WARPLOOM_LEVEL {
namespace {

template <class T>
T bend(Curve curve, T coefficient, T x) {
  switch (curve) {
    case Curve::kRelu:
      return x < 0 ? T(0) : x;
    case Curve::kClipped:
      return x < 0 ? T(0) : x > coefficient ? coefficient : x;
    case Curve::kSigmoid:
      return static_cast<T>(1 / (1 + __builtin_exp(-static_cast<double>(x))));
    case Curve::kTanh:
      return static_cast<T>(__builtin_tanh(static_cast<double>(x)));
    case Curve::kElu:
      return x > 0 ? x : static_cast<T>(coefficient * static_cast<T>(__builtin_expm1(static_cast<double>(x))));
    case Curve::kSwish:
      return static_cast<T>(x / (1 + __builtin_exp(-static_cast<double>(coefficient * x))));
    case Curve::kNone:
      break;
  }
  return x;
}

// Numbers of a row of sums that lie a step apart in the result.
struct Piece {
  Size count, step, old_step;
};

template <class T, class S>
void finish_piece(const Sink &sink, const Piece &piece, Size to, Size old, T bias, T *sums) {
  S *const out = static_cast<S *>(sink.image.data) + to;
  if (sink.beta != 0) {
    const S *const before = static_cast<const S *>(sink.old) + old;
    const T beta = static_cast<T>(sink.beta);
    for (Size i = 0; i < piece.count; ++i) sums[i] += beta * widen(before[i * piece.old_step]);
  }
  if (bias != 0) {
    for (Size i = 0; i < piece.count; ++i) sums[i] += bias;
  }
  if (sink.curve == Curve::kRelu) {
    for (Size i = 0; i < piece.count; ++i) sums[i] = sums[i] < 0 ? T(0) : sums[i];
  } else if (sink.curve != Curve::kNone) {
    for (Size i = 0; i < piece.count; ++i) sums[i] = bend(sink.curve, static_cast<T>(sink.coefficient), sums[i]);
  }
  if (piece.step == 1) {
    for (Size i = 0; i < piece.count; ++i) narrow(sums[i], out[i]);
  } else {
    for (Size i = 0; i < piece.count; ++i) narrow(sums[i], out[i * piece.step]);
  }
}

template <class T>
T bias_at(const Sink &sink, Size channel) {
  switch (sink.bias_kind) {
    case Kind::kDouble:
      return static_cast<T>(static_cast<const double *>(sink.bias)[channel]);
    case Kind::kHalf:
      return widen(static_cast<const Half *>(sink.bias)[channel]);
    case Kind::kBfloat:
      return widen(static_cast<const Bfloat *>(sink.bias)[channel]);
    case Kind::kFloat:
      break;
  }
  return static_cast<T>(static_cast<const float *>(sink.bias)[channel]);
}

Size old_offset(const Sink &sink, const Run &run, Size pixel) {
  const Image &image = sink.image;
  const Size n = pixel / (image.grid.w * image.grid.h * image.grid.d);
  return n * sink.old_stride_n + run.d * sink.old_stride.d + run.h * sink.old_stride.h + run.w * sink.old_stride.w;
}

template <class T, class S>
void finish_as(const Sink &sink, Size row, Size column, Size count, T *sums) {
  const Image &image = sink.image;
  const T alpha = static_cast<T>(sink.alpha);
  if (sink.alpha != 1) {
    for (Size i = 0; i < count; ++i) sums[i] *= alpha;
  }
  if (sink.form == Sink::Form::kMatrix) {
    const Size at = row * image.stride_c + column;
    return finish_piece<T, S>(sink, {count, 1, 1}, at, at, 0, sums);
  }
  if (sink.form == Sink::Form::kPixelRows) {
    const Run run = run_at(image, row, 0, 1);
    const Size at = run.offset + column * image.stride_c;
    const Size old = old_offset(sink, run, row) + column * sink.old_stride_c;
    if (sink.bias == nullptr) {
      return finish_piece<T, S>(sink, {count, image.stride_c, sink.old_stride_c}, at, old, 0, sums);
    }
    for (Size i = 0; i < count; ++i) {
      finish_piece<T, S>(sink, {1, 1, 1}, at + i * image.stride_c, old + i * sink.old_stride_c,
                         bias_at<T>(sink, column + i), sums + i);
    }
    return;
  }
  const T bias = sink.bias != nullptr ? bias_at<T>(sink, row) : T(0);
  for (Size done = 0; done < count;) {
    const Run run = run_at(image, column + done, done, count - done);
    const Size old = old_offset(sink, run, column + done) + row * sink.old_stride_c;
    const Piece piece = {run.count, image.step.w * image.stride.w, image.step.w * sink.old_stride.w};
    finish_piece<T, S>(sink, piece, run.offset + row * image.stride_c, old, bias, sums + done);
    done += run.count;
  }
}

template <class T>
void finish(const Sink &sink, Size row, Size column, Size count, T *sums) {
  if constexpr (sizeof(T) == 8) {
    finish_as<T, double>(sink, row, column, count, sums);
  } else {
    switch (sink.image.kind) {
      case Kind::kHalf:
        return finish_as<T, Half>(sink, row, column, count, sums);
      case Kind::kBfloat:
        return finish_as<T, Bfloat>(sink, row, column, count, sums);
      default:
        return finish_as<T, float>(sink, row, column, count, sums);
    }
  }
}

Size pieces_of(Size size, Size most) { return (size + most - 1) / most; }

template <class T>
inline constexpr Size kLines = (kWidth<T> > kRows ? kWidth<T> : kRows) * (kTileDepth + kLanes<T>);
template <class T>
inline constexpr Size kArea =
    kTileRows * kTileColumns + (kTileRows + kTileColumns) * kTileDepth + kLines<T> + 4 * kWidth<T>;

// Where the sums of a panel of columns are: number (row, i) is to[row * step + i].
template <class T>
struct Place {
  T *to;
  Size step;
};

// The place of a panel's result, if nothing is left to be done with its sums and they lie side by side there.
template <class T>
bool find_result(const Sink &sink, Size row, Size column, Size count, Place<T> &place) {
  const Image &image = sink.image;
  const bool is_plain = sink.alpha == 1 && sink.beta == 0 && sink.bias == nullptr && sink.curve == Curve::kNone;
  if (!is_plain || sink.form != Sink::Form::kPixelColumns || bytes_of(image.kind) != sizeof(T)) return false;
  if (image.step.w != 1 || image.stride.w != 1 || count < kWidth<T>) return false;
  const Run run = run_at(image, column, 0, count);
  if (run.count < count) return false;
  place = {static_cast<T *>(image.data) + run.offset + row * image.stride_c, image.stride_c};
  return true;
}

template <class T>
void multiply(const Product &product, const Tile &tile, T *area) {
  constexpr int width = kWidth<T>;
  const Size step = pieces_of(tile.columns, width) * width;
  T *const sums = area, *const left = sums + kTileRows * kTileColumns;
  T *const right = left + kTileRows * kTileDepth + kWidth<T>;
  T *const lines = right + kTileColumns * kTileDepth + kWidth<T>;
  const int panels = static_cast<int>(pieces_of(tile.rows, kRows));
  const Size height = pieces_of(tile.rows, panels);
  const Size chunk = tile.depth > 0 ? pieces_of(tile.depth, pieces_of(tile.depth, kTileDepth)) : 1;
  if (tile.depth == 0) {
    for (Size i = 0; i < tile.rows * step; ++i) sums[i] = 0;
  }
  Place<T> places[kTileColumns / width];
  for (Size j = 0; j < tile.columns; j += width) {
    const Size count = tile.columns - j < width ? tile.columns - j : width;
    Place<T> &place = places[j / width];
    if (chunk == tile.depth && find_result(product.sink, tile.row, tile.column + j, count, place)) continue;
    place = {sums + j, step};
  }
  for (Size k = 0; k < tile.depth; k += chunk) {
    const Size depth = tile.depth - k < chunk ? tile.depth - k : chunk;
    for (Size i = 0; i < tile.rows; i += height) {
      const Size count = tile.rows - i < height ? tile.rows - i : height;
      pack(product.a, {tile.row + i, count, static_cast<int>(count), tile.first + k, depth}, left + i * depth, lines);
    }
    for (Size j = 0; j < tile.columns; j += width) {
      const Size count = tile.columns - j < width ? tile.columns - j : width;
      pack(product.b, {tile.column + j, count, width, tile.first + k, depth}, right + j * depth, lines);
    }
    for (Size j = 0; j < tile.columns; j += width) {
      const Place<T> &place = places[j / width];
      for (Size i = 0; i < tile.rows; i += height) {
        const Size count = tile.rows - i < height ? tile.rows - i : height;
        panel_kernel<T>(static_cast<int>(count))(depth, left + i * depth, right + j * depth, width,
                                                 place.to + i * place.step, place.step, k > 0);
      }
    }
  }
  for (Size j = 0, end = 0; j < tile.columns; j = end) {
    const auto is_done = [&](Size column) { return places[column / width].to != sums + column; };
    for (end = j + width; end < tile.columns && is_done(end) == is_done(j);) end += width;
    if (is_done(j)) continue;
    const Size count = (end < tile.columns ? end : tile.columns) - j;
    for (Size i = 0; i < tile.rows; ++i) {
      finish<T>(product.sink, tile.row + i, tile.column + j, count, sums + i * step + j);
    }
  }
}

}  // namespace

extern const ConvolutionKernels<float> kFloatProduct;
extern const ConvolutionKernels<double> kDoubleProduct;
const ConvolutionKernels<float> kFloatProduct = {kWidth<float>, multiply<float>, kArea<float>, finish<float>};
const ConvolutionKernels<double> kDoubleProduct = {kWidth<double>, multiply<double>, kArea<double>, finish<double>};

}  // namespace warploom::dnn::WARPLOOM_LEVEL
