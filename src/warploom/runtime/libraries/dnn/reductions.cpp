// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums and their like over some dimensions of a tensor, and the gradient of a bias.
#include <cmath>
#include <limits>

#include "groups.h"

namespace warploom::dnn {
namespace {

// A running result over numbers in their order; in double, which is exact enough for all types.
struct Reduction {
  cudnnReduceTensorOp_t operation;
  bool keeps_nan;
  double value = 0;
  Size place = 0;
  bool is_empty = true;

  Reduction(cudnnReduceTensorOp_t operation_, bool keeps_nan_) : operation(operation_), keeps_nan(keeps_nan_) {
    if (operation == CUDNN_REDUCE_TENSOR_MUL || operation == CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS) value = 1;
  }
  void take(double x, Size at) {
    switch (operation) {
      case CUDNN_REDUCE_TENSOR_MUL:
        value *= x;
        return;
      case CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS:
        if (x != 0) value *= x;
        return;
      case CUDNN_REDUCE_TENSOR_NORM1:
        value += std::fabs(x);
        return;
      case CUDNN_REDUCE_TENSOR_NORM2:
        value += x * x;
        return;
      case CUDNN_REDUCE_TENSOR_MIN:
        return choose(x, at, x < value);
      case CUDNN_REDUCE_TENSOR_MAX:
        return choose(x, at, x > value);
      case CUDNN_REDUCE_TENSOR_AMAX:
        return choose(std::fabs(x), at, std::fabs(x) > value);
      case CUDNN_REDUCE_TENSOR_ADD:
      case CUDNN_REDUCE_TENSOR_AVG:
        value += x;
        return;
    }
  }
  double result(Size count) const {
    if (operation == CUDNN_REDUCE_TENSOR_AVG) return value / static_cast<double>(count);
    return operation == CUDNN_REDUCE_TENSOR_NORM2 ? std::sqrt(value) : value;
  }

 private:
  // The first of equal numbers stays.
  void choose(double x, Size at, bool is_better) {
    const bool fresh = is_empty || (x != x ? keeps_nan && value == value : value != value ? !keeps_nan : is_better);
    if (!fresh) return;
    value = x;
    place = at;
    is_empty = false;
  }
};

bool has_place(cudnnReduceTensorOp_t operation) {
  return operation == CUDNN_REDUCE_TENSOR_MIN || operation == CUDNN_REDUCE_TENSOR_MAX ||
         operation == CUDNN_REDUCE_TENSOR_AMAX;
}

struct Job {
  cudnnReduceTensorOp_t operation;
  bool keeps_nan;
  Data from, to;
  double alpha, beta;
  std::uint32_t *indices;  // null: not wanted
};

void reduce(const Job &job) {
  const Layout &to = job.to.layout;
  const Groups groups(job.from.layout, [&](int axis) { return to.dims[axis] == 1; });
  groups.tiles(2, [&](Size first, Size last) {
    double line[kLine];
    for (Size group = first; group < last; ++group) {
      Reduction reduction(job.operation, job.keeps_nan);
      groups.lines(job.from.layout, group, [&](Size number, Size offset, Size step, Size count) {
        line_kernels<double>().read(job.from.kind, job.from.at(offset), step, count, line);
        for (Size i = 0; i < count; ++i) reduction.take(line[i], number + i);
      });
      const Size at = groups.start(to, group);
      const double old = job.beta != 0 ? job.beta * read_number(job.to, at) : 0;
      write_number(job.to, at, job.alpha * reduction.result(groups.size()) + old);
      if (job.indices != nullptr) job.indices[group] = static_cast<std::uint32_t>(reduction.place);
    }
  });
}

void need_reducible(const Layout &from, const Layout &to) {
  need(from.rank == to.rank, "a and c have different numbers of dimensions");
  for (int i = 0; i < from.rank; ++i) {
    need(to.dims[i] == from.dims[i] || to.dims[i] == 1, "an extent of c is neither 1 nor that of a");
  }
}

}  // namespace
}  // namespace warploom::dnn

using namespace warploom::dnn;

