// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What device code prints. As on a device it is kept until the program synchronises, so that the order of its lines and
// the host's does not depend on when a kernel runs; nothing is lost when there is much of it, or when the program ends.
#pragma once

#include <cstddef>

namespace warploom {

void add_device_output(const char *text, std::size_t size);
// Writes to stdout what there is.
void write_device_output();

}  // namespace warploom
