// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spatial transformers (Jaderberg et al. 2015): a grid of places by an affine map, and images sampled there. Places are
// from -1, the centre of the first pixel, to 1, that of the last one; what is outside of the image is zero.
#include <cmath>
#include <vector>

#include "groups.h"

namespace warploom::dnn {
namespace {

const cudnnSpatialTransformerStruct &transformer_of(cudnnSpatialTransformerDescriptor_t descriptor) {
  const cudnnSpatialTransformerStruct &result = object_of(descriptor, "the transformer's descriptor");
  need(result.rank > 0, "the transformer's descriptor has not been set");
  return result;
}

// Packed numbers: the maps, two rows of three each, or the grid, two numbers for each pixel of each image.
Data packed(cudnnDataType_t type, const void *data, std::initializer_list<Size> dims, const char *what) {
  need(data != nullptr, std::string(what) + " is null");
  Data result;
  result.data = const_cast<void *>(data);
  result.kind = kind_of(type, what);
  result.layout.type = type;
  Size step = 1;
  result.layout.rank = static_cast<int>(dims.size());
  for (int i = result.layout.rank; i-- > 0; step *= result.layout.dims[i]) {
    result.layout.dims[i] = dims.begin()[i];
    result.layout.strides[i] = step;
  }
  return result;
}
Data maps_of(const cudnnSpatialTransformerStruct &by, const void *data) {
  return packed(by.type, data, {by.dims[0], 2, 3}, "theta");
}
Data grid_of(const cudnnSpatialTransformerStruct &by, const void *data) {
  return packed(by.type, data, {by.dims[0], by.dims[2], by.dims[3], 2}, "the grid");
}

// Of pixel `i` among `count`.
double place(Size i, Size count) {
  return count > 1 ? -1 + 2 * static_cast<double>(i) / static_cast<double>(count - 1) : 0;
}

std::vector<double> image_of(const Groups &groups, const Data &from, Size group) {
  std::vector<double> values(static_cast<std::size_t>(groups.size()));
  read_group(groups, from, group, values.data());
  return values;
}
// Writes alpha values + beta of what is there.
void blend(const Groups &groups, const Data &to, Size group, double alpha, double beta, std::vector<double> values) {
  const std::vector<double> old = beta != 0 ? image_of(groups, to, group) : std::vector<double>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = alpha * values[i] + (beta != 0 ? beta * old[i] : 0);
  write_group(groups, to, group, values.data());
}
Groups by_image(const Layout &layout) {
  return {layout, [](int axis) { return axis > 0; }};
}

// The four pixels around a place: their numbers (-1: outside), weights, and how the weights change with the place.
struct Corner {
  Size pixel;
  double weight, by_x, by_y;
};
struct Corners {
  Corners(double x, double y, Size height, Size width) {
    const double scale_x = static_cast<double>(width - 1) / 2, scale_y = static_cast<double>(height - 1) / 2;
    const double px = (x + 1) * scale_x, py = (y + 1) * scale_y, left = std::floor(px), top = std::floor(py);
    for (int i = 0; i < 4; ++i) {
      const int right = i % 2, down = i / 2;
      const double wx = right != 0 ? px - left : 1 - (px - left), wy = down != 0 ? py - top : 1 - (py - top);
      const double column = left + right, row = top + down;
      const bool inside =
          column >= 0 && column < static_cast<double>(width) && row >= 0 && row < static_cast<double>(height);
      each[i] = {inside ? static_cast<Size>(row) * width + static_cast<Size>(column) : -1, wx * wy,
                 (right != 0 ? wy : -wy) * scale_x, (down != 0 ? wx : -wx) * scale_y};
    }
  }
  Corner each[4];
};

void generate(const cudnnSpatialTransformerStruct &by, const Data &maps, const Data &grid) {
  const Groups from = by_image(maps.layout), to = by_image(grid.layout);
  to.tiles(4, [&](Size first, Size last) {
    for (Size n = first; n < last; ++n) {
      const std::vector<double> map = image_of(from, maps, n);
      std::vector<double> places;
      for (Size h = 0; h < by.dims[2]; ++h) {
        for (Size w = 0; w < by.dims[3]; ++w) {
          const double x = place(w, by.dims[3]), y = place(h, by.dims[2]);
          places.push_back(map[0] * x + map[1] * y + map[2]);
          places.push_back(map[3] * x + map[4] * y + map[5]);
        }
      }
      write_group(to, grid, n, places.data());
    }
  });
}
void generate_back(const cudnnSpatialTransformerStruct &by, const Data &grid_errors, const Data &map_errors) {
  const Groups from = by_image(grid_errors.layout), to = by_image(map_errors.layout);
  from.tiles(4, [&](Size first, Size last) {
    for (Size n = first; n < last; ++n) {
      const std::vector<double> errors = image_of(from, grid_errors, n);
      std::vector<double> sums(6);
      for (Size i = 0; i < by.dims[2] * by.dims[3]; ++i) {
        const double at[] = {place(i % by.dims[3], by.dims[3]), place(i / by.dims[3], by.dims[2]), 1};
        for (std::size_t j = 0; j < 6; ++j) sums[j] += errors[static_cast<std::size_t>(2 * i) + j / 3] * at[j % 3];
      }
      write_group(to, map_errors, n, sums.data());
    }
  });
}

struct Sampling {
  Data x, y, grid;  // y: or its gradient
  Groups images{by_image(x.layout)}, results{by_image(y.layout)}, grids{by_image(grid.layout)};

