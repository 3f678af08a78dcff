// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cupti.cpp, cupti_activity.cpp (what ran) and cupti_callbacks.cpp know of each other.
#pragma once

#include <cupti.h>

namespace warploom::cupti {

// The API call of a thread.
struct Call {
  const char *function = nullptr;  // null: one that nobody asked for
  const void *parameters = nullptr;
  CUpti_CallbackDomain domain = CUPTI_CB_DOMAIN_INVALID;
  CUpti_CallbackId number = 0;
  std::uint32_t correlation = 0;
  std::uint64_t start = 0, data = 0;
  int result = 0;
};

// The number of an API function, which belongs to one of two domains; of a library's none.
CUpti_CallbackDomain domain_of(const char *function);
CUpti_CallbackId number_of(const char *function);

// Calls the subscriber, if it wants to hear of this call.
void tell(Call &call, CUpti_ApiCallbackSite site);
bool tells_anything();
void note_change();  // of that, or of which records are wanted

// Records of what there is from the beginning.
void add_what_there_is(CUpti_ActivityKind kind);
// Ids that the program gives to the calls which the calling thread makes.
void push_outer_id(CUpti_ExternalCorrelationKind kind, std::uint64_t id);
bool pop_outer_id(CUpti_ExternalCorrelationKind kind, std::uint64_t *id);

std::uint32_t current_context_number();
CUptiResult refuse(const char *function, const char *reason);

}  // namespace warploom::cupti
