// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch of an instantiated graph runs: a step for each node, those of child graphs among them.
#include <unordered_map>
#include <utility>

#include "graph.h"
#include "launch.h"

namespace warploom {
namespace {

bool may_wait(const CUgraphNode_st &node) {
  if (node.may_wait) return true;
  if (node.type != cudaGraphNodeTypeKernel || !node.kernel.func) return false;
  const CUfunc_st *const function = find_function(node.kernel.func);
  return function && function->kernel->may_spin != 0;
}

// The steps of a graph. Those of a child graph stand between one that begins it, and one that waits for all of them;
// those of a conditional node's bodies between one that chooses, and one that the chosen body's last leads to.
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
      if (node.inner) {
        last[key] = add_step({}, add(*node.inner, {add_step({.begun = node.inner.get()}, before)}));
      } else {
        last[key] = node.choice ? add_choice(*node.choice, before) : add_step({.node = &node}, before);
      }
    }
    for (const CUgraphNode_st *const key : exec.order)
      if (plan_->steps[last.at(key)].next.empty()) ends.push_back(last.at(key));
    return ends.empty() ? entry : ends;
  }

  std::shared_ptr<Plan> finish(const CUgraphExec_st &exec) {
    plan_->times = std::make_unique<std::atomic<std::int64_t>[]>(plan_->steps.size());
    plan_->certain = count_;
    const auto bodies = std::make_shared<const std::vector<Body>>(std::move(bodies_));
    const auto has_failed = std::make_shared<std::atomic<bool>>(false);
    plan_->begin = [&exec, has_failed] {
      *has_failed = false;
      begin_launch(exec);
    };
    plan_->run = [bodies, has_failed](unsigned i) {
      const cudaError_t error = run((*bodies)[i]);
      if (error != cudaSuccess) *has_failed = true;
      return error;
    };
    plan_->choose = [bodies, has_failed](unsigned i) {
      const Choice &choice = *(*bodies)[i].choice;
      return static_cast<unsigned>(*has_failed ? choice.bodies.size() : choice.chosen());
    };
    return plan_;
  }

 private:
  // `begun`: the graph that begins with it. A step that only waits has nothing.
  struct Body {
    const CUgraphNode_st *node = nullptr;
    const CUgraphExec_st *begun = nullptr;
    const Choice *choice = nullptr;
  };

  static cudaError_t run(const Body &body) {
    if (body.begun) begin_launch(*body.begun);
    return body.node && body.node->enabled ? body.node->operation() : cudaSuccess;
  }

  unsigned add_step(const Body &body, const std::vector<unsigned> &before) {
    const auto number = static_cast<unsigned>(plan_->steps.size());
    Plan::Step step;
    step.before = static_cast<unsigned>(before.size());
    step.chooses = body.choice != nullptr;
    if (body.node) {
      step.may_wait = may_wait(*body.node);
      step.is_host_function = body.node->type == cudaGraphNodeTypeHost;
    }
    plan_->steps.push_back(std::move(step));
    bodies_.push_back(body);
    ++count_;
    for (const unsigned each : before) plan_->steps[each].next.push_back(number);
    return number;
  }

  unsigned add_choice(const Choice &choice, const std::vector<unsigned> &before) {
    const unsigned chooser = add_step({.choice = &choice}, before), outside = count_;
    const bool repeats = choice.type == cudaGraphCondTypeWhile;
    std::vector<unsigned> firsts, lasts;
    for (const auto &body : choice.bodies) {
      count_ = 0;
      firsts.push_back(add_step({.begun = body.get()}, {chooser}));
      lasts.push_back(add_step({.choice = repeats ? &choice : nullptr}, add(*body, {firsts.back()})));
      plan_->steps[firsts.back()].end = lasts.back() + 1;
      plan_->steps[firsts.back()].count = count_;
    }
    count_ = outside;
    const unsigned behind = add_step({}, {chooser});
    for (const unsigned each : lasts) {
      if (repeats) plan_->steps[each].next = firsts;
      plan_->steps[each].next.push_back(behind);
    }
    return behind;
  }

  std::shared_ptr<Plan> plan_ = std::make_shared<Plan>();
  std::vector<Body> bodies_;
  unsigned count_ = 0;  // of steps of the body at hand, or of those in none
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
