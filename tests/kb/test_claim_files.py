"""Files of claims: what they may hold, what is refused with its place, and that what ships can be asked."""

from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from kb.codebook.claim_checks import queries_of
from kb.codebook.claims import ClaimFile, PublishedFile, claims_by_study
from kb.codebook.load import HERE, CodebookInvalidError, read_codebook

SHARE = {"kind": "share", "base": "curated=true", "part": "symptom=hang"}


def claim(**fields: Any) -> dict[str, Any]:
    """A claim that may stand, with these fields; None leaves one out."""
    whole = {
        "slug": "hangs", "kind": "share", "says": "A tenth hang.", "place": "Table 1", "trust": "primary",
        "published": {"percent": 10}, "measure": SHARE, "why": "Ours are chosen.",
    } | fields  # fmt: skip
    return {name: value for name, value in whole.items() if value is not None}


class TestFormat:
    @pytest.mark.parametrize(
        "published",
        [
            {"percent": 48, "n": 308, "cases": 148, "bound": "about"},
            {"ratio": 2, "bound": "at_least"},
            {"order": ["hang", "crash"], "any_order": True},
            {"never": True},
            {"number": 0.873, "unit": "F1"},
        ],
    )
    def test_takes_each_kind_of_value(self, published: dict[str, object]) -> None:
        assert PublishedFile.model_validate(published).value in published

    @pytest.mark.parametrize(
        ("published", "said"),
        [
            ({}, "exactly one of"),
            ({"percent": 4, "never": True}, "exactly one of"),
            ({"never": True, "bound": "about"}, "bound does not go with never"),
            ({"percent": 4, "n": 3, "cases": 5}, "more cases than n"),
            ({"number": 3}, "number and unit go together"),
            ({"order": ["hang", "hang"]}, "used twice"),
        ],
    )
    def test_refuses_values_that_do_not_go_together(self, published: dict[str, object], said: str) -> None:
        with pytest.raises(ValidationError, match=said):
            PublishedFile.model_validate(published)

    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"measure": None, "why": None}, "either a measure or a reason in cannot"),
            ({"cannot": "Nobody knows."}, "either a measure or a reason in cannot"),
            ({"why": None}, "why goes with every measure"),
            ({"published": {"ratio": 2}}, "the measure share cannot be compared with ratio"),
            (
                {
                    "published": {"order": ["hang"]},
                    "measure": {"kind": "order", "base": "", "by": "symptom", "top": 2},
                },
                "top is 2, the order has 1",
            ),
        ],
    )
    def test_a_claim_is_asked_in_a_way_that_fits_or_says_why_not(self, changes: dict[str, Any], said: str) -> None:
        with pytest.raises(ValidationError, match=said):
            ClaimFile.model_validate(claim(**changes))

    def test_nothing_printed_is_left_out(self) -> None:
        assert ClaimFile.model_validate(claim(published=None)).published is None


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    ignored = copytree(HERE, tmp_path / "codebook", ignore=lambda _folder, names: [n for n in names if ".py" in n])
    for path in ignored.glob("studies/claims/*.yaml"):
        path.unlink()
    return Path(ignored)


def problems(root: Path, *claims: dict[str, Any], study: str = "p1-distributed-frameworks", name: str = "p1") -> str:
    content = yaml.safe_dump({"study": study, "claims": list(claims)}, sort_keys=False)
    (root / f"studies/claims/{name}.yaml").write_text(content)
    try:
        read_codebook(root)
    except CodebookInvalidError as error:
        return "\n".join(error.problems)
    return ""


class TestChecks:
    def test_a_file_that_may_stand_has_no_problem(self, copied: Path) -> None:
        assert problems(copied, claim()) == ""

    @pytest.mark.parametrize(
        ("measure", "said"),
        [
            (SHARE | {"part": "symptom=hangs-often"}, "claim hangs: symptom:"),
            (SHARE | {"base": "framework=deepsped"}, "claim hangs: framework:"),
            (SHARE | {"base": "colour=red"}, "colour is no filter on issues"),
            (SHARE | {"base": "curated=maybe"}, "claim hangs: curated:"),
            (SHARE | {"base": "symptom=hang&symptom=crash"}, "stands in the query twice"),
            (SHARE | {"base": "symptom=crash"}, "which it should narrow"),
            (
                {"kind": "ratio", "base": "stage=train", "first": "stage=train", "second": "stage=launch"},
                "should narrow",
            ),
        ],
    )
    def test_names_codes_values_and_filters_that_there_are_not(
        self, copied: Path, measure: dict[str, str], said: str
    ) -> None:
        assert said in problems(copied, claim(measure=measure, published=None))

    def test_a_part_may_ask_for_a_code_below_its_base(self, copied: Path) -> None:
        measure = {"kind": "share", "base": "symptom=hang", "part": "symptom=hang-collective"}
        assert problems(copied, claim(measure=measure)) == ""

    def test_an_order_names_uppermost_codes(self, copied: Path) -> None:
        measure = {"kind": "order", "base": "", "by": "symptom", "top": 1}
        said = problems(copied, claim(published={"order": ["hang-collective"]}, measure=measure))
        assert "hang-collective is no uppermost code of symptom" in said

    def test_a_slug_stands_once(self, copied: Path) -> None:
        assert "code used twice: hangs" in problems(copied, claim(), claim())

    def test_a_study_has_one_file_and_is_known(self, copied: Path) -> None:
        assert "there is no such study" in problems(copied, claim(), study="p0-nothing")
        problems(copied, claim(), name="p2")
        assert "in more than one file" in problems(copied, claim())


def test_what_ships_names_its_study_and_can_be_asked() -> None:
    codebook = read_codebook()
    assert codebook.claims.keys() == claims_by_study().keys()
    for study, claims in claims_by_study().items():
        for one in claims:
            assert one.cannot or queries_of(one.measure) or one.measure, (study, one.slug)
