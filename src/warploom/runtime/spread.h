// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and fills over OS threads, cut as loops over blocks are: what a kernel reads next is where it will be read.
#pragma once

#include <cstddef>
#include <functional>

namespace warploom {

// OS threads that so many bytes keep at work, about.
unsigned spread_threads(std::size_t bytes);

// A loop over blocks runs on so many OS threads. Small copies and fills of the calling thread are then cut for no more:
// what one thread is to read would lie in the caches of others.
void note_loop(unsigned threads);

// Runs body(first, last) for ranges that make up the bytes [0, bytes), on as many OS threads as that is worth; `kind`
// tells loops apart whose speed differs.
void spread(const void *kind, std::size_t bytes, const std::function<void(std::size_t, std::size_t)> &body);

}  // namespace warploom
