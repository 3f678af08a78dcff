// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "../common/stream_work.h"

namespace warploom::fft {

namespace {

constexpr double kMostTiles = 128;      // of one step of a transform
constexpr double kShortestTile = 4000;  // nanoseconds as cost_of counts them, a few times what they are

double cost_of(const Shape &shape) {
  double points = static_cast<double>(shape.batch), logs = 1;
  for (int axis = 0; axis < shape.rank; ++axis) {
    points *= static_cast<double>(shape.length[axis]);
    logs += std::log2(static_cast<double>(shape.length[axis]));
  }
  return points * logs * 0.25;
}

std::shared_ptr<const Transform> plan_for(const Shape &shape, bool is_double) {
  return is_double ? plan<double>(shape) : plan<float>(shape);
}

std::array<std::int64_t, 3> side_lengths(const Shape &shape, bool is_real) {
  std::array<std::int64_t, 3> lengths = shape.length;
  if (!is_real && shape.kind != Kind::kComplex) lengths[shape.rank - 1] = lengths[shape.rank - 1] / 2 + 1;
  return lengths;
}

// Calls each(offset in the layout, position among packed values) for all values of a side.
template <class Each>
void for_values(const Shape &shape, const Layout &layout, bool is_real, Each each) {
  const auto lengths = side_lengths(shape, is_real);
  std::int64_t position = 0;
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    for (std::int64_t i = 0; i < lengths[0]; ++i) {
      for (std::int64_t j = 0; j < lengths[1]; ++j) {
        for (std::int64_t k = 0; k < lengths[2]; ++k, ++position) {
          each(b * layout.distance + i * layout.stride[0] + j * layout.stride[1] + k * layout.stride[2], position);
        }
      }
    }
  }
}

std::int64_t values_of(const Shape &shape, bool is_real) {
  const auto lengths = side_lengths(shape, is_real);
  return shape.batch * lengths[0] * lengths[1] * lengths[2];
}

template <class T>
T read(const void *from, std::int64_t index, Element element) {
  if (element == Element::kHalf) return static_cast<T>(static_cast<const _Float16 *>(from)[index]);
  if (element == Element::kBfloat16) {
    const std::uint32_t bits = std::uint32_t{static_cast<const std::uint16_t *>(from)[index]} << 16;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return static_cast<T>(value);
  }
  return static_cast<const T *>(from)[index];
}

template <class T>
void write(void *to, std::int64_t index, Element element, T value) {
  if (element == Element::kHalf) {
    static_cast<_Float16 *>(to)[index] = static_cast<_Float16>(value);
  } else if (element == Element::kBfloat16) {
    const float single = static_cast<float>(value);
    std::uint32_t bits;
    std::memcpy(&bits, &single, sizeof bits);
    const bool is_nan = single != single;
    bits = is_nan ? 0x7fff0000 : bits + 0x7fff + (bits >> 16 & 1);  // to the nearest, ties to even
    static_cast<std::uint16_t *>(to)[index] = static_cast<std::uint16_t>(bits >> 16);
  } else {
    static_cast<T *>(to)[index] = value;
  }
}

template <class T>
void load_values(const Request &request, bool is_real, const Callback &callback, void *in, T *to) {
  using Complex = std::conditional_t<sizeof(T) == 8, cufftDoubleComplex, cufftComplex>;
  const Shape &shape = request.shape;
  for_values(shape, shape.in, is_real, [&](std::int64_t offset, std::int64_t position) {
    const auto at = static_cast<std::size_t>(offset);
    if (is_real && callback.routine != nullptr) {
      to[position] = reinterpret_cast<T (*)(void *, std::size_t, void *, void *)>(callback.routine)(
          in, at, callback.info, nullptr);
    } else if (is_real) {
      to[position] = read<T>(in, offset, request.in);
    } else if (callback.routine != nullptr) {
      const auto z = reinterpret_cast<Complex (*)(void *, std::size_t, void *, void *)>(callback.routine)(
          in, at, callback.info, nullptr);
      to[2 * position] = z.x, to[2 * position + 1] = z.y;
    } else {
      to[2 * position] = read<T>(in, 2 * offset, request.in);
      to[2 * position + 1] = read<T>(in, 2 * offset + 1, request.in);
    }
  });
}

template <class T>
void store_values(const Request &request, bool is_real, const Callback &callback, void *out, const T *from) {
  using Complex = std::conditional_t<sizeof(T) == 8, cufftDoubleComplex, cufftComplex>;
  const Shape &shape = request.shape;
  for_values(shape, shape.out, is_real, [&](std::int64_t offset, std::int64_t position) {
    const auto at = static_cast<std::size_t>(offset);
    if (is_real && callback.routine != nullptr) {
      reinterpret_cast<void (*)(void *, std::size_t, T, void *, void *)>(callback.routine)(out, at, from[position],
                                                                                           callback.info, nullptr);
    } else if (is_real) {
      write<T>(out, offset, request.out, from[position]);
    } else if (callback.routine != nullptr) {
      const Complex z = {from[2 * position], from[2 * position + 1]};
      reinterpret_cast<void (*)(void *, std::size_t, Complex, void *, void *)>(callback.routine)(
          out, at, z, callback.info, nullptr);
    } else {
      write<T>(out, 2 * offset, request.out, from[2 * position]);
      write<T>(out, 2 * offset + 1, request.out, from[2 * position + 1]);
    }
  });
}

void pack_side(const Shape &shape, bool is_real, Layout &layout) {
  const auto lengths = side_lengths(shape, is_real);
  std::int64_t step = 1;
  for (int axis = shape.rank - 1; axis >= 0; --axis) {
    layout.stride[axis] = step;
    step *= lengths[axis];
  }
  layout.distance = step;
}

}  // namespace

