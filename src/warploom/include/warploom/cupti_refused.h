/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   Functions of CUPTI with nothing behind them: counters of a GPU. */
#pragma once

typedef void *CUpti_EventGroup;
typedef uint32_t CUpti_EventID;
typedef uint32_t CUpti_EventDomainID;
typedef uint32_t CUpti_MetricID;
typedef struct {
  uint32_t numEventGroups;
  CUpti_EventGroup *eventGroups;
} CUpti_EventGroupSet;
typedef struct {
  uint32_t numSets;
  CUpti_EventGroupSet *sets;
} CUpti_EventGroupSets;
typedef union {
  double metricValueDouble;
  uint64_t metricValueUint64;
  int64_t metricValueInt64;
} CUpti_MetricValue;

#define WARPLOOM_CUPTI_REFUSED(name, parameters) CUptiResult name parameters;
#include "cupti_refused.def"
#undef WARPLOOM_CUPTI_REFUSED
