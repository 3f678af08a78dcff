// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "processors.h"

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include "engine.h"
#include "report.h"

namespace warploom {
namespace {

// Those of a thread's affinity mask (taskset, a container's cpuset); none when the system does not tell.
Processors affinity_of(pid_t thread) {
  // The kernel refuses a set that is too small for the machine.
  for (int most = 1024; most <= 1 << 16; most *= 2) {
    cpu_set_t *const set = CPU_ALLOC(most);
    if (set == nullptr) break;
    const std::size_t size = CPU_ALLOC_SIZE(most);
    Processors found;
    if (sched_getaffinity(thread, size, set) == 0) {
      for (int i = 0; i < most; ++i) {
        if (CPU_ISSET_S(static_cast<std::size_t>(i), size, set)) found.push_back(static_cast<unsigned>(i));
      }
    }
    CPU_FREE(set);
    if (!found.empty()) return found;
  }
  return {};
}

void set_affinity(const Processors &processors) {
  const std::size_t most = processors.back() + 1;
  cpu_set_t *const set = CPU_ALLOC(most);
  if (set == nullptr) return;
  const std::size_t size = CPU_ALLOC_SIZE(most);
  CPU_ZERO_S(size, set);
  for (const unsigned processor : processors) CPU_SET_S(processor, size, set);
  sched_setaffinity(0, size, set);  // one that has gone meanwhile: stays where it was
  CPU_FREE(set);
}

// Before the program has run anything.
const Processors first_affinity = affinity_of(0);

// Whether an OpenMP library has bound the threads that it knows to processors: the main thread is one of them.
bool openmp_binds() {
  using Bind = int();
  auto *const bind = reinterpret_cast<Bind *>(dlsym(RTLD_DEFAULT, "omp_get_proc_bind"));
  return bind != nullptr && bind() != 0;
}

const Processors &allowed() {
  static const auto *const result = [] {
    Processors now = openmp_binds() ? first_affinity : affinity_of(getpid());
    for (unsigned i = 0; now.empty() && i < std::max(1U, std::thread::hardware_concurrency()); ++i) now.push_back(i);
    return new Processors(std::move(now));  // never destroyed: threads may ask while the process ends
  }();
  return *result;
}

// MPI processes that were started together on this machine; 1 where none say so.
unsigned local_ranks() {
  for (const char *name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_SIZE"}) {
    const char *const text = std::getenv(name);
    if (const long count = text == nullptr ? 0 : std::strtol(text, nullptr, 10); count >= 1 && count <= 1 << 20) {
      return static_cast<unsigned>(count);
    }
  }
  return 1;
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

// WARPLOOM_NUM_THREADS; 0: nothing that counts.
unsigned given_count(bool complains) {
  const char *const text = std::getenv("WARPLOOM_NUM_THREADS");
  if (text == nullptr || *text == '\0') return 0;
  char *end = nullptr;
  const long count = std::strtol(text, &end, 10);
  if (*end == '\0' && count >= 1 && count <= 4096) return static_cast<unsigned>(count);
  if (complains) {
    write_error(std::string("WARPLOOM_NUM_THREADS=") + text + " ignored: expected a number from 1 to 4096");
  }
  return 0;
}

unsigned wanted_processors() {
  if (const unsigned given = given_count(true); given != 0) return given;
  // A rank's starter has what all of them have.
  const auto present = static_cast<unsigned>(allowed().size()), ranks = local_ranks();
  const auto total = static_cast<unsigned>(ranks == 1 ? present : affinity_of(getppid()).size());
  const unsigned granted = granted_processors();
  return std::min(share_of_rank(present, total, ranks),
                  granted == 0 ? present : share_of_rank(granted, granted, ranks));
}

// A list as "0-3,8,10-11".
Processors listed(const std::string &text) {
  Processors found;
  std::istringstream ranges(text);
  for (std::string range; std::getline(ranges, range, ',');) {
    unsigned first = 0, last = 0;
    const int count = std::sscanf(range.c_str(), "%u-%u", &first, &last);
    for (unsigned i = first; count >= 1 && i <= (count == 1 ? first : last); ++i) found.push_back(i);
  }
  return found;
}

Processors list_in(const std::string &path) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text);
  return listed(text);
}

}  // namespace

unsigned granted_processors(const std::string &root) {
  const unsigned unified = least_quota(root + "/sys/fs/cgroup", group_of_process(root, ""));
  const unsigned divided = least_quota(root + "/sys/fs/cgroup/cpu", group_of_process(root, "cpu"));
  return unified == 0 || (divided != 0 && divided < unified) ? divided : unified;
}

unsigned share_of_rank(unsigned present, unsigned total, unsigned ranks) {
  return std::min(present, std::max(1U, std::max(present, total) / ranks));
}

std::vector<Processors> nodes_of(const Processors &processors, const std::string &root) {
  const std::string folder = root + "/sys/devices/system/node/";
  std::vector<Processors> nodes;
  std::size_t found = 0;
  for (const unsigned node : list_in(folder + "online")) {
    Processors own;
    for (const unsigned each : list_in(folder + "node" + std::to_string(node) + "/cpulist")) {
      if (std::ranges::binary_search(processors, each)) own.push_back(each);
    }
    found += own.size();
    if (!own.empty()) nodes.push_back(std::move(own));
  }
  return found == processors.size() ? nodes : std::vector<Processors>{processors};
}

std::vector<Processors> nodes_from(std::vector<Processors> nodes, unsigned processor) {
  const auto found =
      std::ranges::find_if(nodes, [&](const Processors &node) { return std::ranges::binary_search(node, processor); });
  if (found != nodes.end()) std::rotate(nodes.begin(), found, found + 1);
  return nodes;
}

Processors home_of(const std::vector<Processors> &nodes, unsigned thread) {
  Processors all;
  for (const Processors &node : nodes) {
    if (thread >= all.size() && thread < all.size() + node.size()) return node;
    all.insert(all.end(), node.begin(), node.end());
  }
  std::ranges::sort(all);
  return all;
}

void go_home(unsigned thread, unsigned origin) {
  static const auto *const nodes = new std::vector(nodes_of(allowed()));  // likewise
  set_affinity(home_of(nodes_from(*nodes, origin), thread));
}

unsigned current_processor() { return static_cast<unsigned>(std::max(sched_getcpu(), 0)); }

const Processors &usable_processors() { return allowed(); }

unsigned usable_count() {
  static const unsigned result = [] {
    const auto present = static_cast<unsigned>(allowed().size());
    const unsigned granted = granted_processors();
    return granted == 0 ? present : std::min(present, granted);
  }();
  return result;
}

bool is_count_given() { return given_count(false) != 0; }

unsigned processor_count() {
  static const unsigned result = wanted_processors();
  return result;
}

}  // namespace warploom
