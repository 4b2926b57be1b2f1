"""How often suggestions are right: the numbers that readers see are those of the rules as they are."""

import os

import pytest

from ingest.suggest.measured import FILE, Measured, Precision, as_figures, measured, trust_note
from ingest.suggest.rules import AXES
from kb.core.quality import figures as quality
from tests.ingest.small import needs_data
from tests.ingest.suggest.measuring import HELD_OUT, Findings, as_file, measure, table
from tests.ingest.suggest.reports import judgements, real_reports

# Of suggestions that nobody checks one by one, so many must be right on reports that no rule was made from.
LEAST_RIGHT = 0.8
LEAST_AGREEING = 0.95
# A record has one part and one symptom where it can, from the whole thread; a suggestion sees title and text only.
LEAST_AS_RECORDS = 0.75


@pytest.fixture(scope="module")
def findings() -> Findings:
    """Measured once; printed where pytest lets tests print (`make suggestions`)."""
    found = measure(list(real_reports()), judgements())
    print("\n".join(table(found)))  # noqa: T201
    return found


@needs_data
@pytest.mark.real_data
class TestMeasured:
    def test_the_file_says_what_is_measured_now(self, findings: Findings) -> None:
        now = as_file(findings, judgements())
        if os.environ.get("UPDATE_MEASURED"):
            FILE.write_text(f"{now.model_dump_json(indent=2)}\n", encoding="utf-8")
            quality.keep(as_figures(now))
        assert Measured.model_validate_json(FILE.read_bytes()) == now, "run `make suggestions`"

    def test_everything_suggested_on_a_judged_question_was_judged(self, findings: Findings) -> None:
        assert findings.unjudged == ()

    @pytest.mark.parametrize("axis", AXES)
    def test_most_are_right_where_no_rule_was_made(self, findings: Findings, axis: str) -> None:
        share = findings.read[HELD_OUT][axis]  # type: ignore[index]
        assert share.read >= 60
        assert share.right / share.read >= LEAST_RIGHT

    def test_issue_types_agree_with_the_hosts_labels_without_reading_them(self, findings: Findings) -> None:
        right = sum(share.right for share in findings.host.values())
        assert right / sum(share.read for share in findings.host.values()) >= LEAST_AGREEING

    def test_curated_records_agree(self, findings: Findings) -> None:
        right = sum(share.right for share in findings.records.values())
        assert right / sum(share.read for share in findings.records.values()) >= LEAST_AS_RECORDS


class TestWords:
    def test_a_share_stands_with_its_number_and_interval(self) -> None:
        assert Precision(right=52, read=60).sentence() == "87 % of 60 read (95 % interval 76–93 %)"

    def test_the_note_names_every_axis_and_when_it_was_measured(self) -> None:
        note = trust_note()
        for share in measured().precision.values():
            assert share.sentence() in note
        assert f"{measured().judged_on:%B %Y}" in note

    def test_the_note_is_about_the_rules_as_they_are(self) -> None:
        assert "have changed since" not in trust_note()

    def test_the_site_shows_the_same_figures(self) -> None:
        assert quality.measured("suggestions") == as_figures(measured()), "run `make suggestions`"

    def test_no_issue_is_judged_twice_in_the_same_question(self) -> None:
        pairs = [(one.url, one.axis, one.node) for one in judgements()]
        assert len(pairs) == len(set(pairs))

    def test_no_issue_is_in_both_parts(self) -> None:
        parts = {part: {one.url for one in judgements() if one.part == part} for part in ("tuning", HELD_OUT)}
        assert not parts["tuning"] & parts[HELD_OUT]
