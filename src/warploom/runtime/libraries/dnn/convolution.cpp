// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolution.h"

#include <algorithm>

#include "../common/stream_work.h"
#include "../common/thread_area.h"

namespace warploom::dnn {
namespace {

using libraries::each_tile;

constexpr double kOperations = 80;  // of one processor in a nanosecond

Size pieces(Size size, Size most) { return (size + most - 1) / most; }
Size volume(const Triple &t) { return t.d * t.h * t.w; }

struct Packed;  // what a tile keeps of its operands

char *element(const void *data, Kind kind, Size offset) {
  return static_cast<char *>(const_cast<void *>(data)) + offset * bytes_of(kind);
}

// An image of one row if its pixels lie side by side and are taken one by one.
void flatten(Image &image) {
  const bool one_by_one = image.step.d == 1 && image.step.h == 1 && image.step.w == 1;
  const bool whole = image.grid.d == image.size.d && image.grid.h == image.size.h && image.grid.w == image.size.w;
  const bool packed = (image.size.h == 1 || image.stride.h == image.size.w * image.stride.w) &&
                      (image.size.d == 1 || image.stride.d == image.size.h * image.size.w * image.stride.w);
  if (!one_by_one || !whole || !packed) return;
  image.grid = image.size = {1, 1, volume(image.size)};
}
bool is_at_zero(const std::vector<Triple> &taps) {
  return taps.size() == 1 && taps[0].d == 0 && taps[0].h == 0 && taps[0].w == 0;
}

const Triple kHere = {0, 0, 0};

// The images of one group, as pixels of a grid.
Image image_of(const Images &images, const void *data, Size group, Size channels) {
  Image result = {};
  result.data = element(data, images.kind, group * channels * images.stride_c);
  result.kind = images.kind;
  result.stride_n = images.stride_n;
  result.stride_c = images.stride_c;
  result.stride = images.stride;
  result.size = result.grid = images.size;
  result.step = {1, 1, 1};
  result.taps = &kHere;
  result.tap_count = 1;
  result.channels = channels;
  result.channels_inner = false;
  return result;
}

void set_taps(Image &image, const std::vector<Triple> &taps, bool channels_inner) {
  image.taps = taps.data();
  image.tap_count = static_cast<Size>(taps.size());
  image.channels_inner = channels_inner;
}

// One step of the filter's elements, in their order.
template <class Each>
void each_tap(const Triple &size, const Each &each) {
  for (Size d = 0; d < size.d; ++d) {
    for (Size h = 0; h < size.h; ++h) {
      for (Size w = 0; w < size.w; ++w) each(Triple{d, h, w});
    }
  }
}
// By how much an element of the filter moves the image.
Triple move_of(const Convolution &shape, const Triple &at) {
  const Triple &size = shape.w.size;
  const Triple t = shape.flipped ? Triple{size.d - 1 - at.d, size.h - 1 - at.h, size.w - 1 - at.w} : at;
  return {t.d * shape.dilation.d - shape.pad.d, t.h * shape.dilation.h - shape.pad.h,
          t.w * shape.dilation.w - shape.pad.w};
}
Size tap_offset(const Images &w, const Triple &at) { return at.d * w.stride.d + at.h * w.stride.h + at.w * w.stride.w; }

std::vector<Triple> moves_of(const Convolution &shape) {
  std::vector<Triple> result;
  each_tap(shape.w.size, [&](const Triple &at) { result.push_back(move_of(shape, at)); });
  return result;
}

bool is_counted(const std::vector<Size> &offsets) {
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] != offsets[i - 1] + 1) return false;
  }
  return true;
}

// Offsets of channels (or filters), `step` apart, and taps.
std::vector<Size> offsets_of(Size channels, Size step, const std::vector<Size> &taps, bool channels_inner) {
  std::vector<Size> result;
  result.reserve(static_cast<std::size_t>(channels) * taps.size());
  if (channels_inner) {
    for (const Size tap : taps) {
      for (Size c = 0; c < channels; ++c) result.push_back(tap + c * step);
    }
  } else {
    for (Size c = 0; c < channels; ++c) {
      for (const Size tap : taps) result.push_back(tap + c * step);
    }
  }
  return result;
}

