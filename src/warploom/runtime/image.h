// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler leaves in an object file for the runtime: one Image a translation unit, registered by a static
// constructor. The layout is shared with backend/image.py: change both, and kImageVersion.
#pragma once

#include <cstdint>

namespace warploom {

inline constexpr std::uint32_t kImageVersion = 10;

struct Parameter {
  std::uint32_t offset;  // in a packed parameter buffer, bytes
  std::uint32_t size;    // bytes
};

// A launch as the code of the optimising engine sees it.
struct LaunchShape {
  std::uint32_t grid[3];
  std::uint32_t block[3];
};

// Blocks [first, last) of a parallel loop, x fastest. `frame` is what __warploom_run_blocks was given; the index of the
// running block goes to position[0..2]; `scratch` is memory that the blocks use one after the other.
using BlocksBody = void (*)(void *frame, std::uint32_t *position, char *scratch, std::uint64_t first,
                            std::uint64_t last);

// One iteration of a loop over threads. `frame` is what __warploom_take_turns was given.
using TurnBody = void (*)(void *frame, std::uint32_t number);

// Iterations [first, last) of a long loop over the threads of one block, which are independent. `frame` and `scratch`
// are what __warploom_share_threads was given.
using ThreadsBody = void (*)(void *frame, char *scratch, std::uint32_t first, std::uint32_t last);

// Flags of __warploom_run_blocks.
inline constexpr std::uint32_t kSharedStays = 1;   // each block keeps its shared memory until the launch ends
inline constexpr std::uint32_t kOneAtATime = 2;    // blocks may wait for each other: none starts before it is its turn
inline constexpr std::uint32_t kThreadsNamed = 4;  // each thread calls __warploom_set_thread before it does anything

// The kinds of floating-point numbers, as bits.
enum FloatKinds : std::uint32_t { kHalf = 1, kBfloat = 2, kFloat = 4, kDouble = 8 };

// Functions of other translation units, by their addresses, that have to be plain.
struct Needs {
  const void *const *functions = nullptr;
  std::uint32_t count = 0;
  std::uint32_t still = 0;  // 1: and what they give must not change when another thread stores
};

// What is known of a device function that other translation units may call (frontend/function_facts.py).
struct Function {
  const void *address;
  std::uint32_t is_plain;  // 1: one thread can run it by itself, if what it needs is plain
  std::uint32_t looks;     // 1: what it gives may change when another thread stores
  Needs needs = {};
};

// What has to be true of a block's warps (analysis/warp_groups.py).
inline constexpr std::uint32_t kRows = 1;       // each lies in a row
inline constexpr std::uint32_t kWholeRows = 2;  // a row is a number of whole ones

struct Kernel {
  const char *name;        // mangled, as the host side registers it
  void (*entry)(void **);  // one thread of the kernel; args[i] points at parameter i; null: see grid_entry
  void (*grid_entry)(void **, LaunchShape *);  // all threads (the optimising engine); null: the reference engine
  const Parameter *parameters;
  std::uint32_t parameter_count;
  std::uint32_t static_shared;        // bytes of static shared memory the kernel can reach
  std::uint32_t local_size;           // bytes of private memory a thread, an estimate
  std::uint32_t max_threads;          // from __launch_bounds__; 0: not given
  const char *source_name;            // demangled, for messages
  const void *handle = nullptr;       // what the kernel's address is in device code
  std::uint32_t cluster[3] = {};      // from __cluster_dims__; 0: not given
  std::uint32_t may_spin = 0;         // 1: it has loops that may wait for what somebody else writes
  std::uint32_t thread_work = 0;      // ops of a thread, about, each loop taken for eight turns; 0: not known
  std::uint32_t float_kinds = 0;      // of a twin: the FloatKinds that it computes with
  std::uint32_t flush_denormals = 0;  // 1: denormals count as zeros, as inputs and as results (-ftz=true)
  // What becomes of grid_entry once all that it needs is known to be plain; `entry` runs until then.
  void (*grid_entry_if)(void **, LaunchShape *) = nullptr;
  Needs needs = {};
  // What a thread does, as far as the compiler can count it (analysis/work_formulas.py); null: nothing is known.
  const char *work = nullptr;
  // The blocks that grid_entry is for: such, and in launches of up to `most` threads those of one of the sizes (0:
  // any). `others` runs the rest.
  std::uint32_t warps = 0;
  std::uint32_t sizes[2][3] = {};
  std::uint64_t most = 0;
  const Kernel *others = nullptr;
};

enum VariableFlags : std::uint32_t { kConstant = 1, kManaged = 2 };

struct Variable {
  const char *name;
  void *address;  // of a managed variable: its initial value
  std::uint64_t size;
  void **slot;  // of a managed variable: where device code reads the address of the host's storage
  std::uint32_t flags;
};

// Where the variable lives: for a managed one, once bound, in the host's variable of that name.
inline void *storage(const Variable &variable) {
  return variable.slot && *variable.slot ? *variable.slot : variable.address;
}

struct Image {
  std::uint32_t version;
  std::uint32_t arch;        // __CUDA_ARCH__ it was compiled for, e.g. 800
  const char *id;            // the content of the fat binary that the host side registers
  const char *cpu_features;  // "+avx2,+fma,...": what the code needs of the CPU
  const Kernel *kernels;
  const Variable *variables;
  std::uint32_t kernel_count;
  std::uint32_t variable_count;
  std::uint64_t static_shared;   // bytes of this image's static shared variables, all kernels together
  std::uint64_t *shared_offset;  // the runtime writes where they start, after WARPLOOM_STATIC_SHARED_OFFSET
  std::uint32_t rank;            // of several versions of one image, which register in this order: 1, 2, ...; else 0
  // 1: its kernels are those of another image on the reference engine, to be compared with them (backend/twins.py).
  std::uint32_t is_twin = 0;
  const Function *functions = nullptr;
  std::uint32_t function_count = 0;
};

}  // namespace warploom

// Called by the static constructor of every translation unit with device code.
extern "C" void __warploom_register_image(const warploom::Image *image);

// Called by the code of the optimising engine, on the fiber of a launch. Changes the launch to one of fewer, larger
// blocks, before anything reads it; `way` 1: only to one with as many threads, 2: or of single rows of threads. Runs a
// parallel loop over blocks, of which each OS thread has `scratch` bytes of memory; memory that lasts until the launch
// ends.
extern "C" void __warploom_merge_blocks(warploom::LaunchShape *launch, std::uint32_t way) noexcept;
extern "C" void __warploom_run_blocks(warploom::LaunchShape *launch, warploom::BlocksBody body, void *frame,
                                      std::uint64_t blocks, std::uint64_t scratch, std::uint32_t flags) noexcept;
// For each number below `count` body(frame, number): iterations that may wait for each other (turns.h).
extern "C" void __warploom_take_turns(warploom::TurnBody body, void *frame, std::uint32_t count) noexcept;
// body(frame, scratch, ...) for all iterations below `count`, in parts that may run at once (thread_loop.h).
extern "C" void __warploom_share_threads(warploom::ThreadsBody body, void *frame, char *scratch,
                                         std::uint32_t count) noexcept;
extern "C" void *__warploom_grid_memory(warploom::LaunchShape *launch, std::uint64_t bytes) noexcept;
// Of the cluster that block (x, y, z) is in: shared memory by rank, and the rank that has an address in its own.
extern "C" char *__warploom_cluster_memory_of_block(unsigned x, unsigned y, unsigned z, unsigned rank) noexcept;
extern "C" int __warploom_cluster_rank_for_block(unsigned x, unsigned y, unsigned z, const void *address) noexcept;
