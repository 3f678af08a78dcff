// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUPTI's callbacks at calls of the API.
#include <cctype>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "../message.h"
#include "context.h"
#include "cupti_state.h"
#include "device.h"
#include "launch.h"

struct CUpti_Subscriber_st {
  CUpti_CallbackFunc callback = nullptr;
  void *userdata = nullptr;
  bool whole[CUPTI_CB_DOMAIN_SIZE] = {};
  // Exceptions from that.
  std::unordered_set<CUpti_CallbackId> others[CUPTI_CB_DOMAIN_SIZE];

  bool wants(CUpti_CallbackDomain domain, CUpti_CallbackId number) const {
    return whole[domain] != others[domain].contains(number);
  }
};

namespace warploom::cupti {
namespace {

constexpr CUpti_CallbackId kFirstOwnNumber = 10000;

// Never destroyed: calls come from destructors of globals.
struct State {
  std::mutex mutex;
  CUpti_Subscriber_st *subscriber = nullptr;
  std::unordered_map<std::string, CUpti_CallbackId> numbers;
  std::vector<const std::string *> own_names;
};

State &state() {
  static auto *const instance = [] {
    auto *const made = new State;
#define WARPLOOM_CUPTI_RUNTIME_CALL(name, version, number) made->numbers[#name] = number;
#define WARPLOOM_CUPTI_DRIVER_CALL(name, number) made->numbers[#name] = number;
    WARPLOOM_CUPTI_RUNTIME_CALLS(WARPLOOM_CUPTI_RUNTIME_CALL)
    WARPLOOM_CUPTI_DRIVER_CALLS(WARPLOOM_CUPTI_DRIVER_CALL)
#undef WARPLOOM_CUPTI_RUNTIME_CALL
#undef WARPLOOM_CUPTI_DRIVER_CALL
    return made;
  }();
  return *instance;
}

bool is_known(CUpti_CallbackDomain domain) { return domain > CUPTI_CB_DOMAIN_INVALID && domain < CUPTI_CB_DOMAIN_SIZE; }
bool is_told(CUpti_CallbackDomain domain) {
  return domain == CUPTI_CB_DOMAIN_DRIVER_API || domain == CUPTI_CB_DOMAIN_RUNTIME_API;
}

// The body of a function about a subscriber and a domain.
template <class Body>
CUptiResult with(CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain, const char *function, Body &&body) {
  State &all = state();
  const std::lock_guard lock(all.mutex);
  if (subscriber == nullptr || subscriber != all.subscriber || !is_known(domain)) return CUPTI_ERROR_INVALID_PARAMETER;
  if (!is_told(domain)) {
    return refuse(function, "of the domains of callbacks there are those of the driver's and the runtime's API");
  }
  return body(*subscriber);
}

// The kernel that a call launches, mangled.
const char *symbol_of(const Call &call) {
  if (call.parameters == nullptr || std::string_view(call.function) != "cudaLaunchKernel") return nullptr;
  const void *const stub = static_cast<const cudaLaunchKernel_v7000_params *>(call.parameters)->func;
  const CUfunc_st *const function = stub != nullptr ? find_function(stub) : nullptr;
  return function != nullptr ? function->kernel->name : nullptr;
}

}  // namespace

CUpti_CallbackDomain domain_of(const char *function) {
  if (std::string_view(function).starts_with("cuda")) return CUPTI_CB_DOMAIN_RUNTIME_API;
  const bool is_drivers = function[0] == 'c' && function[1] == 'u' && std::isupper(function[2]) != 0;
  return is_drivers ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_INVALID;
}

CUpti_CallbackId number_of(const char *function) {
  State &all = state();
  const std::lock_guard lock(all.mutex);
  const auto [entry, is_new] = all.numbers.try_emplace(function, 0);
  if (is_new) {
    entry->second = kFirstOwnNumber + static_cast<CUpti_CallbackId>(all.own_names.size());
    all.own_names.push_back(&entry->first);
  }
  return entry->second;
}

void tell(Call &call, CUpti_ApiCallbackSite site) {
  State &all = state();
  CUpti_CallbackFunc callback = nullptr;
  void *userdata = nullptr;
  {
    const std::lock_guard lock(all.mutex);
    if (all.subscriber == nullptr || !all.subscriber->wants(call.domain, call.number)) return;
    callback = all.subscriber->callback;
    userdata = all.subscriber->userdata;
  }
  CUpti_CallbackData data{};
  data.callbackSite = site;
  data.functionName = call.function;
  data.functionParams = call.parameters;
  data.functionReturnValue = site == CUPTI_API_EXIT ? &call.result : nullptr;
  data.symbolName = symbol_of(call);
  data.context = context_of(current_device());
  data.contextUid = current_context_number();
  data.correlationData = &call.data;
  data.correlationId = call.correlation;
  callback(userdata, call.domain, call.number, &data);
}

bool tells_anything() {
  const std::lock_guard lock(state().mutex);
  return state().subscriber != nullptr;
}

}  // namespace warploom::cupti

