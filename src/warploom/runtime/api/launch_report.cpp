// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch_report.h"

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "../code_place.h"
#include "../message.h"
#include "cuda_runtime_api.h"
#include "device.h"
#include "launch.h"

namespace warploom {
namespace {

std::string text_of(const dim3 &extent) {
  return std::to_string(extent.x) + " x " + std::to_string(extent.y) + " x " + std::to_string(extent.z);
}

bool is_new(const Kernel &kernel, const void *site) {
  static std::mutex mutex;
  static std::set<std::pair<const Kernel *, const void *>> seen;
  const std::lock_guard lock(mutex);
  return seen.emplace(&kernel, site).second;
}

// What of `extent` is not within `limits`; empty: nothing.
std::string outside(const char *what, const dim3 &extent, const int (&limits)[3]) {
  const unsigned sizes[3] = {extent.x, extent.y, extent.z};
  for (int i = 0; i < 3; ++i) {
    const std::string part = std::string(what) + "." + "xyz"[i];
    const std::string asked = std::string(what) + " " + text_of(extent) + ": ";
    if (sizes[i] == 0) return asked + part + " is 0, 1 at least";
    if (sizes[i] > static_cast<unsigned>(limits[i]))
      return asked + part + " is " + with_commas(sizes[i]) + ", " + with_commas(static_cast<std::uint64_t>(limits[i])) +
             " at most";
  }
  return {};
}

std::string of_cluster(const CUfunc_st &function, const AskedLaunch &asked) {
  const std::uint32_t *const own = function.kernel->cluster;
  const dim3 fixed(own[0], own[1], own[2]);
  const bool is_fixed = own[0] != 0, is_asked = asked.cluster.x != 0;
  const dim3 cluster = is_asked ? asked.cluster : fixed;
  const std::string text = "clusters of " + text_of(cluster);
  if (is_fixed && is_asked && (fixed.x != cluster.x || fixed.y != cluster.y || fixed.z != cluster.z))
    return text + " blocks: the kernel's own __cluster_dims__ are " + text_of(fixed);
  const std::uint64_t blocks = std::uint64_t{cluster.x} * cluster.y * cluster.z;
  const int most = largest_cluster(function);
  if (blocks > static_cast<std::uint64_t>(most))
    return text + " = " + with_commas(blocks) + " blocks, " + std::to_string(most) + " at most";
  return text + " blocks do not divide the grid " + text_of(asked.grid);
}

std::string reason_of(cudaError_t error, const CUfunc_st &function, const AskedLaunch &asked) {
  const Kernel &kernel = *function.kernel;
  if (std::string wrong = outside("grid", asked.grid, kMaxGridDim); !wrong.empty()) return wrong;
  if (std::string wrong = outside("block", asked.block, kMaxBlockDim); !wrong.empty()) return wrong;
  const std::uint64_t threads = std::uint64_t{asked.block.x} * asked.block.y * asked.block.z;
  const std::string block = "block " + text_of(asked.block) + " = " + with_commas(threads) + " threads, ";
  if (threads > kMaxThreadsPerBlock) return block + with_commas(kMaxThreadsPerBlock) + " at most";
  if (kernel.max_threads != 0 && threads > kernel.max_threads)
    return block + with_commas(kernel.max_threads) + " at most by the kernel's __launch_bounds__";
  if (asked.shared > function.max_dynamic_shared)
    return with_commas(asked.shared) + " bytes of dynamic shared memory, " + with_commas(function.max_dynamic_shared) +
           " at most; cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize) allows up to " +
           with_commas(kSharedPerBlockOptin - kernel.static_shared);
  return error == cudaErrorInvalidClusterSize ? of_cluster(function, asked) : std::string{};
}

}  // namespace

cudaError_t explain_refusal(cudaError_t error, const CUfunc_st &function, const AskedLaunch &asked, const void *site) {
  if (!is_new(*function.kernel, site)) return error;
  const std::string reason = reason_of(error, function, asked);
  if (reason.empty()) return error;
  const std::string place = describe(find_call(site));
  const Kernel &kernel = *function.kernel;
  write_error(std::string("launch of kernel ") + (kernel.source_name != nullptr ? kernel.source_name : kernel.name) +
              (place.empty() ? "" : " " + place) + " refused (" + cudaGetErrorName(error) + "): " + reason);
  return error;
}

}  // namespace warploom
