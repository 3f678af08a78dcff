# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   make demo   set up, then compile and run a real CUDA program on the CPU
#   make test   set up, check the style and types, run the tests
#   make newcomer   what someone who installs the wheel meets (slow)
#   make torch      PyTorch with device "cuda": what tests/pytorch has (slow)
#   make torch-train  networks trained on device "cuda" beside the CPU: losses, times (slow)
#   make docs       searchable pages in build/site
#
# Both need python3 (>= 3.11) with venv and the C library's headers; scripts/setup says what is missing and, as root on
# Debian or Ubuntu, installs it.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CXX_SOURCES = $(shell find src tests examples bench -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh')
PYTEST_WORKERS ?= 2

# PyTorch's CPU build, and a Python of its own for it.
TORCH ?= torch==2.13.0+cpu
TORCH_VENV := build/torch-venv

.PHONY: demo test newcomer torch torch-train docs lint format clean

demo: $(VENV)/installed
	@echo '$$ warploom run examples/vecadd.cu'
	@$(BIN)/warploom run examples/vecadd.cu

test: lint
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) -q

# What strangers meet: a wheel in a new environment, as others than its builder. Slow.
newcomer: $(VENV)/installed-dev
	$(BIN)/python -m pytest -q -rP -o python_files='*.py' tests/newcomer

torch: $(TORCH_VENV)/installed
	WARPLOOM_TORCH_OPERATORS=all $(TORCH_VENV)/bin/python -m pytest -q tests/pytorch

torch-train: $(TORCH_VENV)/installed
	$(TORCH_VENV)/bin/python bench/torch/trainings.py losses
	$(TORCH_VENV)/bin/python bench/torch/trainings.py time 1
	$(TORCH_VENV)/bin/python bench/torch/trainings.py time 2

docs: $(VENV)/installed
	$(BIN)/python scripts/nvcc_options.py
	$(BIN)/pip install -q -e '.[docs]'
	$(BIN)/mkdocs build --strict

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@echo "$(BIN)/clang-format --dry-run (C++ and CUDA sources)"
	@$(BIN)/clang-format --dry-run -Werror $(CXX_SOURCES)
	$(BIN)/pyright --pythonpath $(BIN)/python

format: $(VENV)/installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CXX_SOURCES)

$(VENV)/installed: pyproject.toml scripts/setup
	@PYTHON='$(PYTHON)' scripts/setup $(VENV) .
	@touch $@

$(VENV)/installed-dev: pyproject.toml scripts/setup
	@PYTHON='$(PYTHON)' scripts/setup $(VENV) '.[dev]'
	@touch $@ $(VENV)/installed

$(TORCH_VENV)/installed: pyproject.toml scripts/setup
	@PYTHON='$(PYTHON)' scripts/setup $(TORCH_VENV) '.[test,cccl]'
	$(TORCH_VENV)/bin/pip install -q '$(TORCH)' ninja setuptools expecttest pyyaml
	$(TORCH_VENV)/bin/warploom torch enable
	@touch $@

clean:
	rm -rf $(VENV) build dist
