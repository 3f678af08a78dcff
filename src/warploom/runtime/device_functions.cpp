// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device_functions.h"

namespace warploom {

void DeviceFunctions::add(const Image &image) {
  for (std::uint32_t i = 0; i < image.function_count; ++i)
    functions_.emplace(image.functions[i].address, &image.functions[i]);
  for (std::uint32_t i = 0; i < image.kernel_count; ++i)
    if (image.kernels[i].grid_entry_if != nullptr) undecided_.push_back(&image.kernels[i]);
}

void DeviceFunctions::settle() {
  std::erase_if(undecided_, [&](const Kernel *kernel) {
    if (!ask(kernel->needs).is_plain) return false;
    // The compiler writes tables with such kernels to memory that is not constant.
    const_cast<Kernel *>(kernel)->grid_entry = kernel->grid_entry_if;
    return true;
  });
}

DeviceFunctions::Answer DeviceFunctions::ask(const Needs &needs) {
  Answer answer{.is_plain = true, .looks = false};
  for (std::uint32_t i = 0; i < needs.count; ++i) {
    const Answer one = ask(needs.functions[i]);
    answer.is_plain = answer.is_plain && one.is_plain;
    answer.looks = answer.looks || one.looks;
  }
  if (needs.still != 0 && answer.looks) answer.is_plain = false;
  return answer;
}

// Functions that call each other across files may wait by doing so: nothing is assumed of them.
DeviceFunctions::Answer DeviceFunctions::ask(const void *function) {
  const auto [first, last] = functions_.equal_range(function);
  if (first == last || !asked_.insert(function).second) return {.is_plain = false, .looks = true};
  Answer answer{.is_plain = true, .looks = false};
  for (auto row = first; row != last; ++row) {
    const Function &facts = *row->second;
    const Answer needed = ask(facts.needs);
    answer.is_plain = answer.is_plain && facts.is_plain != 0 && needed.is_plain;
    answer.looks = answer.looks || facts.looks != 0 || needed.looks;
  }
  asked_.erase(function);
  return answer;
}

}  // namespace warploom