Shape packed(const Shape &shape) {
  Shape result = shape;
  pack_side(shape, shape.kind == Kind::kRealToComplex, result.in);
  pack_side(shape, shape.kind == Kind::kComplexToReal, result.out);
  return result;
}

bool Recipe::is_staged() const {
  const auto is_short = [](Element element) { return element == Element::kHalf || element == Element::kBfloat16; };
  return is_short(request_.in) || is_short(request_.out) || load_.routine != nullptr || store_.routine != nullptr;
}

// Rows of real data that are transformed in place have the room of the complex ones.
Shape Recipe::shape_for(bool in_place) const {
  Shape shape = request_.shape;
  if (!in_place || !request_.has_basic_layout || shape.kind == Kind::kComplex) return shape;
  Layout &real = shape.kind == Kind::kRealToComplex ? shape.in : shape.out;
  const Layout &complex = shape.kind == Kind::kRealToComplex ? shape.out : shape.in;
  for (int axis = 0; axis < shape.rank - 1; ++axis) real.stride[axis] = 2 * complex.stride[axis];
  real.distance = 2 * complex.distance;
  return shape;
}

Recipe::Recipe(const Request &request) : request_(request) {
  if (is_staged()) {
    packed_ = plan_for(packed(request.shape), is_double());
    return;
  }
  apart_ = plan_for(request.shape, is_double());
  const bool differs = request.has_basic_layout && request.shape.kind != Kind::kComplex;
  if (differs) in_place_ = plan_for(shape_for(true), is_double());
}

Recipe::Recipe(const Recipe &recipe, Callback load, Callback store) : Recipe(recipe) {
  load_ = load;
  store_ = store;
  if (is_staged() && !packed_) packed_ = plan_for(packed(request_.shape), is_double());
}

double Recipe::nanoseconds() const { return cost_of(request_.shape) * (is_staged() ? 4 : 1); }

namespace {

// Tiles that take long enough to be worth a call, a lease of memory and a share of their own.
Spread spread_over_team(double nanoseconds) {
  return [nanoseconds](std::int64_t count, const Body &body) {
    const auto worth = static_cast<std::uint64_t>(std::clamp(nanoseconds / kShortestTile, 1.0, kMostTiles));
    const auto tiles = std::min(static_cast<std::uint64_t>(count), worth);
    libraries::each_tile(tiles, nanoseconds, [&](std::uint64_t tile) {
      const auto n = static_cast<std::uint64_t>(count);
      body(static_cast<std::int64_t>(n * tile / tiles), static_cast<std::int64_t>(n * (tile + 1) / tiles));
    });
  };
}

}  // namespace

void Recipe::run(void *in, void *out, bool inverse) const {
  if (is_staged()) return is_double() ? run_staged<double>(in, out, inverse) : run_staged<float>(in, out, inverse);
  const Transform &transform = in == out && in_place_ ? *in_place_ : *apart_;
  transform.run(in, out, inverse, spread_over_team(cost_of(request_.shape)));
}

template <class T>
void Recipe::run_staged(void *in, void *out, bool inverse) const {
  Request request = request_;
  request.shape = shape_for(in == out);
  const bool in_real = request.shape.kind == Kind::kRealToComplex,
             out_real = request.shape.kind == Kind::kComplexToReal;
  std::vector<T> from(values_of(request.shape, in_real) * (in_real ? 1 : 2));
  std::vector<T> to(values_of(request.shape, out_real) * (out_real ? 1 : 2));
  load_values(request, in_real, load_, in, from.data());
  packed_->run(from.data(), to.data(), inverse, spread_over_team(cost_of(request_.shape)));
  store_values(request, out_real, store_, out, to.data());
}

}  // namespace warploom::fft