  Size pixels() const { return y.layout.dims[2] * y.layout.dims[3]; }
  // Calls each(channel, pixel of y, its number among all of the image, corners).
  template <class Each>
  void corners(const std::vector<double> &places, const Each &each) const {
    for (Size pixel = 0; pixel < pixels(); ++pixel) {
      const auto at = static_cast<std::size_t>(2 * pixel);
      each(pixel, Corners(places[at], places[at + 1], x.layout.dims[2], x.layout.dims[3]));
    }
  }
  Size channels() const { return x.layout.dims[1]; }
  Size image_size() const { return x.layout.dims[2] * x.layout.dims[3]; }
};

void sample(const Sampling &by, double alpha, double beta) {
  by.results.tiles(20, [&](Size first, Size last) {
    for (Size n = first; n < last; ++n) {
      const std::vector<double> image = image_of(by.images, by.x, n);
      std::vector<double> result(static_cast<std::size_t>(by.results.size()));
      by.corners(image_of(by.grids, by.grid, n), [&](Size pixel, const Corners &corners) {
        for (const Corner &corner : corners.each) {
          for (Size c = 0; corner.pixel >= 0 && c < by.channels(); ++c) {
            result[static_cast<std::size_t>(c * by.pixels() + pixel)] +=
                corner.weight * image[static_cast<std::size_t>(c * by.image_size() + corner.pixel)];
          }
        }
      });
      blend(by.results, by.y, n, alpha, beta, std::move(result));
    }
  });
}

struct Blend {
  Data to;
  double alpha, beta;
};
void sample_back(const Sampling &by, const Blend &image_errors, const Blend &grid_errors) {
  by.results.tiles(40, [&](Size first, Size last) {
    for (Size n = first; n < last; ++n) {
      const std::vector<double> image = image_of(by.images, by.x, n), errors = image_of(by.results, by.y, n);
      std::vector<double> to_image(image.size()), to_grid(static_cast<std::size_t>(by.grids.size()));
      by.corners(image_of(by.grids, by.grid, n), [&](Size pixel, const Corners &corners) {
        const auto place = static_cast<std::size_t>(2 * pixel);
        for (const Corner &corner : corners.each) {
          for (Size c = 0; corner.pixel >= 0 && c < by.channels(); ++c) {
            const double error = errors[static_cast<std::size_t>(c * by.pixels() + pixel)];
            const auto at = static_cast<std::size_t>(c * by.image_size() + corner.pixel);
            to_image[at] += corner.weight * error;
            to_grid[place] += corner.by_x * image[at] * error;
            to_grid[place + 1] += corner.by_y * image[at] * error;
          }
        }
      });
      blend(by.images, image_errors.to, n, image_errors.alpha, image_errors.beta, std::move(to_image));
      blend(by.grids, grid_errors.to, n, grid_errors.alpha, grid_errors.beta, std::move(to_grid));
    }
  });
}

void need_sampled(const cudnnSpatialTransformerStruct &by, const Data &x, const Data &y) {
  need(x.layout.rank == 4 && y.layout.rank == 4, "the tensors do not have four dimensions");
  bool fits = x.layout.dims[0] == by.dims[0] && x.layout.dims[1] == by.dims[1];
  for (int i = 0; i < 4; ++i) fits = fits && y.layout.dims[i] == by.dims[i];
  need(fits, "the tensors do not have the extents of the transformer");
}
double time_of(const cudnnSpatialTransformerStruct &by) {
  return 20 * static_cast<double>(by.dims[0] * by.dims[1] * by.dims[2] * by.dims[3]);
}

}  // namespace
}  // namespace warploom::dnn

