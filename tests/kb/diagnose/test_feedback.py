"""What people say of diagnoses, and its review: nothing counts before it, everything can be taken back."""

import datetime as dt
from typing import Any

import pytest
import yaml
from django.contrib.auth.models import User
from django.utils import timezone

from kb.core.diagnosis.schema import DiagnosisData
from kb.core.diagnosis.signals.catalogue import catalogue
from kb.core.diagnosis.signals.matching import Matcher
from kb.core.setups.facts import Setup
from kb.diagnose import drafts, feedback
from kb.diagnose import review as reviewing
from kb.diagnose.feedback import About, Feedback, Thing
from kb.diagnose.knowledge import with_known
from kb.diagnose.review import Confirmation, ReviewRefusedError
from kb.models import DiagnosisFeedback, KnownSignature
from kb.models.shared_diagnoses import MOST_EXCERPT
from kb.selectors.known_signatures import confirmed
from kb.starter.format import Record
from kb.tasks import forget_declined_feedback
from tests.kb.diagnose.results import PRIVATE, SIGNATURE, TOKEN, result
from tests.support.factories import make_axis, make_fix, make_issue, make_node

pytestmark = pytest.mark.django_db
ISSUE = "https://github.com/deepspeedai/DeepSpeed/issues/1"
KEY = str(SIGNATURE["key"])


@pytest.fixture
def reviewer() -> User:
    return User.objects.create_user("rae", is_staff=True)


def thing_of(data: DiagnosisData, about: About) -> Thing:
    return next(thing for thing in feedback.things(data) if thing.about is about)


def sent(data: DiagnosisData | None = None, about: About = About.LINE, **said: Any) -> DiagnosisFeedback:
    data = data or result()
    said = {"is_right": True} | said
    return feedback.send(shown=feedback.preview(data=data, feedback=Feedback(thing_of(data, about), **said)))


class TestSaying:
    def test_the_first_line_causes_and_known_issues_can_be_right_or_wrong(self) -> None:
        issue = {
            "url": "/issues/github.com/a/b/1",
            "source_url": "https://github.com/a/b/issues/1",
            "title": "It hangs",
        }
        things = feedback.things(result(issues=[issue]))
        assert {thing.about for thing in things} == {About.LINE, About.CAUSE, About.ISSUE}
        assert things[0].subject == "logs/gpu-a17.log:5"
        assert things[-1].subject == "https://github.com/a/b/issues/1"

    def test_where_nothing_is_named_nothing_can(self) -> None:
        assert feedback.things(result(verdict="healthy", lines=[], causes=[])) == []

    def test_nothing_private_is_stored(self) -> None:
        row = sent(note=f"gpu-a17 (10.1.2.3) was at it, {TOKEN}", really_at="logs/gpu-a17.log:4")
        stored = " ".join(str(value) for value in DiagnosisFeedback.objects.filter(pk=row.pk).values_list()[0])
        assert [secret for secret in PRIVATE if secret in stored] == []
        assert row.subject.removesuffix(":5") == row.really_at.removesuffix(":4")

    def test_what_is_stored_is_what_was_shown(self) -> None:
        data = result()
        shown = feedback.preview(
            data=data, feedback=Feedback(thing_of(data, About.LINE), is_right=False, note="No: 10.1.2.3")
        )
        row = feedback.send(shown=shown)
        assert (row.note, row.subject, row.excerpt_text) == (
            "No: ip-1",
            shown.feedback.thing.subject,
            shown.excerpt_text,
        )
        assert (row.signature_key, row.signature_version) == (SIGNATURE["key"], SIGNATURE["version"])

    def test_only_a_part_of_a_large_diagnosis_is_stored(self) -> None:
        lines = [
            {
                "file": "a.log",
                "line": number,
                "text": "x" * 9_000,
                "role": "root",
                "signal": None,
                "indicated": number == 40,
            }
            for number in range(50)
        ]
        row = sent(result(lines=lines, causes=[]))
        excerpt = reviewing.excerpt_of(row)
        assert len(row.excerpt_text) <= MOST_EXCERPT
        assert excerpt["lines"][0]["line"] == 40

    def test_without_a_signature_it_can_be_said_all_the_same(self) -> None:
        row = sent(result(signature=None))
        assert (row.signature_key, row.signature_version) == ("", None)


