// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --default-stream per-thread: the headers give entry points other names, under which stream 0 is the thread's own.
// Since work runs when it is submitted, both kinds of stream 0 do the same, and the names can be one function's.
#pragma once

#define WARPLOOM_PER_THREAD(name, suffix) \
  extern "C" __attribute__((visibility("default"), alias(#name))) decltype(name) name##suffix
