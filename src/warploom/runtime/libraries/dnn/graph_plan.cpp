// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the operations of a graph to what is done, each after those whose results it reads.
#include <algorithm>
#include <limits>
#include <set>

#include "convolution_api.h"
#include "graph.h"

namespace warploom::dnn {
namespace {

using Name = cudnnBackendAttributeName_t;

struct Node {
  std::vector<Tensor> reads, writes;
  std::function<void(const Places &)> run;
  double nanoseconds = 0;
};

Tensor operand(const GraphObject &operation, Name name, const char *what) {
  return tensor_of(operation.object(name, what));
}

cudnnConvolutionStruct convolution(const GraphObject &object) {
  cudnnConvolutionStruct made;
  made.rank = static_cast<int>(object.number<std::int64_t>(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, "the space's rank"));
  need(made.rank >= 1 && made.rank <= 3, "the space does not have 1 to 3 dimensions");
  const auto before = object.numbers<std::int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, "the padding");
  const auto behind = object.numbers<std::int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, "the padding behind");
  const auto steps = object.numbers<std::int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, "the strides");
  const auto dilations = object.numbers<std::int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS, "the dilations");
  const auto rank = static_cast<std::size_t>(made.rank);
  need(before.size() == rank && behind.size() == rank && steps.size() == rank && dilations.size() == rank,
       "paddings, strides and dilations are not as many as the space has dimensions");
  support(before == behind, "other padding behind than before");
  for (std::size_t i = 0; i < rank; ++i) {
    need(before[i] >= 0 && steps[i] > 0 && dilations[i] > 0, "a padding, stride or dilation is out of range");
    made.pad[i] = before[i], made.stride[i] = steps[i], made.dilation[i] = dilations[i];
  }
  made.mode = object.number_or(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION, "the mode");
  made.compute = object.number<cudnnDataType_t>(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, "the type for the computation");
  return made;
}

// The shape of a convolution; results of half or bfloat16 may also be wanted in float.
Convolution shape_of(const GraphObject &descriptor, const Tensor &x, const Tensor &w, const Tensor &y) {
  cudnnConvolutionStruct how = convolution(descriptor);
  need(x.layout.rank > 1 && w.layout.rank > 1 && w.layout.dims[1] > 0 && x.layout.dims[1] % w.layout.dims[1] == 0,
       "the channels of tensor and filter do not fit");
  how.groups = static_cast<int>(x.layout.dims[1] / w.layout.dims[1]);
  cudnnFilterStruct filter;
  static_cast<Layout &>(filter) = w.layout;
  Layout result = y.layout;
  const bool widens = result.type == CUDNN_DATA_FLOAT && x.layout.type != CUDNN_DATA_DOUBLE;
  if (widens) result.type = x.layout.type;
  Convolution shape = convolution_of(x.layout, filter, how, result);
  if (widens) shape.y.kind = Kind::kFloat;
  return shape;
}

using Convolve = void (*)(const Convolution &, const void *, const void *, void *, const Ending &);

// `names`: convolution, alpha, beta, and the two operands and the result in the order in which `function` takes them.
struct ConvolutionNames {
  Name convolution, alpha, beta, first, second, result;
};
Node convolution_node(const GraphObject &operation, const ConvolutionNames &names, Convolve function,
                      const std::function<Convolution(const GraphObject &, const Tensor &, const Tensor &,
                                                      const Tensor &)> &shape_of_operands) {
  const Tensor first = operand(operation, names.first, "an operand"),
               second = operand(operation, names.second, "an operand"),
               result = operand(operation, names.result, "the result");
  const Convolution shape =
      shape_of_operands(operation.object(names.convolution, "the convolution"), first, second, result);
  Ending ending = {};
  ending.alpha = operation.factor(names.alpha, 1, "alpha");
  ending.beta = operation.factor(names.beta, 0, "beta");
  need(ending.beta == 0 || !result.is_virtual, "beta is not 0, but the result has no old values");
  const auto run = [=, a = first.id, b = second.id, c = result.id](const Places &places) {
    function(shape, places.at(a), places.at(b), places.at(c), ending);
  };
  return {{first, second}, {result}, run, shape.nanoseconds()};
}

