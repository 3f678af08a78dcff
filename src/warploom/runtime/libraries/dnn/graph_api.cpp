// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuDNN's descriptors of graphs. A descriptor holds what it was given, also when the descriptors that were given are
// destroyed; there is one engine, without knobs.
#include <algorithm>
#include <array>
#include <utility>

#include "graph.h"

namespace warploom::dnn {
namespace {

// What a cudnnBackendDescriptor_t points to.
struct Slot {
  std::shared_ptr<GraphObject> object;
};

struct Kinds {
  cudnnBackendDescriptorType_t type;
  int first, last;  // numbers of its attributes
};
constexpr Kinds kKinds[] = {
    {CUDNN_BACKEND_POINTWISE_DESCRIPTOR, 0, 99},
    {CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, 100, 199},
    {CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, 200, 299},
    {CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, 300, 399},
    {CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, 400, 499},
    {CUDNN_BACKEND_INTERMEDIATE_INFO_DESCRIPTOR, 500, 599},
    {CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, 600, 699},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, 700, 705},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR, 706, 711},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR, 712, 717},
    {CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, 750, 769},
    {CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, 800, 899},
    {CUDNN_BACKEND_TENSOR_DESCRIPTOR, 900, 999},
    {CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, 1000, 1099},
    {CUDNN_BACKEND_LAYOUT_INFO_DESCRIPTOR, 1100, 1199},
    {CUDNN_BACKEND_KNOB_INFO_DESCRIPTOR, 1200, 1299},
    {CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1300, 1399},
};

std::size_t size_of(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_DOUBLE:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_BACKEND_DESCRIPTOR:
      return 8;
    case CUDNN_TYPE_BOOLEAN:
    case CUDNN_TYPE_CHAR:
      return 1;
    case CUDNN_TYPE_FRACTION:
      return 16;
    default:
      return 4;
  }
}

Slot &slot_of(cudnnBackendDescriptor_t descriptor, const char *what) {
  return object_of(static_cast<Slot *>(descriptor), what);
}
const Object final_of(cudnnBackendDescriptor_t descriptor, const char *what) {
  const Object found = slot_of(descriptor, what).object;
  if (!found->is_final) throw Wrong{CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED, std::string(what) + " is not finalised"};
  return found;
}
void need_attribute(const GraphObject &object, cudnnBackendAttributeName_t name) {
  for (const Kinds &each : kKinds)
    if (each.type == object.type) return need(name >= each.first && name <= each.last, "there is no such attribute");
}

// The graph's plan goes to what is made from it.
std::shared_ptr<const Plan> inherited(const GraphObject &object, cudnnBackendAttributeName_t from, const char *what) {
  const GraphObject &source = object.object(from, what);
  need(source.plan != nullptr, std::string(what) + " is of another kind");
  return source.plan;
}

void finalize_variant_pack(const GraphObject &pack) {
  const auto ids = pack.numbers<std::int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, "the tensors' numbers");
  const auto data = pack.numbers<void *>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, "the pointers to data");
  need(ids.size() == data.size(), "the tensors' numbers and pointers are not as many");
}

void finalize(GraphObject &object) {
  switch (object.type) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
      object.is_final = true;
      try {
        tensor_of(object);
      } catch (...) {
        object.is_final = false;
        throw;
      }
      break;
    case CUDNN_BACKEND_POINTWISE_DESCRIPTOR:
      takes_two(object.number<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE, "the mode"));
      break;
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
      need_operation(object);
      break;
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
      object.plan = plan_of(object.attribute(CUDNN_ATTR_OPERATIONGRAPH_OPS, "the list of operations").objects);
      break;
    case CUDNN_BACKEND_ENGINE_DESCRIPTOR:
      object.plan = inherited(object, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, "the engine's graph");
      support(object.number_or<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, 0, "the engine's number") == 0,
              "an engine other than number 0");
      break;
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
      object.plan = inherited(object, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, "the graph");
      break;
    case CUDNN_BACKEND_ENGINECFG_DESCRIPTOR:
      object.plan = inherited(object, CUDNN_ATTR_ENGINECFG_ENGINE, "the engine");
      break;
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
      object.plan = inherited(object, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, "the engine's configuration");
      break;
    case CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR:
      finalize_variant_pack(object);
      break;
    default:
      break;
  }
  object.is_final = true;
}

