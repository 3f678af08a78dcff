// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What explains a difference between loom (L) and the reference engine (R) is a trial V in which the reference engine
// does what CUDA leaves open, or what rounding errors do, in another way:
//   - a number counts as explained when |L - R| <= 16 |V - R|;
//   - all elements of a region do when V differs from R in a quarter as many there, or more: entries of a queue, say,
//     that are in another place in each order. For another rounding this goes for numbers and for other elements apart,
//     for numbers only when V is as far from R somewhere: a decision on a rounded number, the texel that a coordinate
//     is nearest to say, is another one here and there.
#include "verdict.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace warploom {
namespace {

constexpr double kEnvelope = 16;
constexpr std::uint64_t kShare = 4;
// A shuffled order is slower than the usual one.
constexpr double kPatience = 10;
constexpr std::size_t kMostElements = 1 << 20;  // that are looked at one by one; the rest only counts

struct Element {
  std::size_t block, offset;  // in the block
  std::uint8_t size;
  bool is_float;
  char loom[8], reference[8];
};

// Elements that differ, of a region.
struct Count {
  std::uint64_t floats = 0, others = 0;
  double farthest = 0;  // distance of floats
  std::uint64_t all() const { return floats + others; }
};

class MemoryComparison {
 public:
  MemoryComparison(Snapshot &snapshot, const ReachableMemory &memory, Trial &loom, Trial &reference,
                   std::uint32_t float_kinds, const CompareOptions &options)
      : snapshot_(snapshot),
        memory_(memory),
        loom_(loom),
        reference_(reference),
        kinds_(float_kinds),
        options_(options),
        closeness_{options.exact ? 0 : float_kinds, options.ulps},
        counts_(memory.regions.size()) {}

  Findings run() {
    collect();
    if (elements_.empty()) {
      found_.verdict = found_.close != 0 ? Verdict::kClose : Verdict::kAlike;
      return found_;
    }
    const Element first = elements_.front();
    found_.regions =
        static_cast<std::size_t>(std::ranges::count_if(counts_, [](const Count &each) { return each.all() != 0; }));
    found_.verdict = explain();
    for (const Count &each : counts_) found_.unexplained += each.all();
    describe(elements_.empty() ? first : elements_.front());
    return found_;
  }

 private:
  void collect() {
    for_each_difference(loom_, [&](std::size_t block, const Difference &each, const char *loom, const char *reference) {
      if (each.is_close) {
        ++found_.close;
        found_.largest_relative = std::max(found_.largest_relative, each.relative);
        return;
      }
      const Element element = element_of(block, each, loom, reference);
      count(counts_, element);
      ++found_.differing;
      if (elements_.size() < kMostElements) elements_.push_back(element);
    });
  }

  // body(block, difference, bytes of the trial, bytes of the reference trial)
  template <class Body>
  void for_each_difference(Trial &trial, Body &&body) {
    for (std::size_t block = 0; block < memory_.blocks.size(); ++block) {
      if (trial.sum(block) == reference_.sum(block)) continue;
      const char *const one = trial.bytes(block), *const other = reference_.bytes(block);
      if (one == nullptr || other == nullptr) {
        found_.is_complete = false;
        return;
      }
      for (const Difference &each : differences(one, other, memory_.blocks[block].size, closeness_))
        body(block, each, one + each.offset, other + each.offset);
    }
  }

  Element element_of(std::size_t block, const Difference &each, const char *one, const char *reference) const {
    Element element = {block, each.offset, each.size, are_floats(one, reference, each.size, kinds_), {}, {}};
    std::memcpy(element.loom, one, each.size);
    std::memcpy(element.reference, reference, each.size);
    return element;
  }

  void count(std::vector<Count> &counts, const Element &element) const {
    Count &count = counts[memory_.blocks[element.block].region];
    ++(element.is_float ? count.floats : count.others);
    if (element.is_float)
      count.farthest = std::max(count.farthest, distance(element.loom, element.reference, element.size, kinds_));
  }