using namespace warploom::dnn;

#pragma GCC visibility push(default)
extern "C" {

cudnnStatus_t cudnnCreateSpatialTransformerDescriptor(cudnnSpatialTransformerDescriptor_t *made) {
  return create(__func__, made);
}
cudnnStatus_t cudnnDestroySpatialTransformerDescriptor(cudnnSpatialTransformerDescriptor_t old) {
  return destroy(__func__, old);
}
cudnnStatus_t cudnnSetSpatialTransformerNdDescriptor(cudnnSpatialTransformerDescriptor_t descriptor,
                                                     cudnnSamplerType_t sampler, cudnnDataType_t type, int rank,
                                                     const int *dims) {
  return guarded(__func__, [&] {
    cudnnSpatialTransformerStruct &to = object_of(descriptor, "the descriptor");
    need(sampler == CUDNN_SAMPLER_BILINEAR, "there is no such sampler");
    need(dims != nullptr, "the array of extents is null");
    support(rank == 4, "other than four dimensions");
    kind_of(type, "the transformer's type");
    for (int i = 0; i < rank; ++i) need(dims[i] > 0, "an extent is not positive");
    to = {type, rank, {dims[0], dims[1], dims[2], dims[3]}};
  });
}

cudnnStatus_t cudnnSpatialTfGridGeneratorForward(cudnnHandle_t handle, cudnnSpatialTransformerDescriptor_t descriptor,
                                                 const void *theta, void *grid) {
  const char *const name = __func__;
  return guarded(name, [&] {
    const cudnnSpatialTransformerStruct by = transformer_of(descriptor);
    const Data maps = maps_of(by, theta), to = grid_of(by, grid);
    run(handle, name, time_of(by), [=] { generate(by, maps, to); });
  });
}
cudnnStatus_t cudnnSpatialTfGridGeneratorBackward(cudnnHandle_t handle, cudnnSpatialTransformerDescriptor_t descriptor,
                                                  const void *grid_errors, void *theta_errors) {
  const char *const name = __func__;
  return guarded(name, [&] {
    const cudnnSpatialTransformerStruct by = transformer_of(descriptor);
    const Data from = grid_of(by, grid_errors), to = maps_of(by, theta_errors);
    run(handle, name, time_of(by), [=] { generate_back(by, from, to); });
  });
}
cudnnStatus_t cudnnSpatialTfSamplerForward(cudnnHandle_t handle, cudnnSpatialTransformerDescriptor_t descriptor,
                                           const void *alpha, cudnnTensorDescriptor_t x_desc, const void *x,
                                           const void *grid, const void *beta, cudnnTensorDescriptor_t y_desc,
                                           void *y) {
  const char *const name = __func__;
  return guarded(name, [&] {
    const cudnnSpatialTransformerStruct by = transformer_of(descriptor);
    const Data from(x_desc, x, "x"), to(y_desc, y, "y");
    need_sampled(by, from, to);
    const Sampling sampling = {from, to, grid_of(by, grid)};
    const double scale = factor(alpha, to.kind, "alpha"), keep = factor(beta, to.kind, "beta");
    run(handle, name, time_of(by), [=] { sample(sampling, scale, keep); });
  });
}
cudnnStatus_t cudnnSpatialTfSamplerBackward(cudnnHandle_t handle, cudnnSpatialTransformerDescriptor_t descriptor,
                                            const void *alpha, cudnnTensorDescriptor_t x_desc, const void *x,
                                            const void *beta, cudnnTensorDescriptor_t dx_desc, void *dx,
                                            const void *grid_alpha, cudnnTensorDescriptor_t dy_desc, const void *dy,
                                            const void *grid, const void *grid_beta, void *grid_errors) {
  const char *const name = __func__;
  return guarded(name, [&] {
    const cudnnSpatialTransformerStruct by = transformer_of(descriptor);
    const Data from(x_desc, x, "x"), to(dx_desc, dx, "dx"), errors(dy_desc, dy, "dy");
    need_sampled(by, from, errors);
    need_alike(std::array{from, to});
    const Sampling sampling = {from, errors, grid_of(by, grid)};
    const Blend image = {to, factor(alpha, to.kind, "alpha"), factor(beta, to.kind, "beta")};
    const Blend places = {grid_of(by, grid_errors), factor(grid_alpha, to.kind, "the grid's alpha"),
                          factor(grid_beta, to.kind, "the grid's beta")};
    run(handle, name, 2 * time_of(by), [=] { sample_back(sampling, image, places); });
  });
}

}  // extern "C"
#pragma GCC visibility pop