class TestReviewing:
    def test_nothing_is_confirmed_without_review(self) -> None:
        make_issue(1)
        sent(issue_url=ISSUE)
        assert confirmed(key=KEY, version=1) == []

    def test_accepted_with_an_issue_it_is_known_for_the_signature_and_no_other(self, reviewer: User) -> None:
        issue = make_issue(1)
        reviewing.accept(pk=sent().pk, by=reviewer, confirmed=Confirmation(issue_url=ISSUE))
        (known,) = confirmed(key=KEY, version=1)
        assert (known.issue, known.cause, known.by) == (issue, None, "rae")
        assert confirmed(key="another", version=1) == []
        assert confirmed(key=KEY, version=2) == []

    def test_accepted_with_a_cause_it_is_known_as_well(self, reviewer: User) -> None:
        cause = make_node("memory", axis=make_axis("root_cause"))
        reviewing.accept(pk=sent().pk, by=reviewer, confirmed=Confirmation(cause="memory"))
        assert [known.cause for known in confirmed(key=KEY, version=1)] == [cause]

    def test_a_confirmed_cause_comes_first_and_no_share_of_the_lines_is_made_up_for_it(self, reviewer: User) -> None:
        make_node("memory", axis=make_axis("root_cause"), name="Memory")
        reviewing.accept(pk=sent().pk, by=reviewer, confirmed=Confirmation(cause="memory"))
        first, second = with_known(result(), Setup())["causes"]
        assert (first["name"], first["likelihood"], second["code"]) == ("Memory", 0, "resource-settings")
        assert first["why"].startswith("Seen before: confirmed to be this on ")

    def test_a_confirmed_cause_that_the_lines_name_as_well_keeps_their_share_and_reason(self, reviewer: User) -> None:
        make_node("resource-settings", axis=make_axis("root_cause"))
        reviewing.accept(pk=sent().pk, by=reviewer, confirmed=Confirmation(cause="resource-settings"))
        (cause,) = with_known(result(), Setup())["causes"]
        assert cause["likelihood"] == result()["causes"][0]["likelihood"]
        assert cause["why"].startswith("Seen before: ")
        assert cause["why"].endswith(result()["causes"][0]["why"])

    def test_a_confirmed_issue_brings_its_fix(self, reviewer: User) -> None:
        fix = make_fix()
        make_issue(1).fixes.add(fix)
        reviewing.accept(pk=sent().pk, by=reviewer, confirmed=Confirmation(issue_url=ISSUE))
        issue = with_known(result(), Setup())["issues"][0]
        assert (issue["source_url"], issue["fix_url"]) == (ISSUE, fix.url)

    def test_the_same_answer_twice_is_told_once_and_by_the_last(self, reviewer: User) -> None:
        make_issue(1)
        other = User.objects.create_user("sam", is_staff=True)
        for by in (reviewer, other):
            reviewing.accept(pk=sent().pk, by=by, confirmed=Confirmation(issue_url=ISSUE))
        assert [known.by for known in confirmed(key=KEY, version=1)] == ["sam"]

    def test_accepting_without_issue_or_cause_confirms_nothing(self, reviewer: User) -> None:
        row = sent()
        reviewing.accept(pk=row.pk, by=reviewer, confirmed=Confirmation())
        row.refresh_from_db()
        assert row.state == "accepted"
        assert not KnownSignature.objects.exists()

    @pytest.mark.parametrize(
        ("confirmation", "reason"),
        [
            (Confirmation(issue_url="https://github.com/a/b/issues/77"), "does not hold this issue"),
            (Confirmation(issue_url="nonsense"), "The issue:"),
            (Confirmation(cause="no-such-cause"), "no such root cause"),
        ],
    )
    def test_what_is_not_in_the_knowledge_base_is_refused(
        self, reviewer: User, confirmation: Confirmation, reason: str
    ) -> None:
        row = sent()
        with pytest.raises(ReviewRefusedError, match=reason):
            reviewing.accept(pk=row.pk, by=reviewer, confirmed=confirmation)
        row.refresh_from_db()
        assert (row.state, row.decisions.count()) == ("new", 0)

    def test_without_a_signature_nothing_can_be_confirmed(self, reviewer: User) -> None:
        make_issue(1)
        with pytest.raises(ReviewRefusedError, match="no signature"):
            reviewing.accept(pk=sent(result(signature=None)).pk, by=reviewer, confirmed=Confirmation(issue_url=ISSUE))

    def test_declining_needs_a_reason(self, reviewer: User) -> None:
        row = sent()
        with pytest.raises(ReviewRefusedError, match="why"):
            reviewing.decline(pk=row.pk, by=reviewer, reason="  ")
        reviewing.decline(pk=row.pk, by=reviewer, reason="Not the same.")
        assert list(row.decisions.values_list("state", "reason", "by")) == [("declined", "Not the same.", reviewer.pk)]

    def test_a_decision_is_taken_back_with_all_that_it_confirmed(self, reviewer: User) -> None:
        make_issue(1)
        row = sent()
        reviewing.accept(pk=row.pk, by=reviewer, confirmed=Confirmation(issue_url=ISSUE), reason="Same trace.")
        reviewing.undo(pk=row.pk, by=reviewer, reason="It was not.")
        row.refresh_from_db()
        assert (row.state, confirmed(key=KEY, version=1)) == ("new", [])
        assert [decision.state for decision in row.decisions.order_by("pk")] == ["accepted", "new"]

    def test_what_somebody_else_decided_meanwhile_stands(self, reviewer: User) -> None:
        row = sent()
        reviewing.decline(pk=row.pk, by=reviewer, reason="No.")
        with pytest.raises(ReviewRefusedError, match="faster"):
            reviewing.accept(pk=row.pk, by=reviewer, confirmed=Confirmation())

    def test_what_was_declined_long_ago_is_deleted(self, reviewer: User) -> None:
        old, young, new = sent(), sent(), sent()
        for row in (old, young):
            reviewing.decline(pk=row.pk, by=reviewer, reason="No.")
        old.decisions.update(at=timezone.now() - feedback.DECLINED_KEPT - dt.timedelta(days=1))
        forget_declined_feedback()
        assert set(DiagnosisFeedback.objects.values_list("pk", flat=True)) == {young.pk, new.pk}