  Verdict explain() {
    for (const bool opposite : {false, true})
      if (is_explained_by({.twin = true, .seed = "compare", .opposite = opposite})) return Verdict::kOrder;
    if (kinds_ == 0 || options_.exact) return Verdict::kDiffers;
    for (const Rounding rounding : {Rounding::kUp, Rounding::kDown})
      if (is_explained_by({.twin = true, .rounding = rounding})) return Verdict::kRounding;
    return Verdict::kDiffers;
  }

  // Drops the elements that a trial explains; true when none is left.
  bool is_explained_by(const TrialSetting &setting) {
    Trial other(snapshot_, setting);
    const Trial::End end = other.wait(std::max(options_.seconds, kPatience * reference_.seconds()));
    if (end == Trial::End::kTooLong) found_.is_certain = false;
    if (end != Trial::End::kGrid || other.outcome() != Outcome::kOk) return false;
    const bool by_order = setting.rounding == Rounding::kNearest;
    drop_within_envelope(other);
    std::vector<Count> moved(counts_.size());
    for_each_difference(other, [&](std::size_t block, const Difference &each, const char *one, const char *reference) {
      if (each.is_close) return;
      count(moved, element_of(block, each, one, reference));
    });
    for (std::size_t region = 0; region < counts_.size(); ++region) {
      Count &left = counts_[region];
      const Count &here = moved[region];
      if (by_order && here.all() != 0 && left.all() <= kShare * here.all()) left = {};
      if (by_order) continue;
      if (here.others != 0 && left.others <= kShare * here.others) left.others = 0;
      if (left.floats <= kShare * here.floats && left.farthest <= here.farthest) left.floats = 0;
    }
    std::erase_if(elements_, [&](const Element &each) {
      const Count &left = counts_[memory_.blocks[each.block].region];
      return (each.is_float ? left.floats : left.others) == 0;
    });
    return std::ranges::all_of(counts_, [](const Count &each) { return each.all() == 0; });
  }

  void drop_within_envelope(Trial &other) {
    std::size_t block = memory_.blocks.size();
    const char *bytes = nullptr;
    std::erase_if(elements_, [&](const Element &each) {
      if (!each.is_float || other.sum(each.block) == reference_.sum(each.block)) return false;
      if (each.block != block) bytes = other.bytes(block = each.block);
      if (bytes == nullptr) return false;
      const double allowed = kEnvelope * distance(bytes + each.offset, each.reference, each.size, kinds_);
      if (distance(each.loom, each.reference, each.size, kinds_) > allowed) return false;
      --counts_[memory_.blocks[each.block].region].floats;
      return true;
    });
  }

  void describe(const Element &element) {
    const MemoryBlock &block = memory_.blocks[element.block];
    const Region &region = memory_.regions[block.region];
    const std::size_t offset = block.offset + element.offset;
    char address[24];
    std::snprintf(address, sizeof address, "%#lx", static_cast<unsigned long>(region.base));
    const std::string name = region.name.empty() ? std::string("at ") + address : region.name;
    const auto [differs, _] = std::mismatch(element.loom, element.loom + element.size, element.reference);
    found_.first = std::string(region.kind) + ' ' + name + " of " + std::to_string(region.size) +
                   " bytes, first at byte " + std::to_string(offset + (differs - element.loom));
    if (offset % element.size == 0)
      found_.first +=
          ", in the " + std::to_string(element.size) + " bytes of index " + std::to_string(offset / element.size);
    found_.first += ": loom " + describe_value(element.loom, element.size, kinds_) + ", reference " +
                    describe_value(element.reference, element.size, kinds_);
  }

  Snapshot &snapshot_;
  const ReachableMemory &memory_;
  Trial &loom_, &reference_;
  const std::uint32_t kinds_;
  const CompareOptions &options_;
  const Closeness closeness_;
  std::vector<Element> elements_;  // that nothing has explained yet
  std::vector<Count> counts_;      // of them by region, those beyond kMostElements included
  Findings found_;
};

}  // namespace

Findings compare_memory(Snapshot &snapshot, const ReachableMemory &memory, Trial &loom, Trial &reference,
                        std::uint32_t float_kinds, const CompareOptions &options) {
  return MemoryComparison(snapshot, memory, loom, reference, float_kinds, options).run();
}

}  // namespace warploom
