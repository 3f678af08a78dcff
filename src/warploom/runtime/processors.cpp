// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "processors.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "engine.h"
#include "report.h"

namespace warploom {
namespace {

// Of the process's affinity mask (taskset, a container's cpuset).
unsigned present_processors() {
  // The kernel refuses a set that is too small for the machine.
  for (int most = 1024; most <= 1 << 16; most *= 2) {
    cpu_set_t *const set = CPU_ALLOC(most);
    if (set == nullptr) break;
    const std::size_t size = CPU_ALLOC_SIZE(most);
    const int count = sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (count > 0) return static_cast<unsigned>(count);
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

// The groups of the process, innermost first, as paths below the file system that `controller` names ("": version 2).
std::string group_of_process(const std::string &root, const std::string &controller) {
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // 4:cpu,cpuacct:/path
    std::istringstream fields(line);
    std::string number, controllers, path;
    std::getline(fields, number, ':');
    std::getline(fields, controllers, ':');
    std::getline(fields, path);
    const bool is_it = controller.empty() ? controllers.empty()
                                          : ("," + controllers + ",").find("," + controller + ",") != std::string::npos;
    if (is_it) return path == "/" ? "" : path;
  }
  return "";
}

unsigned processors_for(double quota, double period) {
  if (quota <= 0 || period <= 0) return 0;
  return std::max(1U, static_cast<unsigned>((quota + period - 1) / period));
}

unsigned quota_in(const std::string &folder) {
  double quota = 0, period = 0;
  std::string word;
  if (std::ifstream both(folder + "/cpu.max"); both >> word >> period) {
    return word == "max" ? 0 : processors_for(std::strtod(word.c_str(), nullptr), period);
  }
  std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
  std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  return processors_for(quota, period);
}

unsigned least_quota(const std::string &mount, std::string group) {
  unsigned least = 0;
  while (true) {
    const unsigned here = quota_in(mount + group);
    if (here != 0) least = least == 0 ? here : std::min(least, here);
    if (group.empty()) return least;
    group.resize(group.rfind('/'));
  }
}

unsigned wanted_processors() {
  if (const char *text = std::getenv("WARPLOOM_NUM_THREADS"); text != nullptr && *text != '\0') {
    char *end = nullptr;
    const long count = std::strtol(text, &end, 10);
    if (*end == '\0' && count >= 1 && count <= 4096) return static_cast<unsigned>(count);
    write_error(std::string("WARPLOOM_NUM_THREADS=") + text + " ignored: expected a number from 1 to 4096");
  }
  const unsigned present = present_processors(), granted = granted_processors();
  return granted == 0 ? present : std::min(present, granted);
}

}  // namespace

unsigned granted_processors(const std::string &root) {
  const unsigned unified = least_quota(root + "/sys/fs/cgroup", group_of_process(root, ""));
  const unsigned divided = least_quota(root + "/sys/fs/cgroup/cpu", group_of_process(root, "cpu"));
  return unified == 0 || (divided != 0 && divided < unified) ? divided : unified;
}

unsigned processor_count() {
  static const unsigned result = wanted_processors();
  return result;
}

}  // namespace warploom
