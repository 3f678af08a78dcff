// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda::std as another name of std.
#pragma once

namespace std {}

namespace cuda {
namespace std {
using namespace ::std;
}  // namespace std
}  // namespace cuda
