// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUPTI's records of what ran. They gather here, and go to the program's buffers when it asks for them, or when there
// are many: at the end of a call of the API, on the thread that made it.
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>

namespace warploom::cupti {

// Bytes of a record; 0: there are none of this kind.
std::size_t size_of(CUpti_ActivityKind kind);

// Which are wanted. `want`: true when it was not before.
bool want(CUpti_ActivityKind kind);
void want_no_more(CUpti_ActivityKind kind);
void want_nothing();
bool is_wanted(CUpti_ActivityKind kind);
bool records_anything();

void append(const void *record, std::size_t bytes);
template <class Record>
void append(const Record &record) {
  append(&record, sizeof record);
}

// Where they go.
void set_buffers(CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete);
// Hands all records that there are to the program, a buffer at a time.
void deliver();
void deliver_many();
// Those that found no room since the last time.
std::size_t take_dropped();

}  // namespace warploom::cupti
