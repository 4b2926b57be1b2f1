"""Somebody adds a filter by CONTRIBUTING.md: one attribute, in a copy of the program that runs beside this one."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from tests.support.factories import make_issue

ROOT = Path(settings.BASE_DIR)
RIGHT = """
    heading = YesOrNoValues(
        when=~Q(heading=""),
        label="Own title",
        facet="Title of our own",
        words={"has:heading": "true"},
        help_text="It has a title in our own words.",
    )
"""
# What the search does with it: on the page, in the box, in the API, in both engines and in what goes out.
USES = """
import json, django
django.setup()
from django.http import QueryDict
from django.test import Client
from django.test.utils import setup_test_environment
from kb.api.parameters import parameters_of
from kb.filters.issues import IssueFilter
from kb.models import Issue
from kb.search import backends, completions, search
from kb.search.documents import documents

setup_test_environment()
client = Client()
index = backends.index()
build = index.build(fresh=True)
ids = list(Issue.objects.order_by("pk").values_list("pk", flat=True))
build.add(map(index.prepare, documents(ids)), ids[-1])
build.finish()
index.close()

def searched(query):
    result = search(QueryDict(query))
    facets = {group.label: {value.label: value.count for value in group.values} for group in result.facets}
    return {"ids": sorted(result.ids), "engine": result.engine, "facet": facets.get("Title of our own")}

page = client.get("/issues/?heading=true")
api = client.get("/api/v1/issues/?heading=true&facets=true")
found = {
    "rows": sorted(IssueFilter({"heading": "true"}, Issue.objects.all()).qs.values_list("pk", flat=True)),
    "indexed": {document.id: document.values["heading"] for document in documents(ids)},
    "page": [page.status_code, [row.card.id for row in page.context["result"].rows]],
    "chips": [chip.group for chip in page.context["chips"]],
    "api": [api.status_code, [row["id"] for row in api.json()["results"]]],
    "parameters": [one.name for one in parameters_of(IssueFilter) if one.name == "heading"],
    "csv": client.get("/explore/charts/symptom-cause/?heading=true&format=csv").status_code,
    "box": searched("q=has:heading"),
    "typed": [one.insert for one in completions("has:he")],
}
backends.current = backends.fallback
found["fallback"] = searched("heading=false")
print(json.dumps(found))
"""

Declare = Callable[[str], Path]


@pytest.fixture
def declare(tmp_path: Path) -> Declare:
    """Makes a copy of the program in which `IssueFilter` has one attribute more."""

    def copy(attribute: str) -> Path:
        tree = tmp_path / "copy"
        (tree / "kb" / "filters").mkdir(parents=True)
        for name in ("config", "ingest", "labeling"):
            (tree / name).symlink_to(ROOT / name)
        (tree / "manage.py").write_bytes((ROOT / "manage.py").read_bytes())
        for room in (Path("kb"), Path("kb/filters")):
            for path in (ROOT / room).iterdir():
                if not (tree / room / path.name).exists():
                    (tree / room / path.name).symlink_to(path)
        declarations = tree / "kb" / "filters" / "issues.py"
        text = declarations.read_text(encoding="utf-8")
        declarations.unlink()
        declarations.write_text(text.replace("\n    class Meta:", f"{attribute}\n    class Meta:", 1), encoding="utf-8")
        return tree

    return copy


def run(tree: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=tree, env=os.environ | env, capture_output=True, text=True, check=False
    )


def named(name: str) -> str:
    """The same filter by another name."""
    return RIGHT.replace("heading = ", f"{name} = ").replace("has:heading", f"has:{name}")


@pytest.mark.django_db(transaction=True)
def test_one_attribute_is_a_filter_everywhere(declare: Declare, tmp_path: Path) -> None:
    with_one = make_issue(heading="Restarts")
    without = make_issue()
    database = os.environ["DATABASE_URL"].replace("/faultbook?", f"/{connection.settings_dict['NAME']}?")
    ran = run(
        declare(RIGHT), "-c", USES, DATABASE_URL=database, SEARCH_ENGINE="tantivy",
        SEARCH_INDEX_DIR=str(tmp_path / "index"), DJANGO_SETTINGS_MODULE="config.settings",
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    assert found == {
        "rows": [with_one.pk],
        "indexed": {str(with_one.pk): ["true"], str(without.pk): ["false"]},
        "page": [200, [with_one.pk]],
        "chips": ["Own title"],
        "api": [200, [with_one.pk]],
        "parameters": ["heading"],
        "csv": 200,
        "box": {"ids": [with_one.pk], "engine": "tantivy", "facet": {"Yes": 1, "No": 1}},
        "typed": ["heading"],
        "fallback": {"ids": [without.pk], "engine": "postgres", "facet": {"Yes": 1, "No": 1}},
    }


WRONG = (
    (
        RIGHT.replace('when=~Q(heading="")', '"heading"'),
        "kb/filters/issues.py, `heading`: YesOrNoValues reads BooleanField, and `heading` is a CharField. "
        'A condition will do: `when=~Q(heading="")`.',
    ),
    (
        named("detour").replace('        help_text="It has a title in our own words.",\n', ""),
        "kb/filters/issues.py, `detour`: `help_text` is missing. The search box and the API explain the filter "
        "with it.",
    ),
    (
        named("bypass").replace("has:bypass", "has:resolution"),
        "kb/filters/issues.py, `bypass`: `words` has `has:resolution`, which `resolved` has already.",
    ),
)


def test_every_mistake_is_told_by_the_check_with_file_and_attribute(declare: Declare) -> None:
    ran = run(declare("".join(wrong for wrong, _ in WRONG)), "manage.py", "check")
    said = " ".join(ran.stderr.split())
    assert ran.returncode == 1
    assert [told for _, told in WRONG if told not in said] == [], said
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (RIGHT.replace("YesOrNo", "YesNo"), ": NameError: name 'YesNoValues' is not defined"),
        (RIGHT.replace("label=", "label"), "kb/filters/issues.py:"),
    ],
)
def test_a_mistake_in_python_is_told_in_one_line(declare: Declare, wrong: str, told: str) -> None:
    ran = run(declare(wrong), "manage.py", "check")
    assert ran.returncode == 1
    assert told in " ".join(ran.stderr.split())
    assert "Traceback" not in ran.stderr
