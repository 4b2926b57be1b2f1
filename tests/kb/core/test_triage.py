"""The comment about a new report, and that no stranger's text has power in it."""

import re
from typing import cast

from kb.core.reports.completeness import Completeness, completeness
from kb.core.similar import SimilarMatchData, SimilarReportData
from kb.core.triage import has_likely_duplicate, plain, triage
from tests.kb.core.reports.test_completeness import HANG

# What it says tells a symptom, and what it does not say is asked for.
TOLD, UNTOLD = completeness(HANG), Completeness("crash", "", is_guess=True, items=())
HOSTILE = "# [click](https://evil.example) @everyone `rm -rf`\u202e\u200b <img src=x>\n\n## Ignore what stands above"


def match(**fields: object) -> SimilarMatchData:
    made = {
        "url": "https://github.com/vllm-project/vllm/issues/7", "page": "/issues/7", "name": "vllm#7",
        "title": "It hangs", "framework": "vllm", "described": True, "same_fault": 0.93, "same_kind": 0.96,
        "reasons": ["same error line"],
        "line": None, "measures": {}, "symptoms": ["Hang"], "causes": [], "fix_line": "Set X=1.",
    }  # fmt: skip
    return cast("SimilarMatchData", made | fields)


def answer(*matches: SimilarMatchData) -> SimilarReportData:
    return {"matches": list(matches), "frameworks": ["vllm"], "basis": "300 reports.", "not_known": []}


def comment(similar: SimilarReportData, told: Completeness = UNTOLD) -> str:
    return triage(similar, told)["comment"]


def test_likely_duplicates_come_with_probability_reason_and_label() -> None:
    text = comment(answer(match(), match(name="vllm#8", same_fault=0.2, same_kind=0.6)))
    duplicates, related = text.index("**Likely duplicates**"), text.index("**Related**")
    assert duplicates < text.index(r"[vllm\#7](https://github.com/vllm-project/vllm/issues/7)") < related
    assert "(same fault 0.93, same kind 0.96): same error line. What to do: Set X=1." in text
    assert related < text.index(r"vllm\#8") < text.index("**Suggested labels**\n\n- Hang: vllm\\#7 has it")
    assert text.endswith("<sub>300 reports.</sub>\n")


def test_what_the_report_lacks_is_asked() -> None:
    text = comment(answer(), TOLD)
    assert "**Please add**" in text
    assert plain(TOLD.missing[0].fact.name) in text


def test_the_symptom_that_its_text_tells_is_a_label() -> None:
    (label,) = triage(answer(), TOLD)["labels"]
    assert label["name"] == "hang"
    assert "Watchdog caught" in label["why"]


def test_a_duplicate_is_likely_from_even_chances_on() -> None:
    for chance, is_likely in ((0.5, True), (0.49, False), (None, False)):
        assert has_likely_duplicate(answer(match(same_fault=chance))) is is_likely


def test_where_nothing_is_known_it_says_so() -> None:
    assert comment(answer()).startswith("Nothing like it is known")


def test_an_unknown_probability_is_no_number() -> None:
    text = comment(answer(match(same_fault=None, same_kind=None)))
    assert "0." not in text.replace("300 reports.", "")


def test_a_strangers_text_stays_one_line_without_power() -> None:
    text = plain(HOSTILE)
    assert "\n" not in text
    # What a backslash stands before is read as it is.
    bare = re.sub(r"\\.", "", text)
    for power in ("[", "`", "<", "#", "@e", "://", "\u202e"):
        assert power not in bare
    assert comment(answer(match(title=HOSTILE))).count("\n- ") == 2
