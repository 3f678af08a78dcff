// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Separate compilation / one kernel template, instantiated in several files
// Each file has kernels of its own, whatever the linker thinks of templates of one name: those that threads run one by
// one as well (a turn that is handed from thread to thread), and next to kernels that are loops.
// sources: other.cu
// build: objects
#include "kernels.h"

int main() {
  int *output = device_zeros<int>(64);
  compare("first file", wanted(), run_here(output));
  compare("second file", wanted(), run_there(output));
  return 0;
}
