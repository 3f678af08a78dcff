// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which processors the process may use, and how many of them it should: engine.h's processor_count.
#pragma once

#include <string>
#include <vector>

namespace warploom {

// CPUs' worth of time that the control groups of this process grant it, rounded up; 0: no limit. `root`: where the
// files of /proc and /sys begin.
unsigned granted_processors(const std::string &root = "");

// Of `present` processors that an MPI rank may use, those that it should, where all ranks of this machine have `total`.
unsigned share_of_rank(unsigned present, unsigned total, unsigned ranks);

// Processors by number.
using Processors = std::vector<unsigned>;

// `processors` by the NUMA node that they belong to, as the files below `root` have it; one node where they say
// nothing.
std::vector<Processors> nodes_of(const Processors &processors, const std::string &root = "");
// Those of `processor` first: the thread that owns a team is bound to none, and its members stay beside it.
std::vector<Processors> nodes_from(std::vector<Processors> nodes, unsigned processor);
// Where a team's thread belongs: those of the first node come first, so that neighbouring parts of a loop share a
// node's memory. All processors where there are more threads than those, or one node.
Processors home_of(const std::vector<Processors> &nodes, unsigned thread);

// Those that the process may use: its main thread's mask. How many of them at once, by the quotas as well.
const Processors &usable_processors();
unsigned usable_count();
// Whether WARPLOOM_NUM_THREADS says how many there shall be.
bool is_count_given();

// Lets the calling thread run where thread number `thread` of the team belongs whose owner began on processor `origin`:
// on one node, never on one processor.
void go_home(unsigned thread, unsigned origin);
// Where the calling thread is; 0 where the system does not tell.
unsigned current_processor();

}  // namespace warploom
