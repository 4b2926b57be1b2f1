"""A filter on issues is declared once: what the declaration lacks is told, and where to write it."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.db import connection
from django.db.models import Exists, GeneratedField, OuterRef, Q
from django_filters import CharFilter, Filter

from kb.filters.filter_types import Numbers, Values, YesOrNoValues, named
from kb.filters.issues import AXIS_KEYS, SHORTHANDS, IssueFilter
from kb.models import Fix, Issue
from kb.search.checks import TAKEN, faults
from kb.search.document_rows import COLUMN_FILTERS
from tests.docs.markdown import INLINE, pages

TEXTS: dict[str, Any] = {"label": "Workaround", "help_text": "What to do until it is fixed is stated."}
AS_MANY_ROWS = Q(fixes__files_changed=1)
KNOWN = named([("a", "A")])
OPENAPI = Path(__file__).parents[2] / "contracts/openapi.yaml"


def faults_of(**declared: Filter) -> list[str]:
    """What is wrong with these filters beside those that there are."""
    return [fault.msg for fault in faults(type("Declared", (IssueFilter,), declared))]


class TestTheFiltersThatThereAre:
    def test_lack_nothing(self) -> None:
        assert [fault.msg for fault in faults()] == []

    def test_stand_in_the_table_of_docs_searching(self) -> None:
        (page,) = pages("docs/searching.md")
        section = page.text.partition("### Keys")[2].partition("\n#")[0]
        keys = INLINE.findall("\n".join(re.findall(r"^\| (.+?) \|", section, re.MULTILINE)))
        missing = [
            f"docs/searching.md, table “Keys”: add the row | `{key}` | {one.extra['help_text']} |"
            for key, one in IssueFilter.base_filters.items()
            if key not in keys
        ]
        missing += [
            f"docs/searching.md, “Short forms” below the table “Keys”: add `{word}:{name}`"
            for word, values in SHORTHANDS.items()
            for name in values
            if f"{word}:{name}" not in INLINE.findall(section)
        ]
        assert not missing, "\n".join(missing)

    @pytest.mark.django_db
    def test_read_nothing_whose_changes_do_not_reach_the_index(self) -> None:
        unwatched = [
            f"kb/filters/issues.py, `{key}`: changes of {table}.{column} do not reach the search index. Watch it in a "
            "new migration, as kb/migrations/0005_search_index.py does."
            for key, one in COLUMN_FILTERS.items()
            for table, column in columns_of(one)
            if not is_watched(table, column)
        ]
        assert not unwatched, "\n".join(unwatched)


def columns_of(one: Values | Numbers) -> set[tuple[str, str]]:
    """The (table, column) pairs that the filter's expression reads, through generated columns too."""
    sql = str(Issue.objects.order_by().annotate(value=one.expression()).values_list("value").query)
    found = set()
    for table, column in re.findall(r'"(kb_\w+)"\."(\w+)"', sql):
        field = next((field for field in Issue._meta.fields if (table, column) == ("kb_issue", field.column)), None)
        if isinstance(field, GeneratedField):
            expression, _ = field.generated_sql(connection)
            found |= {(table, name) for name in re.findall(r'"(\w+)"', expression)}
        elif column != "id":
            found.add((table, column))
    return found


def is_watched(table: str, column: str) -> bool:
    """Does an update of this column name its issues in the outbox?"""
    with connection.cursor() as cursor:
        cursor.execute("SELECT prosrc FROM pg_proc WHERE proname = %s", [f"kb_search_{table}_update"])
        return any(re.search(rf"\bn\.{column}\b", source) for (source,) in cursor.fetchall())


