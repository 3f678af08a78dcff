// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch of an instantiated graph runs: a step for each node, those of child graphs among them.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "graph.h"
#include "launch.h"

namespace warploom {
namespace {

// Whether the node, or one of a body that it may run, is like that.
template <class Predicate>
bool is_any(const CUgraphNode_st &node, const Predicate &predicate) {
  if (!node.bodies) return predicate(node);
  return std::ranges::any_of(node.bodies->graphs, [&](const CUgraph_st *graph) {
    return std::ranges::any_of(graph->nodes, [&](const auto &each) { return is_any(*each, predicate); });
  });
}

bool may_wait(const CUgraphNode_st &node) {
  // A graph runs as a whole in a body.
  if (node.may_wait || node.type == cudaGraphNodeTypeGraph) return true;
  if (node.type != cudaGraphNodeTypeKernel || !node.kernel.func) return false;
  const CUfunc_st *const function = find_function(node.kernel.func);
  return function && function->kernel->may_spin != 0;
}

bool is_host_function(const CUgraphNode_st &node) { return node.type == cudaGraphNodeTypeHost; }

// The steps of a graph. Those of a child graph stand between one that begins it, and one that waits for all of them.
class PlanMaker {
 public:
  // Returns the steps that no step of the graph waits for.
  std::vector<unsigned> add(const CUgraphExec_st &exec, const std::vector<unsigned> &entry) {
    std::unordered_map<const CUgraphNode_st *, unsigned> last;
    std::vector<unsigned> ends;
    for (const CUgraphNode_st *const key : exec.order) {
      const CUgraphNode_st &node = exec.nodes.at(key);
      std::vector<unsigned> before = entry;
      if (!node.dependencies.empty()) before.clear();
      for (const CUgraphNode_st *const each : node.dependencies) before.push_back(last.at(each));
      unsigned step = add_step({&node, node.inner.get()}, before);
      if (node.inner) step = add_step({}, add(*node.inner, {step}));
      last[key] = step;
    }
    for (const CUgraphNode_st *const key : exec.order)
      if (plan_->steps[last.at(key)].next.empty()) ends.push_back(last.at(key));
    return ends.empty() ? entry : ends;
  }

  std::shared_ptr<Plan> finish(const CUgraphExec_st &exec) {
    plan_->times = std::make_unique<std::atomic<std::int64_t>[]>(plan_->steps.size());
    plan_->begin = [&exec] { begin_launch(exec); };
    plan_->run = [bodies = std::move(bodies_)](unsigned i) { return run(bodies[i]); };
    return plan_;
  }

 private:
  // `begun`: the graph that begins with it. A step that only waits has neither.
  struct Body {
    const CUgraphNode_st *node = nullptr;
    const CUgraphExec_st *begun = nullptr;
  };

  static cudaError_t run(const Body &body) {
    if (body.begun) begin_launch(*body.begun);
    return body.node && !body.begun && body.node->enabled ? body.node->operation() : cudaSuccess;
  }

  unsigned add_step(const Body &body, const std::vector<unsigned> &before) {
    const auto number = static_cast<unsigned>(plan_->steps.size());
    Plan::Step step{.before = static_cast<unsigned>(before.size())};
    if (body.node && !body.begun) {
      step.may_wait = is_any(*body.node, may_wait);
      step.is_host_function = is_any(*body.node, is_host_function);
    }
    plan_->steps.push_back(std::move(step));
    bodies_.push_back(body);
    for (const unsigned each : before) plan_->steps[each].next.push_back(number);
    return number;
  }

  std::shared_ptr<Plan> plan_ = std::make_shared<Plan>();
  std::vector<Body> bodies_;
};

}  // namespace

void begin_launch(const CUgraphExec_st &exec) {
  for (const auto &conditional : exec.conditionals)
    if (conditional->assign_initial) conditional->value = conditional->initial;
}

std::shared_ptr<Plan> make_plan(const CUgraphExec_st &exec) {
  PlanMaker maker;
  maker.add(exec, {});
  return maker.finish(exec);
}

}  // namespace warploom