Node forward(const GraphObject &operation) {
  constexpr ConvolutionNames kNames = {
      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,         CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y};
  return convolution_node(
      operation, kNames, convolve,
      [](const GraphObject &how, const Tensor &x, const Tensor &w, const Tensor &y) { return shape_of(how, x, w, y); });
}
Node back_to_data(const GraphObject &operation) {
  constexpr ConvolutionNames kNames = {
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX};
  return convolution_node(operation, kNames, convolve_back_to_data,
                          [](const GraphObject &how, const Tensor &w, const Tensor &dy, const Tensor &dx) {
                            return shape_of(how, dx, w, dy);
                          });
}
Node back_to_filter(const GraphObject &operation) {
  constexpr ConvolutionNames kNames = {
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW};
  return convolution_node(operation, kNames, convolve_back_to_filter,
                          [](const GraphObject &how, const Tensor &x, const Tensor &dy, const Tensor &dw) {
                            return shape_of(how, x, dw, dy);
                          });
}

void need_spreads(const Tensor &from, const Tensor &to) {
  need(from.layout.rank == to.layout.rank, "the operands have different numbers of dimensions");
  for (int i = 0; i < to.layout.rank; ++i)
    need(from.layout.dims[i] == to.layout.dims[i] || from.layout.dims[i] == 1, "the operands' extents do not fit");
  const bool mixes = (from.layout.type == CUDNN_DATA_DOUBLE) != (to.layout.type == CUDNN_DATA_DOUBLE);
  support(!mixes, "double with other types");
}

Node pointwise(const GraphObject &operation) {
  const GraphObject &how = operation.object(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, "the operation on elements");
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Pointwise what = {
      how.number<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE, "the mode"),
      operation.factor(CUDNN_ATTR_OPERATION_POINTWISE_ALPHA1, 1, "alpha1"),
      operation.factor(CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2, 1, "alpha2"),
      how.factor(CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP, 0, "the lower clip"),
      how.factor(CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP, kInfinity, "the upper clip"),
      how.factor(CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE, 0, "the slope"),
      how.factor(CUDNN_ATTR_POINTWISE_ELU_ALPHA, 1, "ELU's alpha"),
      how.factor(CUDNN_ATTR_POINTWISE_SOFTPLUS_BETA, 1, "softplus's beta"),
      how.factor(CUDNN_ATTR_POINTWISE_SWISH_BETA, 1, "swish's beta"),
  };
  const bool is_two = takes_two(what.mode);
  const Tensor x = operand(operation, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, "x"),
               y = operand(operation, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, "y");
  const Tensor b = is_two ? operand(operation, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, "b") : x;
  for (const Tensor *each : {&x, &b, &y}) {
    kind_of(each->layout.type, "an operand");
    need_spreads(*each, y);
  }
  const auto run = [=](const Places &places) {
    apply(what, x, places.at(x.id), is_two ? &b : nullptr, places.at(b.id), y, places.at(y.id));
  };
  return {
      is_two ? std::vector<Tensor>{x, b} : std::vector<Tensor>{x}, {y}, run, 2 * static_cast<double>(y.layout.count())};
}

Node node_of(const GraphObject &operation) {
  switch (operation.type) {
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
      return forward(operation);
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
      return back_to_data(operation);
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
      return back_to_filter(operation);
    case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
      return pointwise(operation);
    default:
      throw Wrong{CUDNN_STATUS_BAD_PARAM, "a graph is made of operations"};
  }
}