#pragma GCC visibility push(default)
extern "C" {

cudnnStatus_t cudnnCreateReduceTensorDescriptor(cudnnReduceTensorDescriptor_t *made) { return create(__func__, made); }
cudnnStatus_t cudnnDestroyReduceTensorDescriptor(cudnnReduceTensorDescriptor_t old) { return destroy(__func__, old); }
cudnnStatus_t cudnnSetReduceTensorDescriptor(cudnnReduceTensorDescriptor_t descriptor, cudnnReduceTensorOp_t operation,
                                             cudnnDataType_t compute, cudnnNanPropagation_t nan,
                                             cudnnReduceTensorIndices_t indices, cudnnIndicesType_t index_type) {
  return guarded(__func__, [&] {
    need(operation >= CUDNN_REDUCE_TENSOR_ADD && operation <= CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS,
         "there is no such operation");
    kind_of(compute, "the computation");
    need(nan == CUDNN_NOT_PROPAGATE_NAN || nan == CUDNN_PROPAGATE_NAN, "there is no such way to treat NaN");
    need(index_type >= CUDNN_32BIT_INDICES && index_type <= CUDNN_8BIT_INDICES, "there is no such type of indices");
    object_of(descriptor, "the descriptor") = {operation, compute, nan, indices, index_type};
  });
}
cudnnStatus_t cudnnGetReduceTensorDescriptor(cudnnReduceTensorDescriptor_t descriptor, cudnnReduceTensorOp_t *operation,
                                             cudnnDataType_t *compute, cudnnNanPropagation_t *nan,
                                             cudnnReduceTensorIndices_t *indices, cudnnIndicesType_t *index_type) {
  return guarded(__func__, [&] {
    const cudnnReduceTensorStruct &from = object_of(descriptor, "the descriptor");
    if (operation != nullptr) *operation = from.operation;
    if (compute != nullptr) *compute = from.compute;
    if (nan != nullptr) *nan = from.nan;
    if (indices != nullptr) *indices = from.indices;
    if (index_type != nullptr) *index_type = from.index_type;
  });
}
cudnnStatus_t cudnnGetReductionIndicesSize(cudnnHandle_t handle, cudnnReduceTensorDescriptor_t descriptor,
                                           cudnnTensorDescriptor_t a_desc, cudnnTensorDescriptor_t c_desc,
                                           size_t *size) {
  return guarded(__func__, [&] {
    object_of(handle, "the handle");
    need(size != nullptr, "the pointer to the size is null");
    const cudnnReduceTensorStruct &from = object_of(descriptor, "the reduction's descriptor");
    const Layout &to = layout_of(c_desc, "c's descriptor");
    need_reducible(layout_of(a_desc, "a's descriptor"), to);
    const bool wanted = from.indices == CUDNN_REDUCE_TENSOR_FLATTENED_INDICES && has_place(from.operation);
    *size = wanted ? static_cast<size_t>(to.count()) * sizeof(std::uint32_t) : 0;
  });
}
cudnnStatus_t cudnnGetReductionWorkspaceSize(cudnnHandle_t handle, cudnnReduceTensorDescriptor_t descriptor,
                                             cudnnTensorDescriptor_t a_desc, cudnnTensorDescriptor_t c_desc,
                                             size_t *size) {
  return guarded(__func__, [&] {
    object_of(handle, "the handle");
    object_of(descriptor, "the reduction's descriptor");
    need(size != nullptr, "the pointer to the size is null");
    need_reducible(layout_of(a_desc, "a's descriptor"), layout_of(c_desc, "c's descriptor"));
    *size = 0;
  });
}
cudnnStatus_t cudnnReduceTensor(cudnnHandle_t handle, cudnnReduceTensorDescriptor_t descriptor, void *indices,
                                size_t indices_size, void *, size_t, const void *alpha, cudnnTensorDescriptor_t a_desc,
                                const void *a, const void *beta, cudnnTensorDescriptor_t c_desc, void *c) {
  const char *const name = __func__;
  return guarded(name, [&] {
    const cudnnReduceTensorStruct from = object_of(descriptor, "the reduction's descriptor");
    const Data in(a_desc, a, "a"), out(c_desc, c, "c");
    need_reducible(in.layout, out.layout);
    Job job = {from.operation,
               from.nan == CUDNN_PROPAGATE_NAN,
               in,
               out,
               factor(alpha, out.kind, "alpha"),
               factor(beta, out.kind, "beta"),
               nullptr};
    if (from.indices == CUDNN_REDUCE_TENSOR_FLATTENED_INDICES && has_place(from.operation)) {
      support(from.index_type == CUDNN_32BIT_INDICES, "indices that do not have 32 bits");
      const size_t needed = static_cast<size_t>(out.layout.count()) * sizeof(std::uint32_t);
      need(indices != nullptr && indices_size >= needed, "the room for indices is null or too small");
      job.indices = static_cast<std::uint32_t *>(indices);
    }
    run(handle, name, 2 * static_cast<double>(in.layout.count()) + 200, [=] { reduce(job); });
  });
}

cudnnStatus_t cudnnConvolutionBackwardBias(cudnnHandle_t handle, const void *alpha, cudnnTensorDescriptor_t dy_desc,
                                           const void *dy, const void *beta, cudnnTensorDescriptor_t db_desc,
                                           void *db) {
  const char *const name = __func__;
  return guarded(name, [&] {
    const Data in(dy_desc, dy, "dy"), out(db_desc, db, "db");
    need_reducible(in.layout, out.layout);
    need(in.layout.rank >= 2 && out.layout.dims[1] == in.layout.dims[1] && out.layout.count() == out.layout.dims[1],
         "db does not have dy's channels alone");
    const Job job = {CUDNN_REDUCE_TENSOR_ADD,        true,   in, out, factor(alpha, out.kind, "alpha"),
                     factor(beta, out.kind, "beta"), nullptr};
    run(handle, name, 2 * static_cast<double>(in.layout.count()) + 200, [=] { reduce(job); });
  });
}

}  // extern "C"
#pragma GCC visibility pop