// Results whose channels lie side by side are made by rows of channels, others by rows of pixels.
bool by_channels(const Images &images) { return images.stride_c == 1 && images.c > 1; }

Sink sink_of(const Image &image, const Images &images, const Ending &ending, Size group) {
  Sink sink = {};
  sink.form = by_channels(images) ? Sink::Form::kPixelRows : Sink::Form::kPixelColumns;
  sink.image = image;
  sink.old = image.data;
  sink.old_stride_n = image.stride_n;
  sink.old_stride_c = image.stride_c;
  sink.old_stride = image.stride;
  if (ending.old != nullptr) {
    const Images &old = ending.old_images;
    sink.old = element(ending.old, old.kind, group * image.channels * old.stride_c);
    sink.old_stride_n = old.stride_n;
    sink.old_stride_c = old.stride_c;
    sink.old_stride = old.stride;
  } else {
    flatten(sink.image);
    sink.old_stride = sink.image.stride;
  }
  sink.alpha = ending.alpha;
  sink.beta = ending.beta;
  sink.curve = ending.curve;
  sink.coefficient = ending.coefficient;
  sink.bias_kind = ending.bias_kind;
  if (ending.bias != nullptr) sink.bias = element(ending.bias, ending.bias_kind, group * image.channels);
  return sink;
}

// Channels by pixels, or pixels by channels, as the sink wants it.
Product product_of(const Operand &weights, const Operand &pixels, Size channels, Size count, Size depth,
                   const Sink &sink) {
  if (sink.form == Sink::Form::kPixelRows) return {count, channels, depth, pixels, weights, sink};
  return {channels, count, depth, weights, pixels, sink};
}

// How a product is cut into tiles of its result, of equal size but for the last ones.
template <class T>
struct Cut {
  const Product &product;
  Size rows, columns, down, across;

  explicit Cut(const Product &p) : product(p) {
    const Size width = convolution_kernels<T>().width;
    down = pieces(p.rows, kTileRows);
    rows = pieces(p.rows, down);
    across = pieces(p.columns, kTileColumns);
    columns = pieces(pieces(p.columns, across), width) * width;
    across = pieces(p.columns, columns);
  }
  Tile tile(Size i) const {
    const Size row = i % down * rows, column = i / down * columns;
    return {row,          std::min(rows, product.rows - row), column, std::min(columns, product.columns - column), 0,
            product.depth};
  }
};

double time_of(const Product &p) {
  const double outputs = static_cast<double>(p.rows) * static_cast<double>(p.columns);
  return 2 * outputs * static_cast<double>(p.depth) / kOperations + outputs + 500;
}

template <class T>
void compute(const std::vector<Product> &products) {
  const ConvolutionKernels<T> &kernels = convolution_kernels<T>();
  std::vector<Cut<T>> cuts;
  std::vector<Size> starts = {0};
  double time = 0;
  for (const Product &product : products) {
    cuts.emplace_back(product);
    starts.push_back(starts.back() + cuts.back().down * cuts.back().across);
    time += time_of(product);
  }
  each_tile(static_cast<std::uint64_t>(starts.back()), time, [&](std::uint64_t i) {
    const auto number = static_cast<Size>(i);
    const auto which =
        static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), number) - starts.begin() - 1);
    kernels.multiply(products[which], cuts[which].tile(number - starts[which]),
                     thread_area<T, Packed>(static_cast<std::size_t>(kernels.area_size)));
  });
}

void compute(Kind kind, const std::vector<Product> &products) {
  return kind == Kind::kDouble ? compute<double>(products) : compute<float>(products);
}

Operand pixels_operand(const Image &image) { return {Operand::Form::kPixels, image, {}}; }
Operand taps_operand(const Image &image) { return {Operand::Form::kTaps, image, {}}; }

// The pixels of dx that have one remainder by the steps, of one dimension: which, and how many.
struct Phase {
  Size first, count;
};
Size count_from(Size first, Size size, Size step) { return first < size ? pieces(size - first, step) : 0; }

// The element of dy that a tap sees from pixel `first` of dx; false if it is between elements.
bool seen_from(Size first, Size move, Size step, Size &at) {
  const Size back = first - move;
  at = back >= 0 ? back / step : -((-back + step - 1) / step);
  return at * step == back;
}