// Bytes from the first to the last element.
std::size_t reach_of(const Layout &layout) {
  Size last = 0;
  for (int i = 0; i < layout.rank; ++i) last += (layout.dims[i] - 1) * layout.strides[i];
  return static_cast<std::size_t>((last + 1) * bytes_of(layout.type));
}

void place(Plan &plan, const Tensor &tensor) {
  constexpr std::size_t kLineOfCache = 64;
  if (!tensor.is_virtual) {
    const bool is_new =
        std::none_of(plan.given.begin(), plan.given.end(), [&](const Tensor &other) { return other.id == tensor.id; });
    if (is_new) plan.given.push_back(tensor);
  } else if (plan.between.emplace(tensor.id, plan.work_area).second) {
    plan.work_area += (reach_of(tensor.layout) + kLineOfCache - 1) / kLineOfCache * kLineOfCache;
  }
}

}  // namespace

Tensor tensor_of(const GraphObject &object) {
  need(object.type == CUDNN_BACKEND_TENSOR_DESCRIPTOR && object.is_final, "an operand is no finalised tensor");
  const auto dims = object.numbers<std::int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS, "the tensor's extents");
  const auto strides = object.numbers<std::int64_t>(CUDNN_ATTR_TENSOR_STRIDES, "the tensor's strides");
  need(!dims.empty() && dims.size() == strides.size() && dims.size() <= static_cast<std::size_t>(kMaxRank),
       "the tensor's extents and strides are not 1 to 8 of each");
  Tensor tensor{};
  tensor.layout.type = object.number<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE, "the tensor's type");
  tensor.layout.rank = static_cast<int>(dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    need(dims[i] > 0 && strides[i] >= 0, "an extent or stride of the tensor is out of range");
    tensor.layout.dims[i] = dims[i], tensor.layout.strides[i] = strides[i];
  }
  support(object.number_or<std::int64_t>(CUDNN_ATTR_TENSOR_VECTOR_COUNT, 1, "the vector's length") == 1,
          "tensors of vectors");
  tensor.id = object.number<std::int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID, "the tensor's number");
  const auto alignment = object.number<std::int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, "the tensor's alignment");
  need(alignment > 0 && alignment % bytes_of(tensor.layout.type) == 0,
       "the tensor's alignment is no multiple of an element's bytes");
  tensor.is_virtual = object.number_or(CUDNN_ATTR_TENSOR_IS_VIRTUAL, false, "whether the tensor is virtual");
  tensor.is_by_value = object.number_or(CUDNN_ATTR_TENSOR_IS_BY_VALUE, false, "whether the tensor is a value");
  return tensor;
}

void need_operation(const GraphObject &operation) { node_of(operation); }

std::shared_ptr<const Plan> plan_of(const std::vector<Object> &operations) {
  std::vector<Node> nodes;
  for (const Object &each : operations) nodes.push_back(node_of(*each));
  std::set<std::int64_t> wanted;  // virtual tensors that no operation has made yet
  for (const Node &node : nodes)
    for (const Tensor &each : node.writes)
      need(!each.is_virtual || wanted.insert(each.id).second, "two operations write one virtual tensor");
  auto plan = std::make_shared<Plan>();
  while (!nodes.empty()) {
    const auto next = std::find_if(nodes.begin(), nodes.end(), [&](const Node &node) {
      return std::none_of(node.reads.begin(), node.reads.end(),
                          [&](const Tensor &each) { return wanted.contains(each.id); });
    });
    need(next != nodes.end(), "operations of the graph wait for each other");
    for (const Tensor &each : next->reads) {
      need(!each.is_virtual || plan->between.contains(each.id), "no operation makes a virtual tensor that one reads");
      place(*plan, each);
    }
    for (const Tensor &each : next->writes) place(*plan, each), wanted.erase(each.id);
    plan->steps.push_back(next->run);
    plan->nanoseconds += next->nanoseconds;
    nodes.erase(next);
  }
  return plan;
}

}  // namespace warploom::dnn
