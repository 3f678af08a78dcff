// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules: kernels that a program loads while it runs, from what warpcc -fatbin, -cubin or -ptx wrote.
#pragma once

#include <string>
#include <string_view>

#include "cuda_runtime_api.h"

namespace warploom {

// The machine code in a module's bytes: an ELF file, or a text (-ptx) that holds one. Empty when they hold none; `data`
// is read no further than it says itself that it goes.
std::string module_code(const void *data);

// The text form of a module: what a program may read as a string and hand on as one.
std::string module_text(std::string_view code);

// Reports what is wrong with bytes that hold no module of ours.
cudaError_t refuse_image(const char *function, const void *data);

}  // namespace warploom
