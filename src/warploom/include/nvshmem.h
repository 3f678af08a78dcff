// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVSHMEM: declarations for the host. Its functions say that they are not supported: memory is null, counts are 0.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdint.h>

typedef int32_t nvshmem_team_t;
#define NVSHMEM_TEAM_INVALID ((nvshmem_team_t) - 1)
#define NVSHMEM_TEAM_WORLD ((nvshmem_team_t)0)
#define NVSHMEM_TEAM_SHARED ((nvshmem_team_t)1)
#define NVSHMEMX_TEAM_NODE ((nvshmem_team_t)2)
#define NVSHMEM_CMP_EQ 0
#define NVSHMEM_CMP_NE 1
#define NVSHMEM_CMP_GT 2
#define NVSHMEM_CMP_LE 3
#define NVSHMEM_CMP_LT 4
#define NVSHMEM_CMP_GE 5
#define NVSHMEM_SIGNAL_SET 9
#define NVSHMEM_SIGNAL_ADD 10
#define NVSHMEMX_ERROR_NOT_SUPPORTED 5
typedef struct {
  int version, num_contexts;
} nvshmem_team_config_t;
typedef struct {
  int version;
  char internal[124];
} nvshmemx_uniqueid_t;
typedef struct {
  int version;
  void *mpi_comm;
  char internal[112];
} nvshmemx_init_attr_t;

#ifdef __cplusplus
extern "C" {
#endif
#define WARPLOOM_NVSHMEM_VOID(NAME, PARAMETERS) void NAME PARAMETERS;
#define WARPLOOM_NVSHMEM_INT(NAME, PARAMETERS) int NAME PARAMETERS;
#define WARPLOOM_NVSHMEM_POINTER(NAME, PARAMETERS) void *NAME PARAMETERS;
#include "warploom/libraries/nvshmem_refused.def"
#undef WARPLOOM_NVSHMEM_POINTER
#undef WARPLOOM_NVSHMEM_INT
#undef WARPLOOM_NVSHMEM_VOID
#ifdef __cplusplus
}
#endif
