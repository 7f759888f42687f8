# Every verb prepares what it needs from python3 (3.11 or newer), cargo and make; tools go to .venv, pinned.
PYTHON ?= python3
PYTEST_ARGS ?=
KIT ?= ../shared
MUTANTS ?= 1000000
PARITY_MUTANTS ?= 5000
REPORT_ARGS ?=

BIN := .venv/bin
CARGO_SOURCES := Cargo.toml Cargo.lock pyproject.toml $(shell find rust -name '*.rs' -o -name Cargo.toml)

.PHONY: help demo test lint rust-test python-test bench cases corpus fuzz vectors wheel docs clean
.NOTPARALLEL:
.DELETE_ON_ERROR:

help:
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "%-13s %s\n", $$1, $$2}' Makefile

demo: .venv/native  ## translate the bundled stream and show what happened
	$(BIN)/python -m transcodec demo

test: lint rust-test python-test  ## the gate: everything that must hold before a change lands

lint: .venv/native  ## formatting, lints, types, and the stub against the built module
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest transcodec._native

rust-test:  ## Rust tests and doc tests
	cargo test --workspace --locked

python-test: .venv/native  ## Python tests; PYTEST_ARGS='-m "not packaging"' skips the slow ones
	$(BIN)/python -m pytest $(PYTEST_ARGS)

bench: .venv/tools  ## speed on the release build, with KIT's workloads if it has some; fails on wrong output, with REPORT_ARGS=--strict on missed goals
	rm -f .venv/native .benchmarks/run.json
	VIRTUAL_ENV=$(CURDIR)/.venv $(BIN)/maturin develop --quiet --locked --profile dist
	$(BIN)/python benches/workloads.py $(KIT)
	cargo bench --quiet --locked -p transcodec-core --bench streams -- --quiet
	$(BIN)/python -m pytest benches --quiet --benchmark-quiet --benchmark-json=.benchmarks/run.json; status=$$?; \
	$(BIN)/python benches/report.py $(REPORT_ARGS) .benchmarks/run.json && exit $$status

cases: .venv/native  ## the case kit at KIT, on the native and the reference translator
	$(BIN)/python tests/run_kit.py cases $(KIT)

corpus: .venv/native  ## the recorded streams of the case kit at KIT, likewise
	$(BIN)/python tests/run_kit.py corpus $(KIT)

fuzz: .venv/native  ## the property tests, optimised, on MUTANTS mutants each; native against reference on PARITY_MUTANTS
	TRANSCODEC_MUTANTS=$(MUTANTS) cargo test --workspace --release --locked
	TRANSCODEC_PARITY_MUTANTS=$(PARITY_MUTANTS) TRANSCODEC_PARITY_ROUNDS=$(PARITY_MUTANTS) \
	$(BIN)/python -m pytest tests/test_parity*.py tests/test_envelope_parity.py

vectors: .venv/tools  ## write the generated streams anew; the tests hold them equal to their scripts
	$(BIN)/python tests/make_demo_stream.py
	$(BIN)/python tests/make_chat_vectors.py
	$(BIN)/python tests/make_clean_vectors.py
	$(BIN)/python tests/make_body_vectors.py
	$(BIN)/python tests/make_stream_vectors.py

docs:  ## rustdoc of the core, warnings refused
	RUSTDOCFLAGS='-D warnings' cargo doc -p transcodec-core --no-deps --locked

wheel: .venv/tools  ## wheel (fat LTO) and sdist in dist/
	$(BIN)/maturin build --locked --out dist
	$(BIN)/maturin sdist --out dist

clean:  ## remove everything built
	rm -rf .venv dist python/transcodec/_native*.so .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
	cargo clean

.venv/tools: requirements-dev.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "transcodec needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --requirement requirements-dev.txt
	$(BIN)/python -m pip check --disable-pip-version-check
	touch $@

.venv/native: .venv/tools $(CARGO_SOURCES)
	VIRTUAL_ENV=$(CURDIR)/.venv $(BIN)/maturin develop --quiet --locked
	touch $@