Attribute attribute_of(cudnnBackendAttributeType_t type, std::int64_t count, const void *elements) {
  Attribute made{type, count, {}, {}};
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    const auto *const given = static_cast<const cudnnBackendDescriptor_t *>(elements);
    for (std::int64_t i = 0; i < count; ++i)
      made.objects.push_back(final_of(given[i], "a descriptor in the attribute"));
  } else {
    const auto *const bytes = static_cast<const std::byte *>(elements);
    made.bytes.assign(bytes, bytes + static_cast<std::size_t>(count) * size_of(type));
  }
  return made;
}

template <class T>
Attribute one(cudnnBackendAttributeType_t type, T value) {
  return attribute_of(type, 1, &value);
}
Attribute none(cudnnBackendAttributeType_t type) { return {type, 0, {}, {}}; }

// The engine and its configuration that a graph is offered.
Object configuration(const GraphObject &heuristic) {
  auto engine = std::make_shared<GraphObject>(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  engine->attributes[CUDNN_ATTR_ENGINE_OPERATION_GRAPH] =
      heuristic.attribute(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, "the graph");
  engine->attributes[CUDNN_ATTR_ENGINE_GLOBAL_INDEX] = one<std::int64_t>(CUDNN_TYPE_INT64, 0);
  engine->plan = heuristic.plan, engine->is_final = true;
  auto made = std::make_shared<GraphObject>(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  made->attributes[CUDNN_ATTR_ENGINECFG_ENGINE] = {CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, {}, {engine}};
  made->plan = heuristic.plan, made->is_final = true;
  return made;
}

Attribute read(const GraphObject &object, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type) {
  switch (name) {
    case CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT:
      return one<std::int64_t>(CUDNN_TYPE_INT64, 1);
    case CUDNN_ATTR_ENGINEHEUR_RESULTS:
      return {CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, {}, {configuration(object)}};
    case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
    case CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE:
      return one(CUDNN_TYPE_INT64, static_cast<std::int64_t>(object.plan->work_area));
    case CUDNN_ATTR_ENGINE_KNOB_INFO:
    case CUDNN_ATTR_ENGINE_LAYOUT_INFO:
    case CUDNN_ATTR_ENGINE_NUMERICAL_NOTE:
    case CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE:
    case CUDNN_ATTR_ENGINECFG_INTERMEDIATE_INFO:
    case CUDNN_ATTR_EXECUTION_PLAN_COMPUTED_INTERMEDIATE_UIDS:
    case CUDNN_ATTR_EXECUTION_PLAN_RUN_ONLY_INTERMEDIATE_UIDS:
      return none(type);
    default:
      support(object.find(name) != nullptr, "an attribute that was not set and is not computed");
      return *object.find(name);
  }
}

void give(const Attribute &from, std::int64_t room, void *elements) {
  const std::int64_t count = std::min(room, from.count);
  if (from.type != CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    std::memcpy(elements, from.bytes.data(), static_cast<std::size_t>(count) * size_of(from.type));
    return;
  }
  auto *const targets = static_cast<cudnnBackendDescriptor_t *>(elements);
  for (std::int64_t i = 0; i < count; ++i) {
    const Object &value = from.objects[static_cast<std::size_t>(i)];
    Slot &slot = slot_of(targets[i], "a descriptor that is to take a result");
    need(slot.object->type == value->type, "a descriptor that is to take a result is of another kind");
    slot.object = std::const_pointer_cast<GraphObject>(value);
  }
}

void execute(cudnnHandle_t handle, const Plan &plan, const GraphObject &pack, std::shared_ptr<const Plan> keep) {
  const auto ids = pack.numbers<std::int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, "the tensors' numbers");
  const auto data = pack.numbers<void *>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, "the pointers to data");
  auto *const area =
      static_cast<std::byte *>(pack.number_or<void *>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, nullptr, "the work area"));
  need(area != nullptr || plan.work_area == 0, "the plan needs a work area");
  Places places;
  for (std::size_t i = 0; i < ids.size(); ++i) places[ids[i]] = data[i];
  std::vector<std::shared_ptr<void>> values;
  for (const Tensor &each : plan.given) {
    const auto found = places.find(each.id);
    need(found != places.end() && found->second != nullptr,
         "there is no data for the tensor of number " + std::to_string(each.id));
    if (!each.is_by_value) continue;
    auto copy = std::make_shared<std::array<std::byte, 16>>();  // the host's number, as it is now
    std::memcpy(copy->data(), found->second, static_cast<std::size_t>(bytes_of(each.layout.type)));
    found->second = copy->data();
    values.push_back(std::move(copy));
  }
  for (const auto &[id, offset] : plan.between) places[id] = area + offset;
  run(handle, "cudnnBackendExecute", plan.nanoseconds, [keep = std::move(keep), places, values] {
    for (const auto &step : keep->steps) step(places);
  });
}

}  // namespace

