"""Clients that generators make of the description: each does eight tasks of a bot against the served application."""

import importlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from config.wsgi import application
from tests.support.engines import PutIssuesIn

pytestmark = pytest.mark.contract
PACKAGE = "faultbook_api_client"
TYPESCRIPT = Path(__file__).parent / "typescript"
NODE_MODULES = TYPESCRIPT / "node_modules"


@pytest.fixture
def description(client: Client, tmp_path: Path) -> Path:
    """The served description."""
    path = tmp_path / "openapi.json"
    path.write_bytes(client.get("/api/v1/openapi.json").content)
    return path


@pytest.fixture
def package(description: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The Python client, importable while the test runs."""
    (tmp_path / "config.yaml").write_text(f"post_hooks: []\npackage_name_override: {PACKAGE}\n")
    tool = Path(sys.executable).with_name("openapi-python-client")
    command = [
        str(part)
        for part in (
            tool, "generate", "--path", description, "--output-path", tmp_path / "client", "--config",
            tmp_path / "config.yaml",
        )
    ]  # fmt: skip
    made = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    # A log or a list may also be sent as plain text, which this generator leaves out.
    unsupported = [line for line in made.stdout.splitlines() if line.startswith("Unsupported")]
    assert set(unsupported) <= {"Unsupported content type text/plain"}
    monkeypatch.syspath_prepend(str(tmp_path / "client"))
    yield tmp_path / "client" / PACKAGE
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


@pytest.fixture
def kept(package: Path) -> Iterator[Path]:
    """The package; from then on a served request does not give its connection back, on which the test's data lives."""
    for moment in (request_started, request_finished):
        moment.disconnect(close_old_connections)
    yield package
    for moment in (request_started, request_finished):
        moment.connect(close_old_connections)


def module(path: str) -> ModuleType:
    return importlib.import_module(f"{PACKAGE}.{path}")


@pytest.mark.django_db
@pytest.mark.usefixtures("starter")
def test_a_python_client_does_eight_tasks(kept: Path, search_index: PutIssuesIn) -> None:
    search_index()
    assert (kept / "py.typed").exists()
    models: Any = module("models")
    client = module("client").Client(base_url="http://testserver", raise_on_unexpected_status=True)
    transport = httpx.WSGITransport(app=application)
    client.set_httpx_client(httpx.Client(transport=transport, base_url="http://testserver"))

    def call(path: str, *args: Any, **options: Any) -> Any:
        return module(f"api.{path}").sync(*args, client=client, **options)

    assert "issues" in call("about.root_retrieve").additional_properties
    first = call("search.search_list", q="hang in ZeRO-3", page_size=3).results[0]
    keys = [models.IssuesListFieldsItem.URL, models.IssuesListFieldsItem.LABELS]
    listed = call("issues.issues_list", framework=["deepspeed", "megatron-lm"], fields=keys, page_size=2)
    assert all(set(row.to_dict()) == {"url", "labels"} for row in listed.results)
    assert call("issues.issues_retrieve", first.id).url == first.url
    assert len(set(all_slugs(call))) >= 20
    report = models.SearchSimilarReportBody(title=first.title, framework=first.framework)
    match = call("search.search_similar_report", body=report).matches[0]
    assert 0 <= match.same_fault <= match.same_kind + 0.01
    body = models.CheckJsonBody(texts=[models.CheckJsonBodyTextsItem(text="deepspeed==0.14.2", name="freeze")])
    assert call("check.check", body=body).counts.packages == 1
    refused = call("nodes.nodes_retrieve", "house", "symptom", "no-such-node")
    assert (type(refused).__name__, refused.status) == ("Problem", 404)


def all_slugs(call: Any) -> Iterator[str]:
    """The slugs of all frameworks, page by page."""
    cursor: str | None = ""
    while cursor is not None:
        page = call("frameworks.frameworks_list", cursor=cursor, page_size=50)
        yield from (row.slug for row in page.results)
        cursor = httpx.URL(page.next_).params["cursor"] if page.next_ else None


@pytest.mark.skipif(
    not (NODE_MODULES.is_dir() and shutil.which("node")),
    reason="needs node_modules in tests/contracts/typescript (npm install --no-package-lock)",
)
@pytest.mark.django_db(transaction=True)
def test_a_typescript_client_compiles_and_does_eight_tasks(
    request: pytest.FixtureRequest,
    description: Path,
    live_server: LiveServer,
    search_index: PutIssuesIn,
    tmp_path: Path,
) -> None:
    # Keys among its rows are checked at the end of a transaction.
    with transaction.atomic():
        request.getfixturevalue("starter")
    search_index()
    for name in ("tasks.ts", "tsconfig.json", "package.json"):
        shutil.copy(TYPESCRIPT / name, tmp_path)
    (tmp_path / "node_modules").symlink_to(NODE_MODULES)
    tools = NODE_MODULES / ".bin"
    for command in (
        [tools / "openapi-typescript", description, "-o", "api.d.ts"],
        [tools / "tsc"],
        ["node", "out/tasks.js", live_server.url],
    ):
        done = subprocess.run(
            list(map(str, command)), cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
