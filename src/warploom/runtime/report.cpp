// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace warploom {
namespace {

std::string describe_place(const Wait &wait) {
  if (wait.file == nullptr || *wait.file == '\0') return "an unknown place";
  return std::string(wait.file) + ':' + std::to_string(wait.line);
}

std::string describe_wait(const Thread &thread) {
  const Wait &wait = thread.wait;
  std::string text = operation_name(wait.operation);
  if (wait.operation == Operation::kNamedBarrier) {
    text += ' ' + std::to_string(wait.operand) + ", " + std::to_string(wait.width);
  }
  if (is_collective(wait.operation)) {
    text += " with mask " + hexadecimal(wait.mask);
    if ((wait.mask >> Block::lane(thread) & 1) == 0) text += ", which does not name the calling lane,";
  }
  return text + " at " + describe_place(wait);
}

// Consecutive indices, appended in order: "0-15, 17, 20-31".
class Ranges {
 public:
  void add(unsigned index) {
    ++count_;
    if (!ranges_.empty() && ranges_.back().second + 1 == index) {
      ranges_.back().second = index;
    } else {
      ranges_.emplace_back(index, index);
    }
  }
  bool empty() const { return ranges_.empty(); }
  std::string text() const {
    std::string result = count_ == 1 ? "thread " : "threads ";
    std::string_view separator;
    for (const auto &[first, last] : ranges_) {
      result += separator;
      result += std::to_string(first);
      if (last != first) result += '-' + std::to_string(last);
      separator = ", ";
    }
    return result;
  }

 private:
  std::size_t count_ = 0;
  std::vector<std::pair<unsigned, unsigned>> ranges_;
};

struct Group {
  std::string wait;
  Ranges threads;
};

std::vector<Group> group_by_wait(const Block &block) {
  std::vector<Group> groups;
  for (const Thread &thread : block.threads()) {
    if (!block.is_live(thread)) continue;
    std::string wait = describe_wait(thread);
    std::size_t i = 0;
    while (i < groups.size() && groups[i].wait != wait) ++i;
    if (i == groups.size()) groups.push_back({std::move(wait), {}});
    groups[i].threads.add(thread.index);
  }
  return groups;
}

}  // namespace

std::string kernel_name(const Kernel &kernel) {
  return kernel.source_name != nullptr ? kernel.source_name : kernel.name;
}

std::string describe_position(const Extent &position) {
  return '(' + std::to_string(position.x) + ", " + std::to_string(position.y) + ", " + std::to_string(position.z) + ')';
}

std::string describe_block(const Block &block) {
  return "kernel " + kernel_name(*block.launch().kernel) + ", block " + describe_position(block.position());
}

std::string describe_thread(const Thread &thread) {
  return describe_block(*thread.block) + ", thread " + describe_position(thread.position);
}

std::string describe_deadlock(const Block &block) {
  std::string text = "deadlock in " + describe_block(block) + ": no thread can go on";
  for (const Group &group : group_by_wait(block)) text += "\n  " + group.threads.text() + ": in " + group.wait;
  Ranges ended;
  for (const Thread &thread : block.threads()) {
    if (!block.is_live(thread)) ended.add(thread.index);
  }
  if (!ended.empty()) text += "\n  " + ended.text() + ": ended";
  return text;
}

std::string no_memory_for_threads(const std::string &what) {
  return "out of memory for " + what + ": each OS thread has its own, and a lower WARPLOOM_NUM_THREADS needs less";
}

std::string no_memory_for_blocks(const std::string &what) {
  return "out of memory for " + what + ": each block of the grid has its own, and a smaller grid needs less";
}

}  // namespace warploom
