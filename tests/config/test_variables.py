"""Every variable that the settings read stands in the handbook and in .env.example, and compose.yaml passes it on."""

import ast
import re
from collections import Counter
from collections.abc import Iterator

import pytest
import yaml

from config.embedded.layout import ROOT

# The example is read too late to say where the data folder is.
NOT_IN_A_FILE = {"FAULTBOOK_DATA"}
# Of one's own machine, said by the image, or of web servers only.
NOT_IN_A_CONTAINER = {
    "FAULTBOOK_DATA",
    "STATIC_ROOT",
    "STATIC_STORAGE",
    "SEARCH_INDEX_DIR",
    "DUMPS_DIR",
    "DATABASE_POOL",
    "LOCAL",
    "DEBUG",
}
EXAMPLE = re.compile(r"^(?:# )?([A-Z][A-Z0-9_]*)=", re.MULTILINE)
ROW = re.compile(r"^\| ((?:`[A-Z][A-Z0-9_]*`(?:, )?)+) \|", re.MULTILINE)
COMPOSED = re.compile(r"\$\{([A-Z][A-Z0-9_]*)")


def read_by_settings() -> set[str]:
    """The names in `env(...)`, `env.str(...)` and the like, in the modules beside the settings."""
    return {name for file in (ROOT / "config").glob("*.py") for name in _names_in(file.read_text())}


def _names_in(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        asked = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        if isinstance(asked, ast.Name) and asked.id == "env":
            yield from (str(given.value) for given in node.args[:1] if isinstance(given, ast.Constant))


def exampled() -> Counter[str]:
    return Counter(EXAMPLE.findall((ROOT / ".env.example").read_text()))


def explained() -> Counter[str]:
    rows = ROW.findall((ROOT / "docs/configuration.md").read_text())
    return Counter(name for row in rows for name in re.findall(r"`(\w+)`", row))


def compose() -> str:
    return (ROOT / "compose.yaml").read_text()


def test_names_are_found_however_they_are_read() -> None:
    assert set(_names_in("a = env('ONE')\nb = env.bool('TWO', default=env.str('THREE'))\nc = other('FOUR')")) == {
        "ONE", "TWO", "THREE"
    }  # fmt: skip
    assert {"SECRET_KEY", "GITHUB_TOKEN", "EMAIL_URL", "FAULTBOOK_DATA"} <= read_by_settings()


def test_the_handbook_explains_each_once() -> None:
    assert {name: explained()[name] for name in read_by_settings()} == dict.fromkeys(read_by_settings(), 1)


def test_the_example_has_each_once() -> None:
    wanted = read_by_settings() - NOT_IN_A_FILE
    assert {name: exampled()[name] for name in wanted} == dict.fromkeys(wanted, 1)


def test_compose_passes_each_on() -> None:
    passed = yaml.safe_load(compose())["x-app"]["environment"]
    assert read_by_settings() - NOT_IN_A_CONTAINER <= passed.keys()


@pytest.mark.parametrize("name", sorted(set(COMPOSED.findall(compose()))))
def test_what_compose_reads_is_in_the_example_and_in_the_handbook(name: str) -> None:
    assert exampled()[name] == 1
    assert f"`{name}`" in (ROOT / "docs/configuration.md").read_text()


def test_the_example_has_nothing_that_nobody_reads() -> None:
    assert exampled().keys() <= read_by_settings() | set(COMPOSED.findall(compose()))


def test_a_folder_of_earlier_jobs_is_mounted_where_compose_says_it_is() -> None:
    app = yaml.safe_load(compose())["x-app"]
    mounts = [volume for volume in app["volumes"] if "DIAGNOSE_PAST_RUNS" in volume]
    assert mounts == ["${DIAGNOSE_PAST_RUNS:-past-runs}:/past-runs:ro"]
    assert app["environment"]["DIAGNOSE_PAST_RUNS"] == "${DIAGNOSE_PAST_RUNS:+/past-runs}"
