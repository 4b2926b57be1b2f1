"""What engines index of an issue, and the card that a row of results shows."""

import datetime as dt
from collections import Counter
from collections.abc import Iterator

import pytest
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext

from kb.core.search.backend import EVERYTHING, FIELD_WEIGHTS, HELD, ORDER_KEYS
from kb.core.search.cards import CardAnswer, CardNode, cut, first_sentences, from_json, to_json
from kb.core.search.features import Merits, unpack
from kb.core.search.keys import SIGNAL
from kb.core.search.lexicon import node_name
from kb.core.search.sections import MAX_BODY
from kb.core.search.values import Document
from kb.filters.issues import AXIS_KEYS, IssueFilter
from kb.models import Issue, Kind
from kb.search.backends.fields import INDEXED_KEYS, NUMBER_KEYS, VALUE_KEYS
from kb.search.documents import MOST_WORDS, TIMES, documents, documents_and_gone
from tests.support.factories import (
    make_axis,
    make_fix,
    make_issue,
    make_label,
    make_node,
    make_other_report,
    make_repository,
    make_source,
    make_study,
)
from tests.support.made_up import BASE62, drawn

pytestmark = pytest.mark.django_db
TOKEN = "ghp_" + drawn(BASE62, 36)
HALF = TOKEN[4:14].lower()


def document(issue: Issue) -> Document:
    (found,) = documents([issue.pk])
    return found


def words_of(issue: Issue, field: str) -> list[str]:
    return document(issue).texts[field].split()


class TestTexts:
    def test_the_title_is_the_hosts_and_ours(self) -> None:
        assert words_of(make_issue(title="Training hangs", heading="Deadlock"), "title") == [
            "train",
            "hang",
            "deadlock",
        ]

    def test_what_we_wrote_and_the_names_of_trusted_house_labels_count_twice_and_the_labels_once(self) -> None:
        issue = make_issue(summary="Stuck.", recognise=["NCCL timeout"], resolution="Upgrade.", workaround="Restart.")
        top = make_node("hang", name="Standstill")
        make_label(issue, make_node("hang-start", name="Initialisation", parent=top))
        make_label(issue, make_node("crash", name="Crash"), make_source("rule", kind="rule"))
        make_label(issue, make_node("bug", name="Regression", axis=make_axis("issue_type")))
        make_label(issue, make_node("S1", name="Elsewhere", axis=make_axis(scheme="a-study", study=make_study())))
        wanted = ["stuck", "nccl", "timeout", "upgrad", "restart", "initialis", "standstil"]
        labels = [node_name("symptom", code) for code in ("hang", "hang-start")]
        assert words_of(issue, "all") == wanted * 2 + labels

    def test_the_other_faces_of_a_fault_count_once_and_the_fix_line_comes_last(self) -> None:
        issue = make_issue(
            summary="Stuck.", workaround="Restart.", fix_line="Set `A_B=1`.", also_seen=["killed", "卡住"]
        )
        found = words_of(issue, "all")
        assert found[:3] == ["stuck", "restart", "set"]
        assert found.count("kill") == found.count("卡住") == 1
        assert unpack(document(issue).features).faces == " kill | 卡住 "

    def test_a_result_shows_no_other_face_of_a_fault(self) -> None:
        issue = make_issue(summary="Stuck.", recognise=["RuntimeError: x"], also_seen=["killed"], resolution="Renamed.")
        assert from_json(document(issue).card).text == "Stuck. RuntimeError: x Renamed."

    def test_every_part_stands_in_one_field(self) -> None:
        body = "It stops.\n```\nloading\nRuntimeError: NCCL error\n```\n"
        found = Counter(words_of(make_issue(title="Hang", body=body, summary="Stuck."), "all"))
        # The title and our words twice, the prose once, an error line in the log once more as a telling line.
        wanted = {"hang": 2, "stuck": 2, "stop": 1, "load": 1, "runtimeerror": 2, "nccl": 2}
        assert {word: found[word] for word in wanted} == wanted

    def test_whatever_stands_in_a_field_stands_in_the_one_that_decides(self) -> None:
        texts = document(make_issue(title="Hang", heading="Deadlock", body="It stops.")).texts
        assert set(texts) == set(FIELD_WEIGHTS)
        assert all(set(text.split()) <= set(texts[EVERYTHING].split()) for text in texts.values())

    def test_long_texts_are_cut(self) -> None:
        issue = make_issue(title="word " * 500, summary="word " * 5_000, body="word " * 9_000)
        texts = document(issue).texts
        assert len(texts["title"].split()) == MOST_WORDS["title"]
        assert len(texts["all"].split()) <= sum(most * TIMES[part] for part, most in MOST_WORDS.items())


