# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is read of a folder's build files."""

from __future__ import annotations

from pathlib import Path

import pytest

from warploom.suite.recipes import build_folder, recipe_of

SCAN = """
cmake_minimum_required(VERSION 3.20)
project(scan LANGUAGES C CXX CUDA)
find_package(CUDAToolkit REQUIRED)
if(ENABLE_CUDA_DEBUG)
    set(CMAKE_CUDA_FLAGS "-G")
else()
    set(CMAKE_CUDA_FLAGS "-lineinfo")
endif()
include_directories(../../Common)
# add_executable(other other.cu)
add_executable(scan main.cpp scan.cu scan.h)
target_compile_options(scan PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda>)
target_compile_features(scan PRIVATE cxx_std_17 cuda_std_20)
target_include_directories(scan PRIVATE ${CUDAToolkit_INCLUDE_DIRS} inc)
set_target_properties(scan PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
target_link_libraries(scan PUBLIC CUDA::cufft CUDA::cuda_driver CUDA::cusolver)
"""


def cmake(folder: Path, text: str) -> Path:
    (folder / "CMakeLists.txt").write_text(text)
    return folder


def test_a_makefile_is_run_by_make(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("main:\n")
    assert recipe_of(tmp_path).build == "make ARCH=sm_80"


def test_an_executable_of_cmake_is_one_line(tmp_path: Path) -> None:
    recipe = recipe_of(cmake(tmp_path, SCAN))
    assert recipe.build == (
        "nvcc -std=c++20 -O3 -arch=sm_80 -rdc=true --extended-lambda -I../../Common -Iinc "
        "main.cpp scan.cu -o scan -lcufft -lcuda -lcusolver -lcublas -lcusparse"
    )
    assert recipe.run == "./scan"
    assert not recipe.needs


def test_a_kernel_compiled_beside_it_comes_first(tmp_path: Path) -> None:
    text = (
        SCAN + "add_custom_command(OUTPUT k.fatbin COMMAND ${CMAKE_CUDA_COMPILER} ${FLAGS} -o k.fatbin -fatbin k.cu\n"
    )
    recipe = recipe_of(cmake(tmp_path, text + 'DEPENDS k.cu COMMENT "a fatbin")\n'))
    assert recipe.build.startswith("nvcc -o k.fatbin -fatbin k.cu && nvcc ")


def test_files_beside_the_executable_are_copied(tmp_path: Path) -> None:
    text = """
list(GET CUDAToolkit_INCLUDE_DIRS 0 FIRST)
add_custom_command(TARGET scan POST_BUILD COMMAND ${CMAKE_COMMAND} -E copy_directory
  ${FIRST}/cooperative_groups ${CMAKE_CURRENT_BINARY_DIR}/cooperative_groups)
"""
    recipe = recipe_of(cmake(tmp_path, SCAN + text))
    assert recipe.build.startswith("cp -rT $CUDA_INCLUDE/cooperative_groups ./cooperative_groups 2>/dev/null || true; ")


def test_packages_beside_cuda_are_named(tmp_path: Path) -> None:
    assert recipe_of(cmake(tmp_path, "find_package(OpenGL)\nfind_package(GLUT)\n" + SCAN)).needs == ("OpenGL", "GLUT")


def test_what_is_built_for_windows_only_needs_it(tmp_path: Path) -> None:
    recipe = recipe_of(cmake(tmp_path, "if(WIN32)\n add_executable(x x.cu)\nendif()\n"))
    assert recipe.needs == ("another operating system",)


def test_sources_below_their_build_file(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    assert build_folder(cmake(tmp_path, SCAN) / "src") == tmp_path


def test_a_folder_without_a_build_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        recipe_of(tmp_path)
