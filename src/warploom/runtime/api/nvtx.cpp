// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVTX: ranges nest and are numbered; `warploom profile` gets them, else nothing is kept.
#include <nvToolsExt.h>

#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "../observe.h"
#include "../profile.h"

namespace {

using namespace warploom;
using profile::Kind;

struct Open {
  const char *text;
  std::uint64_t start;
  std::uint32_t mark = 0;  // CUPTI's number of it; 0: nobody asked
};

// Whether texts are needed.
bool is_recorded() { return profile::is_on || observe::is_on; }

// The range begins, for CUPTI: its number.
std::uint32_t begin_mark(const char *text) {
  static std::atomic<std::uint32_t> last{0};
  if (!observe::is_on) return 0;
  const std::uint32_t number = ++last;
  observe::add_mark(observe::Mark::kStart, number, text);
  return number;
}
void end_mark(std::uint32_t number) {
  if (number != 0) observe::add_mark(observe::Mark::kEnd, number, nullptr);
}

thread_local int depth = 0;
thread_local std::vector<Open> open_ranges;  // of the thread, while they are recorded
std::atomic<nvtxRangeId_t> last_range{0};

struct Started {
  std::mutex mutex;
  std::unordered_map<nvtxRangeId_t, Open> ranges;
};

Started &started() {
  static auto *const instance = new Started;
  return *instance;
}

// As UTF-8; characters beyond U+07FF become question marks.
std::string narrow(const wchar_t *text) {
  std::string result;
  for (; text != nullptr && *text != L'\0'; ++text) {
    const auto code = static_cast<unsigned long>(*text);
    if (code < 0x80) {
      result += static_cast<char>(code);
    } else if (code < 0x800) {
      result += static_cast<char>(0xc0 | code >> 6);
      result += static_cast<char>(0x80 | (code & 0x3f));
    } else {
      result += '?';
    }
  }
  return result;
}

std::string text_of(const char *message) { return message != nullptr ? message : ""; }
std::string text_of(const wchar_t *message) { return narrow(message); }
std::string text_of(const nvtxEventAttributes_t *attributes) {
  if (attributes == nullptr) return {};
  switch (attributes->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      return text_of(attributes->message.ascii);
    case NVTX_MESSAGE_TYPE_UNICODE:
      return text_of(attributes->message.unicode);
    case NVTX_MESSAGE_TYPE_REGISTERED:
      return text_of(reinterpret_cast<const char *>(attributes->message.registered));
    default:
      return {};
  }
}
// A domain, like a registered text, is its name, which is kept.
std::string text_of(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes) {
  return text_of(reinterpret_cast<const char *>(domain)) + ": " + text_of(attributes);
}

template <class Handle, class Text>
Handle kept(const Text *text) {
  return reinterpret_cast<Handle>(const_cast<char *>(profile::kept(text_of(text).c_str())));
}

template <class... Message>
int push(Message... message) {
  if (is_recorded()) {
    const char *const text = profile::kept(text_of(message...).c_str());
    open_ranges.push_back({text, ticks(), begin_mark(text)});
  }
  return depth++;
}

int pop() {
  if (!open_ranges.empty()) {
    const Open range = open_ranges.back();
    open_ranges.pop_back();
    profile::add({range.start, ticks(), range.text, Kind::kRange});
    end_mark(range.mark);
  }
  return depth > 0 ? --depth : NVTX_NO_PUSH_POP_TRACKING;
}

template <class... Message>
nvtxRangeId_t start(Message... message) {
  const nvtxRangeId_t id = ++last_range;
  if (!is_recorded()) return id;
  const char *const text = profile::kept(text_of(message...).c_str());
  const Open range = {text, ticks(), begin_mark(text)};
  Started &all = started();
  const std::lock_guard lock(all.mutex);
  all.ranges.emplace(id, range);
  return id;
}

void end(nvtxRangeId_t id) {
  if (!is_recorded()) return;
  Started &all = started();
  const std::lock_guard lock(all.mutex);
  const auto found = all.ranges.find(id);
  if (found == all.ranges.end()) return;
  profile::add({found->second.start, ticks(), found->second.text, Kind::kRange});
  end_mark(found->second.mark);
  all.ranges.erase(found);
}

template <class... Message>
void mark(Message... message) {
  if (!is_recorded()) return;
  const std::uint64_t now = ticks();
  const char *const text = profile::kept(text_of(message...).c_str());
  profile::add({now, now, text, Kind::kMark});
  observe::add_mark(observe::Mark::kInstant, 0, text);
}

}  // namespace

#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC visibility push(default)
extern "C" {
#define WARPLOOM_NVTX(RESULT, NAME, PARAMETERS, VALUE) \
  RESULT NAME PARAMETERS { return VALUE; }
#include "warploom/libraries/nvtx.def"
#undef WARPLOOM_NVTX
}
#pragma GCC visibility pop