class TestSecrets:
    def test_neither_words_nor_card_hold_what_was_pasted(self) -> None:
        found = document(make_issue(title=f"Hang with {TOKEN}", body=f"It stops.\n```\nRuntimeError: {TOKEN}\n```"))
        assert HALF not in f"{found.texts} {found.card} {found.features!r}".lower()
        assert "[GitHub token removed]" in from_json(found.card).title
        assert found.texts["title"].split() == ["hang", "with"]

    def test_nor_half_of_one_that_stands_where_the_text_is_cut(self) -> None:
        line = "\nRuntimeError: NCCL"
        body = "word " * ((MAX_BODY - len(line)) // 5 - 4)
        cut_off = f"{body}{line} {TOKEN}\nand more"
        assert HALF in cut_off[:MAX_BODY].lower()
        assert HALF not in document(make_issue(body=cut_off)).texts["all"]


class TestFeatures:
    def test_they_are_those_of_the_issue(self) -> None:
        issue = make_issue(
            title="Training hangs", body="It stops.\n```\nRuntimeError: x\n```", summary="Stuck.",
            resolution="Upgrade.", reaction_count=7, repository=make_repository("vllm-project/vllm", "vllm"),
        )  # fmt: skip
        issue.fixes.add(make_fix())
        features = unpack(document(issue).features)
        assert (features.title, features.framework) == (" train hang ", "vllm")
        assert features.lead.split() == [
            "stuck",
            "upgrad",
            "|",
            "it",
            "stop",
            "|",
            "runtimeerror",
            "runtim",
            "error",
            "x",
        ]
        assert features.merits == Merits(curated=True, resolved=True, fix=True, readers=7)

    def test_a_plain_report_has_no_merits(self) -> None:
        assert unpack(document(make_issue()).features).merits == Merits()


class TestNumbers:
    def test_dates_counts_and_the_smallest_fix(self) -> None:
        opened = dt.datetime(2024, 5, 1, 12, tzinfo=dt.UTC)
        issue = make_issue(
            opened_at=opened, closed_at=opened + dt.timedelta(days=2, hours=13), comment_count=3, reaction_count=0
        )
        issue.fixes.set(
            [
                make_fix(additions=40, deletions=2, files_changed=1),
                make_fix(additions=3, deletions=1, files_changed=2),
                make_fix(),
            ]
        )
        day = (opened.date() - dt.date(1970, 1, 1)).days
        assert document(issue).numbers == {
            "opened": day, "closed": day + 3, "lines": 4, "files": 1, "comments": 3, "reactions": 0, "days": 2,
            "opened_at": int(opened.timestamp()), "open_seconds": 61 * 3600,
        }  # fmt: skip

    def test_what_is_not_known_is_left_out(self) -> None:
        assert document(make_issue()).numbers == {}


class TestValues:
    def test_a_trees_code_brings_all_codes_above(self) -> None:
        issue = make_issue()
        make_label(issue, make_node("hang-start", parent=make_node("hang")))
        values = document(issue).values
        assert values["symptom"] == ("hang", "hang-start")
        assert values["node"] == ("house/hang", "house/hang-start")
        assert values["held"] == (
            "curated|node/house/hang", "curated|node/house/hang-start",
            "curated|symptom/hang", "curated|symptom/hang-start",
        )  # fmt: skip
        assert (values["trust"], values["source"]) == (("curated",), ("curated",))

    def test_what_rules_suggest_is_found_by_who_asks_for_their_source(self) -> None:
        issue, rules = make_issue(), make_source("rule", kind="rule")
        make_label(issue, make_node("hang-start", parent=make_node("hang")), rules)
        values = document(issue).values
        assert not {"symptom", "node"} & values.keys()
        assert (values["trust"], values["source"]) == (("rule",), ("rule",))
        assert "rule|symptom/hang" in values["held"]

    def test_what_is_not_known_has_no_value(self) -> None:
        values = document(make_issue()).values
        assert not {"small_fix", "hard", "year", "source", "held"} & values.keys()
        assert values["has_fix"] == ("false",)

    @pytest.mark.usefixtures("starter")
    def test_they_are_what_the_filters_find(self) -> None:
        """For every value of every key, and for codes that a source holds."""
        study = make_study()
        for issue in Issue.objects.order_by("pk")[:9]:
            make_label(issue, make_node(f"S{issue.pk % 3}-{issue.pk}", axis=make_axis(scheme="s", study=study)))
        Issue.objects.earliest("pk").fixes.add(make_fix(additions=1, deletions=1))
        Issue.objects.filter(pk=Issue.objects.earliest("pk").pk).update(kind=Kind.PULL_REQUEST)
        found = {(key, value): ids for key, value, ids in _by_value()}
        assert {key for key, _ in found} >= set(VALUE_KEYS) - {"hard"}
        wrong = {
            f"{key}={value}" for (key, value), ids in found.items() if key != SIGNAL and _filtered(key, value) != ids
        }
        assert wrong == set()

    def test_the_signals_of_its_error_lines_are_held(self) -> None:
        known = make_issue(recognise=["torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"])
        unknown = make_issue(recognise=["AssertionError: the harvest of 1789 is not in the almanac"])
        held = {document.id: document.values.get(SIGNAL, ()) for document in documents([known.pk, unknown.pk])}
        assert held == {known.pk: ("cuda-out-of-memory",), unknown.pk: ()}

    @pytest.mark.usefixtures("starter")
    def test_engines_know_every_key(self) -> None:
        for found in documents(list(Issue.objects.values_list("pk", flat=True))):
            assert found.values.keys() <= {*INDEXED_KEYS, HELD}
            assert found.numbers.keys() <= {*NUMBER_KEYS, *ORDER_KEYS}


def _by_value() -> Iterator[tuple[str, str, set[int]]]:
    ids: dict[tuple[str, str], set[int]] = {}
    for found in documents(list(Issue.objects.values_list("pk", flat=True))):
        for key, values in found.values.items():
            for value in values:
                ids.setdefault((key, value), set()).add(found.id)
    for (key, value), some in ids.items():
        # Signals are no filter: only error lines are looked up by them.
        if key != SIGNAL:
            yield key, value, some


def _filtered(key: str, value: str) -> set[int]:
    asked = QueryDict(mutable=True)
    if key == HELD:
        asked["source"], _, code = value.partition("|")
        key, _, value = code.partition("/")
    asked[key] = value
    asked.setdefault("kind", ",".join(Kind.values))
    form = IssueFilter(asked, queryset=Issue.objects.all())
    assert not form.errors, form.errors
    return set(form.qs.values_list("pk", flat=True))


class TestReading:
    def test_few_statements_whatever_the_number(self) -> None:
        one = make_issue()
        many = [one, *(make_issue(repository=one.repository) for _ in range(20))]
        for issues in ([one], many):
            with CaptureQueriesContext(
                connection,
            ) as captured:
                list(documents([issue.pk for issue in issues]))
            assert len(captured) == 7

    def test_issues_that_are_no_more(self) -> None:
        issue = make_issue()
        found, gone = documents_and_gone([issue.pk, issue.pk + 1])
        assert [document.id for document in found] == [issue.pk]
        assert gone == [issue.pk + 1]


class TestCard:
    def test_it_shows_a_row_without_asking_the_database(self) -> None:
        issue = make_issue(
            5030, heading="Hang in ZeRO-3", title="Stuck", summary="Ranks wait.", resolution="Upgrade.",
            workaround="Use stage 2.", fixed_version="0.14.0",
            state="closed", opened_at=dt.datetime(2024, 5, 1, tzinfo=dt.UTC), comment_count=4,
        )  # fmt: skip
        hang = make_node("hang")
        make_label(issue, hang)
        make_label(issue, hang, make_source("a-study", kind="study", study=make_study()))
        issue.fixes.set([make_fix(7, additions=2, deletions=1, merged_on="2024-06-01"), make_fix(8)])
        card = from_json(document(issue).card)
        assert card.page == issue.get_absolute_url()
        assert (card.url, card.name, card.title) == (issue.url, "DeepSpeed#5030", "Hang in ZeRO-3")
        assert (card.framework, card.framework_name, card.repository) == (
            "deepspeed",
            "Deepspeed",
            "deepspeedai/DeepSpeed",
        )
        assert (card.state, card.opened_at, card.closed_at, card.comments) == ("closed", issue.opened_at, None, 4)
        assert (card.curated, card.resolved, card.start) == (True, True, "Ranks wait.")
        assert card.symptoms == (CardNode("hang", "Hang", hang.get_absolute_url()),)
        assert [(source.slug, source.study) for source in card.sources] == [("curated", ""), ("a-study", "A-STUDY")]
        assert (card.resolution, card.workaround, card.fixed_version) == ("Upgrade.", "Use stage 2.", "0.14.0")
        assert card.fix is not None
        assert card.fix.merged_on == dt.date(2024, 6, 1)
        assert (card.fix.name, card.fix.lines, card.fix.small, card.more_fixes) == (
            "deepspeedai/DeepSpeed#7",
            3,
            True,
            1,
        )

    def test_it_tells_what_to_do_and_a_report_tells_which_record_answers_it(self) -> None:
        record = make_issue(
            1, heading="Hang in ZeRO-3", summary="Ranks wait.", fix_line="Set `A=1`.", certainty="likely"
        )
        report = make_issue(2, title="Stuck")
        make_other_report(record, report)
        card = from_json(document(report).card)
        assert card.answered_by == CardAnswer(record.get_absolute_url(), "DeepSpeed#1", "Hang in ZeRO-3", "Set `A=1`.")
        card = from_json(document(record).card)
        assert (card.fix_line, card.certainty, card.answered_by) == ("Set `A=1`.", "likely", None)

    @pytest.mark.usefixtures("starter")
    def test_json_and_back(self) -> None:
        for found in documents(list(Issue.objects.values_list("pk", flat=True))):
            assert to_json(from_json(found.card)) == found.card

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("", ""),
            ("Upgrade.", "Upgrade."),
            ("Upgrade to 0.14.\nOr wait for it.", "Upgrade to 0.14. Or wait for it."),
            (
                "Upgrade to v0.6.3.post1, e.g. Or later. Then restart the server.",
                "Upgrade to v0.6.3.post1, e.g. Or later.",
            ),
            ("Use `stage3` (see the docs). `zero.Init` needs it.", "Use `stage3` (see the docs)."),
            (
                "升级到新版本。然后重启服务,再重新运行一次训练脚本,确认问题不再出现,并检查日志是否还有其他错误。",
                "升级到新版本。",
            ),
            ("Set the buffer size in the configuration file to less", "Set the buffer size in the configuration …"),
        ],
    )
    def test_of_our_own_words_it_holds_whole_sentences(self, text: str, shown: str) -> None:
        assert first_sentences(text, 42) == shown

    def test_it_starts_with_the_report_where_there_is_no_summary(self) -> None:
        card = from_json(document(make_issue(body="It   stops.\n\nOften.")).card)
        assert card.start == card.text == "It stops. Often."

    def test_it_shows_no_signs_of_markdown(self) -> None:
        body = "### Describe the bug\n\nIt **hangs** in `init()`.\n\n## Steps\nSee #12, C# and a * b."
        card = from_json(document(make_issue(body=body)).card)
        assert card.start == card.text == "Describe the bug It hangs in init(). Steps See #12, C# and a * b."

    def test_texts_are_cut_between_words(self) -> None:
        assert cut("one two three", 20) == "one two three"
        assert cut("one two three", 9) == "one two …"
        assert cut("onetwothree", 5) == "onetw …"

    def test_every_axis_that_a_filter_asks_for_has_its_key(self) -> None:
        issue = make_issue()
        for axis in AXIS_KEYS.values():
            make_label(issue, make_node(f"x-{axis}".replace("_", "-"), axis=make_axis(axis)))
        assert set(AXIS_KEYS) <= document(issue).values.keys()