@pytest.mark.django_db
def test_a_column_that_no_trigger_watches_is_noticed() -> None:
    assert columns_of(Values("read_extent")) == {("kb_issue", "read_extent")}
    assert not is_watched("kb_issue", "read_extent")
    assert columns_of(YesOrNoValues("is_hard")) == {
        ("kb_issue", "opened_at"), ("kb_issue", "closed_at"), ("kb_issue", "comment_count"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("declared", "told"),
    [
        (YesOrNoValues(when=~Q(workaround=""), help_text="x"), "`label` is missing"),
        (YesOrNoValues(when=~Q(workaround=""), label="x"), "`help_text` is missing"),
        (YesOrNoValues("workaround", **TEXTS), 'A condition will do: `when=~Q(workaround="")`'),
        (YesOrNoValues(when=~Q(workarund=""), **TEXTS), "Cannot resolve keyword 'workarund'"),
        (YesOrNoValues(when=AS_MANY_ROWS, **TEXTS), "kb/filters/conditions.py"),
        (YesOrNoValues(when=~Q(workaround=""), words={"has:fix": "true"}, **TEXTS), "which `has_fix` has already"),
        (YesOrNoValues(when=~Q(workaround=""), words={"workaround": "true"}, **TEXTS), "such as `has:workaround`"),
        (YesOrNoValues(when=~Q(workaround=""), words={"has:it": "yes"}, **TEXTS), "which is none of false, true"),
        (Numbers("coment_count", **TEXTS), "Did you mean `comment_count`?"),
        (Numbers("title", **TEXTS), "`title` is a TextField"),
        (Numbers("comment_count", facet="Comments", **TEXTS), "kb/filters/filter_types.py"),
        (Values("fixes__url", known=KNOWN, **TEXTS), "`fixes` is several rows of one issue"),
        (Values("fixed_version", **TEXTS), "Add `known=named(...)`, or `among=`"),
        (Values(holds="by_workaround", known=KNOWN, **TEXTS), "kb/filters/conditions.py does not have"),
        (Values(holds="by_trust", known=KNOWN, **TEXTS), "kb/search/documents.py"),
        (YesOrNoValues(when=~Q(workarund=""), **TEXTS), "Did you mean `workaround`?"),
        (YesOrNoValues("is_hard", lable="x", **TEXTS), "takes no `lable`. Did you mean `label`?"),
        (YesOrNoValues("is_hard", words="has:workaround", **TEXTS), 'Write it as {"has:workaround": "true"}'),
        (CharFilter(**TEXTS), "Take one of kb/filters/filter_types.py"),
    ],
)
def test_what_a_declaration_lacks_is_told_with_the_place_to_write(declared: Filter, told: str) -> None:
    messages = faults_of(workaround=declared)
    assert any(told in message for message in messages), messages
    assert {message.partition(": ")[0] for message in messages} == {"kb/filters/issues.py, `workaround`"}


class DeclaredTwice(IssueFilter):
    hard = YesOrNoValues("is_hard", **TEXTS)
    lines = Numbers("comment_count", **TEXTS)
    hard = YesOrNoValues("is_curated", **TEXTS)  # noqa: PIE794


def test_a_key_that_stands_twice_is_told() -> None:
    assert [fault.msg for fault in faults(DeclaredTwice)] == [
        "kb/filters/issues.py, `hard`: stands there twice, and only the last one counts. Give one another key."
    ]


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("q", "read something else"),
        ("page", "read something else"),
        ("level", "read something else"),
        ("hasWorkaround", "Call it `has_workaround`"),
        ("Workaround", "Call it `workaround`"),
    ],
)
def test_a_key_that_cannot_be_one_is_told(key: str, told: str) -> None:
    (message,) = faults_of(**{key: YesOrNoValues("is_hard", **TEXTS)})
    assert message.startswith(f"kb/filters/issues.py, `{key}`: ")
    assert told in message


def test_what_the_api_reads_beside_filters_on_issues_is_no_key() -> None:
    for path in yaml.safe_load(OPENAPI.read_text(encoding="utf-8"))["paths"].values():
        names = {row["name"] for row in path.get("get", {}).get("parameters", ()) if row["in"] == "query"}
        if names >= set(AXIS_KEYS):
            assert names - set(IssueFilter.base_filters) <= TAKEN


@pytest.mark.parametrize(
    "declared",
    [
        YesOrNoValues(when=~Q(workaround=""), facet="Workaround", words={"has:detour": "true"}, **TEXTS),
        YesOrNoValues(when=Q(Exists(Fix.objects.filter(issues=OuterRef("pk"), files_changed=1))), **TEXTS),
        Values("repository__host", known=KNOWN, **TEXTS),
        Values("fixed_version", among=lambda: [("1.0", "1.0")], **TEXTS),
        Numbers("comment_count", **TEXTS),
    ],
)
def test_one_attribute_is_enough(declared: Filter) -> None:
    assert faults_of(workaround=declared) == []