// The product for all pixels of dx that are `first` + steps.
void add_phase(const Convolution &shape, const Triple &first, std::vector<Triple> &moves, std::vector<Size> &taps) {
  each_tap(shape.w.size, [&](const Triple &at) {
    const Triple move = move_of(shape, at);
    Triple seen = {};
    if (seen_from(first.d, move.d, shape.step.d, seen.d) && seen_from(first.h, move.h, shape.step.h, seen.h) &&
        seen_from(first.w, move.w, shape.step.w, seen.w)) {
      moves.push_back(seen);
      taps.push_back(tap_offset(shape.w, at));
    }
  });
}

}  // namespace

double Convolution::nanoseconds() const {
  const double outputs = static_cast<double>(y.n) * static_cast<double>(y.c) * static_cast<double>(volume(y.size));
  return outputs * (2 * static_cast<double>(w.c) * static_cast<double>(volume(w.size)) / kOperations + 1) + 1000;
}

void convolve(const Convolution &shape, const void *x, const void *w, void *y, const Ending &ending) {
  const std::vector<Triple> moves = moves_of(shape);
  const bool inner = by_channels(shape.x);
  std::vector<Size> taps;
  each_tap(shape.w.size, [&](const Triple &at) { taps.push_back(tap_offset(shape.w, at)); });
  const std::vector<Size> offsets = offsets_of(shape.w.c, shape.w.stride_c, taps, inner);
  const bool counted = is_counted(offsets);
  const Size filters = shape.w.n / shape.groups;
  std::vector<Product> products;
  for (Size group = 0; group < shape.groups; ++group) {
    Image image = image_of(shape.x, x, group, shape.w.c);
    set_taps(image, moves, inner);
    image.grid = shape.y.size;
    image.step = shape.step;
    if (is_at_zero(moves)) flatten(image);
    const void *const part = element(w, shape.w.kind, group * filters * shape.w.stride_n);
    const Operand weights = {
        Operand::Form::kMatrix, {}, {part, shape.w.kind, shape.w.stride_n, offsets.data(), counted}};
    const Sink sink = sink_of(image_of(shape.y, y, group, filters), shape.y, ending, group);
    products.push_back(product_of(weights, pixels_operand(image), filters, shape.y.n * volume(shape.y.size),
                                  static_cast<Size>(offsets.size()), sink));
  }
  compute(shape.y.kind, products);
}

void convolve_back_to_data(const Convolution &shape, const void *w, const void *dy, void *dx, const Ending &ending) {
  const Size filters = shape.w.n / shape.groups;
  const bool inner = by_channels(shape.y);
  struct Taps {
    std::vector<Triple> moves;
    std::vector<Size> offsets;
    Triple first, grid;
  };
  std::vector<Taps> phases;
  each_tap(shape.step, [&](const Triple &first) {
    const Triple grid = {count_from(first.d, shape.x.size.d, shape.step.d),
                         count_from(first.h, shape.x.size.h, shape.step.h),
                         count_from(first.w, shape.x.size.w, shape.step.w)};
    if (volume(grid) == 0) return;
    Taps phase = {{}, {}, first, grid};
    std::vector<Size> taps;
    add_phase(shape, first, phase.moves, taps);
    phase.offsets = offsets_of(filters, shape.w.stride_n, taps, inner);
    phases.push_back(std::move(phase));
  });
  std::vector<Product> products;
  for (const Taps &phase : phases) {
    for (Size group = 0; group < shape.groups; ++group) {
      Image image = image_of(shape.y, dy, group, filters);
      set_taps(image, phase.moves, inner);
      image.grid = phase.grid;
      if (is_at_zero(phase.moves)) flatten(image);
      const void *const part = element(w, shape.w.kind, group * filters * shape.w.stride_n);
      const Operand weights = {Operand::Form::kMatrix,
                               {},
                               {part, shape.w.kind, shape.w.stride_c, phase.offsets.data(), is_counted(phase.offsets)}};
      Image out = image_of(shape.x, dx, group, shape.w.c);
      const Triple &first = phase.first;
      const Size start = first.d * out.stride.d + first.h * out.stride.h + first.w * out.stride.w;
      out.data = element(out.data, out.kind, start);
      out.grid = phase.grid;
      out.step = shape.step;
      const Sink sink = sink_of(out, shape.x, ending, group);
      products.push_back(product_of(weights, pixels_operand(image), shape.w.c, shape.x.n * volume(phase.grid),
                                    static_cast<Size>(phase.offsets.size()), sink));
    }
  }
  compute(shape.x.kind, products);
}

