# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# find_package(Torch) of PyTorch's CPU build, as a build for CUDA answers it: with the language CUDA, the toolkit and
# the device's libraries. `torch.utils.cmake_prefix_path` leads here.
get_filename_component(_warploom_home "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
include("@PYTORCH@/Torch/TorchConfig.cmake")

get_property(_warploom_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(NOT "CUDA" IN_LIST _warploom_languages)
  if(NOT DEFINED CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    set(CMAKE_CUDA_COMPILER "${_warploom_home}/bin/nvcc")
  endif()
  enable_language(CUDA)
endif()
if(NOT DEFINED CMAKE_CUDA_STANDARD)
  set(CMAKE_CUDA_STANDARD 20) # what PyTorch's headers ask of C++ sources, too
endif()
find_package(CUDAToolkit REQUIRED)

if(NOT TARGET torch_cuda)
  foreach(_warploom_name IN ITEMS c10_cuda torch_cuda)
    add_library(${_warploom_name} SHARED IMPORTED)
    set_target_properties(${_warploom_name} PROPERTIES
      IMPORTED_LOCATION "${_warploom_home}/lib64/lib${_warploom_name}.so"
      IMPORTED_SONAME "lib${_warploom_name}.so"
      INTERFACE_INCLUDE_DIRECTORIES "${_warploom_home}/include"
      INTERFACE_LINK_LIBRARIES "CUDA::cudart")
  endforeach()
  # A program calls the device through PyTorch's operators alone: the linker would leave the library out.
  set_property(TARGET torch APPEND PROPERTY INTERFACE_LINK_LIBRARIES
    "-Wl,--no-as-needed,\"${_warploom_home}/lib64/libtorch_cuda.so\" -Wl,--as-needed" torch_cuda c10_cuda)
endif()
set(TORCH_CUDA_LIBRARIES torch_cuda c10_cuda CUDA::cudart)
list(APPEND TORCH_LIBRARIES ${TORCH_CUDA_LIBRARIES})
list(APPEND TORCH_INCLUDE_DIRS "${_warploom_home}/include")
unset(_warploom_name)
unset(_warploom_languages)
unset(_warploom_home)
