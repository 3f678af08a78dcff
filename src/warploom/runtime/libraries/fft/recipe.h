// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a plan of cuFFT does: a transform, and how the user's values become those that it works on. A recipe does not
// change once it is made; work that is under way shares it.
#pragma once

#include <cufftXt.h>

#include <memory>
#include <optional>

#include "engine.h"

namespace warploom::fft {

// The type of one side's values.
enum class Element : std::uint8_t { kHalf, kBfloat16, kFloat, kDouble };

struct Request {
  Shape shape;                   // with strides and distances as they are when input and output are apart
  bool has_basic_layout = true;  // values lie side by side; in place, rows of real data have room for the complex ones
  Element in = Element::kFloat, out = Element::kFloat;
};

struct Callback {
  void *routine = nullptr;  // a device function
  void *info = nullptr;
};

class Recipe {
 public:
  explicit Recipe(const Request &request);
  // The same with other callbacks.
  Recipe(const Recipe &recipe, Callback load, Callback store);

  const Request &request() const { return request_; }
  const Callback &load() const { return load_; }
  const Callback &store() const { return store_; }
  bool is_double() const { return request_.in == Element::kDouble; }
  // On one processor.
  double nanoseconds() const;

  void run(void *in, void *out, bool inverse) const;

 private:
  bool is_staged() const;
  Shape shape_for(bool in_place) const;
  template <class T>
  void run_staged(void *in, void *out, bool inverse) const;

  Request request_;
  Callback load_, store_;
  std::shared_ptr<const Transform> apart_, in_place_;  // null: `apart_` does for both
  std::shared_ptr<const Transform> packed_;            // between buffers of ours; null: no value needs converting
};

// Values side by side, for one transform after another.
Shape packed(const Shape &shape);

}  // namespace warploom::fft
