# Each target works alone on a machine that has python3 (3.11 or newer), make and a package index.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-train test-ray lint bench bench-engine bench-retrieve bench-serve check-perqa eval-qud eval-retrieve eval-extract eval-main eval-ablations eval-sizes eval-time eval-errors fuzz fuzz-plans screenshots clean

demo: $(VENV)/installed
	$(BIN)/reqap demo

test: lint
	$(BIN)/pytest -n auto

# Needs torch: a tiny model is trained, written and run.
test-train: $(VENV)/installed-train
	$(BIN)/pytest tests/train

# Needs Ray: jobs on a real cluster on this machine, whose workers are killed at work.
test-ray: $(VENV)/installed-ray
	$(BIN)/pytest tests/test_parallel.py tests/evaluate/test_apart.py tests/cli/test_perqa.py

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Slow: writes and imports several gigabytes. Prints a page for docs/performance.md.
bench: $(VENV)/installed-dev
	$(BIN)/python benchmarks/import.py

# Slow: the engine beside hand-written SQL, up to five million events.
bench-engine: $(VENV)/installed-dev
	$(BIN)/python benchmarks/engine.py

# Slow: the search on lives of 40,000 and a million events.
bench-retrieve: $(VENV)/installed-dev
	test -d perqa-lives || $(BIN)/reqap perqa build --out perqa-lives
	$(BIN)/python benchmarks/retrieve.py --build perqa-lives --million

# Slow: the page on the demo life and on a persona; needs Chromium, writes its part of the docs.
bench-serve: $(VENV)/installed-dev
	test -d perqa-lives || $(BIN)/reqap perqa build --out perqa-lives
	$(BIN)/python benchmarks/serve.py --build perqa-lives --write docs/performance.md

# Slow: both gates for every question of every persona.
check-perqa: $(VENV)/installed-dev
	$(BIN)/reqap perqa build --out perqa-lives
	$(BIN)/reqap perqa check --build perqa-lives

# Slow: how well questions are understood; writes its part of docs/results.md.
eval-qud: $(VENV)/installed-dev
	test -d perqa-lives || $(BIN)/reqap perqa build --out perqa-lives
	$(BIN)/python -m reqap.evaluate.qud --build perqa-lives $(if $(WILD),--wild $(WILD)) --write docs/results.md

# Slow: how completely events are found; writes its part of docs/results.md.
eval-retrieve: $(VENV)/installed-dev
	test -d perqa-lives || $(BIN)/reqap perqa build --out perqa-lives
	$(BIN)/python -m reqap.evaluate.retrieve --build perqa-lives $(if $(WILD),--wild $(WILD)) --write docs/results.md
	$(BIN)/python benchmarks/retrieve.py --build perqa-lives --million --write docs/results.md

# Slow: how often values are read rightly; writes its part of docs/results.md.
eval-extract: $(VENV)/installed-dev
	test -d perqa-lives || $(BIN)/reqap perqa build --out perqa-lives
	$(BIN)/python -m reqap.evaluate.extract --build perqa-lives $(if $(WILD),--wild $(WILD)) --write docs/results.md

# Slow: the paper's tables with our numbers; each writes its part of docs/results.md. What was answered before is
# not asked again. RAG=… and CODEGEN=… name the weights of the baselines, WHOLE=… those of a model that writes whole
# plans, LLM="URL NAME" an endpoint, SIZES=… a list of other models (docs/evaluating.md).
eval-main eval-ablations eval-sizes eval-time eval-errors: $(VENV)/installed-dev
	test -d perqa-lives || $(BIN)/reqap perqa build --out perqa-lives
	$(BIN)/python -m reqap.evaluate.tables $(@:eval-%=%) --build perqa-lives --write docs/results.md $(if $(RAG),--rag $(RAG)) $(if $(CODEGEN),--codegen $(CODEGEN)) $(if $(WHOLE),--whole $(WHOLE)) $(if $(LLM),--llm $(LLM)) $(if $(SIZES),--sizes $(SIZES))

# Slow: the property and fuzz tests with many more examples.
fuzz: $(VENV)/installed-dev
	$(BIN)/pytest --hypothesis-profile=long tests/sources/test_fuzz.py tests/sources/test_helpers.py tests/values tests/test_profile.py tests/plan tests/execute

# Slow: coverage-guided fuzzing of the plan language, ten minutes each.
fuzz-plans: $(VENV)/installed-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[fuzz]'
	$(BIN)/python fuzz/plans.py parse -max_total_time=600 -len_control=0 -max_len=400
	$(BIN)/python fuzz/plans.py execute -max_total_time=600 -len_control=0 -max_len=80

# Needs Chromium: the pictures of the page in the docs, taken of the demo life.
screenshots: $(VENV)/installed-dev
	$(BIN)/python docs/screenshots.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/installed: pyproject.toml | $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/installed-dev: pyproject.toml | $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@ $(VENV)/installed

$(VENV)/installed-train: pyproject.toml | $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,train]'
	touch $@ $(VENV)/installed-dev $(VENV)/installed

$(VENV)/installed-ray: pyproject.toml | $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,ray]'
	touch $@ $(VENV)/installed-dev $(VENV)/installed

$(VENV):
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "ReQAP needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
