// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuDNN: its graphs.
#pragma once

#include "cudnn_graph.h"