double GraphObject::factor(cudnnBackendAttributeName_t name, double rest, const char *what) const {
  const Attribute *const found = find(name);
  if (found == nullptr) return rest;
  return found->type == CUDNN_TYPE_DOUBLE ? number<double>(name, what) : number<float>(name, what);
}
const GraphObject &GraphObject::object(cudnnBackendAttributeName_t name, const char *what) const {
  const Attribute &found = attribute(name, what);
  need(found.objects.size() == 1, std::string(what) + " is not one descriptor");
  return *found.objects[0];
}

}  // namespace warploom::dnn

using namespace warploom::dnn;

#pragma GCC visibility push(default)
extern "C" {

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t *descriptor) {
  return guarded(__func__, [&] {
    need(descriptor != nullptr, "the pointer to the new object is null");
    const bool is_known =
        std::any_of(std::begin(kKinds), std::end(kKinds), [&](const Kinds &each) { return each.type == type; });
    support(is_known, "a descriptor of kind " + std::to_string(type));
    auto *const made = new Slot{std::make_shared<GraphObject>(type)};
    add_object(made);
    *descriptor = made;
  });
}
cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  return destroy(__func__, static_cast<Slot *>(descriptor));
}
cudnnStatus_t cudnnBackendInitialize(cudnnBackendDescriptor_t descriptor) {
  return guarded(__func__, [&] {
    Slot &slot = slot_of(descriptor, "the descriptor");
    slot.object = std::make_shared<GraphObject>(slot.object->type);
  });
}
cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t count, const void *elements) {
  return guarded(__func__, [&] {
    GraphObject &object = *slot_of(descriptor, "the descriptor").object;
    need(!object.is_final, "the descriptor is finalised already");
    need_attribute(object, name);
    need(count >= 0 && (count == 0 || elements != nullptr), "the elements are null, or their number is negative");
    object.attributes[name] = attribute_of(type, count, elements);
  });
}
cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t room, int64_t *count, void *elements) {
  return guarded(__func__, [&] {
    const Object object = final_of(descriptor, "the descriptor");
    need_attribute(*object, name);
    const Attribute found = read(*object, name, type);
    need(found.type == type, "the attribute has another type");
    if (count != nullptr) *count = found.count;
    if (elements != nullptr && room > 0) give(found, room, elements);
  });
}
cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  return guarded(__func__, [&] { finalize(*slot_of(descriptor, "the descriptor").object); });
}
cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t execution_plan,
                                  cudnnBackendDescriptor_t variant_pack) {
  return guarded(__func__, [&] {
    const Object plan = final_of(execution_plan, "the plan"), pack = final_of(variant_pack, "the variant pack");
    need(plan->type == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR && pack->type == CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR,
         "a plan and a variant pack are needed");
    execute(handle, *plan->plan, *pack, plan->plan);
  });
}

}  // extern "C"
#pragma GCC visibility pop
