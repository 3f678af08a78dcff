// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuDNN's graphs: descriptors that hold attributes, and what an execution plan does, one operation after the other.
// Tensors between operations lie in the work area.
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "descriptors.h"

namespace warploom::dnn {

struct GraphObject;
using Object = std::shared_ptr<const GraphObject>;

struct Attribute {
  cudnnBackendAttributeType_t type;
  std::int64_t count;
  std::vector<std::byte> bytes;  // of all elements, but for descriptors
  std::vector<Object> objects;
};

// Where data is, by the tensors' numbers.
using Places = std::unordered_map<std::int64_t, void *>;

struct Tensor {
  Layout layout;
  std::int64_t id;
  bool is_virtual, is_by_value;
};

struct Plan {
  std::vector<std::function<void(const Places &)>> steps;
  std::vector<Tensor> given;                              // whose data the caller brings
  std::unordered_map<std::int64_t, std::size_t> between;  // where the others lie in the work area
  std::size_t work_area = 0;
  double nanoseconds = 0;
};

struct GraphObject {
  explicit GraphObject(cudnnBackendDescriptorType_t kind) : type(kind) {}

  cudnnBackendDescriptorType_t type;
  bool is_final = false;
  std::map<cudnnBackendAttributeName_t, Attribute> attributes;
  std::shared_ptr<const Plan> plan;  // of a graph of operations, and of what is made from it

  const Attribute *find(cudnnBackendAttributeName_t name) const {
    const auto found = attributes.find(name);
    return found == attributes.end() ? nullptr : &found->second;
  }
  const Attribute &attribute(cudnnBackendAttributeName_t name, const char *what) const {
    const Attribute *const found = find(name);
    need(found != nullptr, std::string(what) + " was not set");
    return *found;
  }
  template <class T>
  std::vector<T> numbers(cudnnBackendAttributeName_t name, const char *what) const {
    const Attribute &from = attribute(name, what);
    need(from.bytes.size() == sizeof(T) * static_cast<std::size_t>(from.count),
         std::string(what) + " has another type");
    std::vector<T> result(static_cast<std::size_t>(from.count));
    std::memcpy(result.data(), from.bytes.data(), from.bytes.size());
    return result;
  }
  template <class T>
  T number(cudnnBackendAttributeName_t name, const char *what) const {
    const Attribute &from = attribute(name, what);
    need(from.count == 1 && from.bytes.size() == sizeof(T), std::string(what) + " is not one number of its type");
    T result;
    std::memcpy(&result, from.bytes.data(), sizeof result);
    return result;
  }
  template <class T>
  T number_or(cudnnBackendAttributeName_t name, T rest, const char *what) const {
    return find(name) == nullptr ? rest : number<T>(name, what);
  }
  // A factor, which may be float or double.
  double factor(cudnnBackendAttributeName_t name, double rest, const char *what) const;
  const GraphObject &object(cudnnBackendAttributeName_t name, const char *what) const;
};

// What a finalised descriptor of a tensor says.
Tensor tensor_of(const GraphObject &object);
// Throws unless an operation's operands fit together and it is there.
void need_operation(const GraphObject &operation);
// What a graph of operations does; throws NOT_SUPPORTED for operations that are not there.
std::shared_ptr<const Plan> plan_of(const std::vector<Object> &operations);

// y = mode(alpha1 x, alpha2 b) for each element; `b` is null for modes with one operand.
struct Pointwise {
  cudnnPointwiseMode_t mode;
  double alpha1, alpha2, lower, upper, slope, elu, softplus, swish;
};
bool takes_two(cudnnPointwiseMode_t mode);
void apply(const Pointwise &what, const Tensor &x, const void *x_data, const Tensor *b, const void *b_data,
           const Tensor &y, void *y_data);

}  // namespace warploom::dnn