namespace {

// dw for one group: a row for each filter, as the filter is stored.
struct FilterGradient {
  Product product;
  Size slices;  // of the sum over pixels, which are added in their order

  template <class T>
  void compute(T *sums) const {
    const ConvolutionKernels<T> &kernels = convolution_kernels<T>();
    const Cut<T> cut(product);
    const Size tiles = cut.down * cut.across, part = pieces(product.depth, slices),
               size = product.rows * product.columns;
    each_tile(static_cast<std::uint64_t>(tiles * slices), time_of(product), [&](std::uint64_t i) {
      const Size slice = static_cast<Size>(i) / tiles;
      Tile tile = cut.tile(static_cast<Size>(i) % tiles);
      tile.first = slice * part;
      tile.depth = std::max<Size>(0, std::min(part, product.depth - tile.first));
      Product piece = product;
      if (slices > 1) {
        piece.sink = {};
        piece.sink.form = Sink::Form::kMatrix;
        piece.sink.image.data = sums + slice * size;
        piece.sink.image.kind = sizeof(T) == 8 ? Kind::kDouble : Kind::kFloat;
        piece.sink.image.stride_c = product.columns;
        piece.sink.alpha = 1;
      }
      kernels.multiply(piece, tile, thread_area<T, Packed>(static_cast<std::size_t>(kernels.area_size)));
    });
    if (slices == 1) return;
    const auto rows = static_cast<std::uint64_t>(product.rows);
    each_tile(rows, static_cast<double>(size * slices) / 2, [&](std::uint64_t i) {
      const Size row = static_cast<Size>(i);
      T *const total = sums + row * product.columns;
      for (Size slice = 1; slice < slices; ++slice) {
        const T *const more = total + slice * size;
        for (Size j = 0; j < product.columns; ++j) total[j] += more[j];
      }
      kernels.finish(product.sink, row, 0, product.columns, total);
    });
  }
  void compute() const {
    const auto count = static_cast<std::size_t>(slices > 1 ? slices * product.rows * product.columns : 0);
    if (product.sink.image.kind == Kind::kDouble) {
      compute(std::unique_ptr<double[]>(new double[count]).get());
    } else {
      compute(std::unique_ptr<float[]>(new float[count]).get());
    }
  }
};

// Enough pieces of work for many threads, none of them small.
Size slices_of(Size rows, Size columns, Size depth) {
  const Size tiles = pieces(rows, kTileRows) * pieces(columns, kTileColumns);
  return std::max<Size>(1, std::min(pieces(64, tiles), depth / 4096));
}

}  // namespace

void convolve_back_to_filter(const Convolution &shape, const void *x, const void *dy, void *dw, const Ending &ending) {
  const std::vector<Triple> moves = moves_of(shape);
  const bool inner = shape.w.stride_c == 1 && volume(shape.w.size) > 1;
  const Size filters = shape.w.n / shape.groups, columns = shape.w.c * volume(shape.w.size);
  const Size depth = shape.y.n * volume(shape.y.size);
  for (Size group = 0; group < shape.groups; ++group) {
    Image image = image_of(shape.x, x, group, shape.w.c), errors = image_of(shape.y, dy, group, filters);
    set_taps(image, moves, inner);
    image.grid = shape.y.size;
    image.step = shape.step;
    if (is_at_zero(moves)) flatten(image);
    flatten(errors);
    Sink sink = {};
    sink.form = Sink::Form::kMatrix;
    sink.image.data = element(dw, shape.w.kind, group * filters * shape.w.stride_n);
    sink.image.kind = shape.w.kind;
    sink.image.stride_c = shape.w.stride_n;
    sink.old = sink.image.data;
    sink.alpha = ending.alpha;
    sink.beta = ending.beta;
    const Product product = {filters, columns, depth, taps_operand(errors), taps_operand(image), sink};
    FilterGradient{product, slices_of(filters, columns, depth)}.compute();
  }
}

}  // namespace warploom::dnn
