// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVSHMEM's functions. What answers with a code answers with that for unsupported work; counts are 0, memory is null.
#include <nvshmem.h>

#include <cstring>

#include "../common/refused.h"

namespace {

constexpr const char *kReason = "NVSHMEM has not been written: use NCCL or MPI";

// Counts of processing elements, and a program's number among them.
int answer_of(const char *name) {
  if (std::strcmp(name, "nvshmem_my_pe") == 0) return -1;
  const bool counts = std::strstr(name, "n_pes") != nullptr || std::strstr(name, "init_status") != nullptr;
  return counts ? 0 : NVSHMEMX_ERROR_NOT_SUPPORTED;
}

}  // namespace

#pragma GCC visibility push(default)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
extern "C" {

#define WARPLOOM_SAY(NAME, RESULT)                 \
  static std::atomic_flag told = ATOMIC_FLAG_INIT; \
  if (!told.test_and_set()) warploom::libraries::say_refused(NAME, kReason, RESULT)
#define WARPLOOM_NVSHMEM_VOID(NAME, PARAMETERS) \
  void NAME PARAMETERS { WARPLOOM_SAY(#NAME, "nothing"); }
#define WARPLOOM_NVSHMEM_INT(NAME, PARAMETERS)  \
  int NAME PARAMETERS {                         \
    WARPLOOM_SAY(#NAME, "a code for an error"); \
    return answer_of(#NAME);                    \
  }
#define WARPLOOM_NVSHMEM_POINTER(NAME, PARAMETERS) \
  void *NAME PARAMETERS {                          \
    WARPLOOM_SAY(#NAME, "null");                   \
    return nullptr;                                \
  }
#include "warploom/libraries/nvshmem_refused.def"
#undef WARPLOOM_NVSHMEM_POINTER
#undef WARPLOOM_NVSHMEM_INT
#undef WARPLOOM_NVSHMEM_VOID
#undef WARPLOOM_SAY

}  // extern "C"
#pragma GCC diagnostic pop
#pragma GCC visibility pop
