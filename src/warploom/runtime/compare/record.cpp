// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "record.h"

#include <cstdio>
#include <numeric>

#include "../report.h"

namespace warploom {
namespace {

constexpr char kPrefix[] = "compare: ";

std::string counted(std::uint64_t count, const std::string &noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : noun.ends_with('h') ? "es" : "s");
}

std::string shape(const Extent &extent) {
  return std::to_string(extent.x) + " x " + std::to_string(extent.y) + " x " + std::to_string(extent.z);
}

const char *meaning(Verdict verdict) {
  switch (verdict) {
    case Verdict::kAlike:
      return "both engines give the same";
    case Verdict::kClose:
      return "differs in the last digits of floating-point numbers only";
    case Verdict::kRounding:
      return "depends on rounding: the reference engine itself gives other results there when it rounds up or down";
    case Verdict::kOrder:
      return "has a race, or depends on the order of threads or on time: the reference engine itself gives other "
             "results under another order";
    case Verdict::kDiffers:
      return "loom and the reference engine DIFFER, and nothing explains it";
  }
  return "";
}

std::string relative(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
}

}  // namespace

std::uint64_t KernelRecord::compared() const { return std::accumulate(std::begin(verdicts), std::end(verdicts), 0UL); }

KernelRecord &CompareRecord::begin(const Kernel &kernel) {
  ++launches_;
  KernelRecord &record = kernels_[kernel_name(kernel)];
  ++record.launches;
  return record;
}

void CompareRecord::add(const Launch &launch, const Findings &findings) {
  KernelRecord &record = kernels_[kernel_name(*launch.kernel)];
  std::uint64_t &times = record.verdicts[static_cast<int>(findings.verdict)];
  ++times;
  record.close += findings.close;
  record.largest_relative = std::max(record.largest_relative, findings.largest_relative);
  if (times != 1 || findings.verdict == Verdict::kAlike || findings.verdict == Verdict::kClose) return;
  std::string text = kPrefix + ("kernel " + kernel_name(*launch.kernel)) + ", its launch " +
                     std::to_string(record.launches) + " (launch " + std::to_string(launches_) +
                     " of the program), grid " + shape(launch.grid) + ", block " + shape(launch.block) + ": " +
                     meaning(findings.verdict);
  if (findings.verdict == Verdict::kDiffers && !findings.is_certain)
    text += ", but a trial under another order took too long (WARPLOOM_COMPARE=seconds=N gives it more)";
  if (!findings.first.empty()) text += "\n  " + findings.first;
  if (findings.differing != 0) {
    text += "\n  " + counted(findings.differing, "element") + " in " + counted(findings.regions, "buffer");
    if (findings.unexplained != findings.differing && findings.unexplained != 0)
      text += ", " + std::to_string(findings.unexplained) + " of them without an explanation";
    if (findings.close != 0) text += "; " + std::to_string(findings.close) + " more in the last digits only";
  }
  write_error(text);
}

void CompareRecord::add_not_compared(const Kernel &kernel, const std::string &reason) {
  KernelRecord &record = kernels_[kernel_name(kernel)];
  if (record.not_compared[reason]++ == 0)
    write_error(kPrefix + ("kernel " + kernel_name(kernel)) + " is not compared: " + reason);
}

bool CompareRecord::summarise() const {
  std::uint64_t compared = 0, kernels = 0, differing = 0, close = 0;
  double largest = 0;
  for (const auto &[name, record] : kernels_) {
    compared += record.compared();
    kernels += record.compared() != 0;
    differing += record.verdicts[static_cast<int>(Verdict::kDiffers)];
    close += record.close;
    largest = std::max(largest, record.largest_relative);
  }
  write_error(kPrefix + ("compared " + counted(compared, "launch") + " of " + counted(kernels, "kernel") + " (" +
                         counted(launches_, "launch") + " in all): " + std::to_string(differing) +
                         (differing == 1 ? " differs" : " differ")));
  if (close != 0)
    write_error(kPrefix + ("left out as rounding: " + counted(close, "number") + ", the largest relative difference " +
                           relative(largest) + " (WARPLOOM_COMPARE=exact counts them)"));
  for (const auto &[name, record] : kernels_) {
    for (const Verdict verdict : {Verdict::kDiffers, Verdict::kOrder, Verdict::kRounding})
      if (const std::uint64_t times = record.verdicts[static_cast<int>(verdict)]; times != 0)
        write_error(kPrefix + counted(times, "launch") + " of " + name + ": " + meaning(verdict));
    for (const auto &[reason, times] : record.not_compared)
      write_error(kPrefix + counted(times, "launch") + " of " + name + " not compared: " + reason);
  }
  return differing != 0;
}

}  // namespace warploom