class TestDrafts:
    def test_a_described_issues_record_gets_the_line_as_a_signature(self) -> None:
        issue = make_issue(1, heading="Training runs out of memory", summary="It stops.", read_on="2026-01-01")
        text = drafts.record_draft(sent(issue_url=issue.url))
        record = yaml.safe_load(text)
        assert record["url"] == issue.url
        assert record["title"] == "Training runs out of memory"
        assert record["recognise"][-1].startswith("torch.OutOfMemoryError: CUDA out of memory.")
        assert [secret for secret in PRIVATE if secret in text] == []

    def test_an_unknown_issues_record_says_what_is_to_be_written_and_passes_no_check_until_then(self) -> None:
        text = drafts.record_draft(sent(issue_url="https://github.com/a/b/issues/9"))
        record = yaml.safe_load(text)
        assert record["url"] == "https://github.com/a/b/issues/9"
        assert "Still to write:" in text
        assert "summary" in text.splitlines()[1]
        with pytest.raises(ValueError, match="summary"):
            Record.model_validate(record)

    def test_a_signals_pattern_finds_its_line_and_the_same_with_other_numbers(self) -> None:
        text = drafts.signal_draft(sent())
        (signal,) = yaml.safe_load(text)["signals"]
        assert signal["code"].startswith("torch-outofmemoryerror-cuda-out-of-memory")
        assert drafts.pattern_of("Tried 2.00 GiB (rank 3) [x]") == r"Tried \d+\.\d+ GiB \(rank \d+\) \[x\]"
        line = signal["examples"][0]
        assert re2_finds(signal["pattern"], line)
        assert re2_finds(signal["pattern"], line.replace("2.00", "64.50"))
        assert not re2_finds(signal["pattern"], line.replace("memory", "time"))
        assert [secret for secret in PRIVATE if secret in text] == []


def re2_finds(pattern: str, line: str) -> bool:
    """Does the catalogue's own engine find it?"""
    signal = catalogue().signals[0].model_copy(update={"pattern": pattern, "unless": None, "general": False})
    return bool(Matcher((signal,)).match(line))