using namespace warploom::cupti;

extern "C" {

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback, void *userdata) {
  if (!subscriber) return CUPTI_ERROR_INVALID_PARAMETER;
  {
    const std::lock_guard lock(state().mutex);
    if (state().subscriber != nullptr) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    *subscriber = state().subscriber = new CUpti_Subscriber_st{callback, userdata, {}, {}};
  }
  note_change();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
  {
    const std::lock_guard lock(state().mutex);
    if (!subscriber || subscriber != state().subscriber) return CUPTI_ERROR_INVALID_PARAMETER;
    state().subscriber = nullptr;
  }
  delete subscriber;
  note_change();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                                CUpti_CallbackId cbid) {
  return with(subscriber, domain, "cuptiEnableCallback", [&](CUpti_Subscriber_st &found) {
    if ((enable != 0) == found.whole[domain]) {
      found.others[domain].erase(cbid);
    } else {
      found.others[domain].insert(cbid);
    }
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain) {
  return with(subscriber, domain, "cuptiEnableDomain", [&](CUpti_Subscriber_st &found) {
    found.whole[domain] = enable != 0;
    found.others[domain].clear();
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiEnableAllDomains(uint32_t enable, CUpti_SubscriberHandle subscriber) {
  const CUptiResult result = cuptiEnableDomain(enable, subscriber, CUPTI_CB_DOMAIN_DRIVER_API);
  return result == CUPTI_SUCCESS ? cuptiEnableDomain(enable, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API) : result;
}

CUptiResult cuptiGetCallbackState(uint32_t *enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                                  CUpti_CallbackId cbid) {
  return with(subscriber, domain, "cuptiGetCallbackState", [&](const CUpti_Subscriber_st &found) {
    if (!enable) return CUPTI_ERROR_INVALID_PARAMETER;
    *enable = found.wants(domain, cbid) ? 1 : 0;
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t cbid, const char **name) {
  if (!name || !is_told(domain)) return CUPTI_ERROR_INVALID_PARAMETER;
  State &all = state();
  const std::lock_guard lock(all.mutex);
  if (cbid >= kFirstOwnNumber && cbid - kFirstOwnNumber < all.own_names.size()) {
    *name = all.own_names[cbid - kFirstOwnNumber]->c_str();
    return CUPTI_SUCCESS;
  }
  for (const auto &[each, number] : all.numbers) {
    if (number != cbid || domain_of(each.c_str()) != domain) continue;
    *name = each.c_str();
    return CUPTI_SUCCESS;
  }
  return CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiSupportedDomains(size_t *domainCount, CUpti_DomainTable *domainTable) {
  static CUpti_CallbackDomain domains[] = {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RUNTIME_API};
  if (!domainCount || !domainTable) return CUPTI_ERROR_INVALID_PARAMETER;
  *domainCount = 2;
  *domainTable = domains;
  return CUPTI_SUCCESS;
}

}  // extern "C"
