// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules: kernels that a program loads while it runs, from what warpcc -fatbin, -cubin or -ptx wrote.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver.h"
#include "launch.h"

namespace warploom {

// The machine code in a module's bytes: an ELF file, or a text (-ptx) that holds one. Empty when they hold none; `data`
// is read no further than it says itself that it goes, and has `most` bytes at most.
std::string module_code(const void *data, std::size_t most = ~std::size_t{0});

// The text form of a module: what a program may read as a string and hand on as one.
std::string module_text(std::string_view code);

// Reports what is wrong with bytes that hold no module of ours.
cudaError_t refuse_image(const char *function, const void *data);

// Loads a module from its bytes, or from a file; `function` is the caller's, for messages.
cudaError_t load_module(CUmodule *module, const void *data, const char *function);
cudaError_t load_module_file(CUmodule *module, const char *path, const char *function);
// After all work of the device.
cudaError_t unload_module(CUmodule module);
// What a module holds: cudaErrorSymbolNotFound for a name that it has not.
cudaError_t find_in_module(CUmodule module, const char *name, CUfunc_st **function);
cudaError_t find_in_module(CUmodule module, const char *name, const Variable **variable);
// Handles of all its kernels.
cudaError_t functions_of_module(CUmodule module, std::vector<CUfunc_st *> *functions);
// The options of a load ask for logs and tune the translation of PTX: there is nothing to translate, and the logs are
// empty.
void empty_logs(unsigned count, const CUjit_option *options, void **values);

}  // namespace warploom
