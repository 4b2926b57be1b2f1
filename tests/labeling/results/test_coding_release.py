"""Open coding in a release: every code as typed, the acts, and what the codebook's nodes were made of."""

import csv
import io
import json

import pytest

from labeling.models import Member, Release
from labeling.selectors.pseudonyms import pseudonyms
from labeling.services import coding
from labeling.services.coding_codebook import make_codebook
from tests.labeling.open_coding import coding_round, make_nodes
from tests.labeling.results.builders import lead_of, settled_round
from tests.labeling.results.test_releases import files_of, make

pytestmark = pytest.mark.django_db


def released(lead: Member) -> dict[str, bytes]:
    job = make(lead)
    assert job.state == "done", job.message
    return files_of(Release.objects.get())


def test_codes_acts_and_origins_are_in_it() -> None:
    lead, _ = coding_round()
    make_nodes(lead)
    coding.merge_codes(lead=lead, keys=["rank mismatch", "ranks mismatch"])
    make_codebook(lead=lead, code="fault", name="Fault", question="", kind="one", ends=["open-codes"])
    files = released(lead)
    rows = list(csv.DictReader(io.StringIO(files["coding/codes.csv"].decode())))
    assert len(rows) == 7
    assert {(row["code"], row["memo"], row["merged_into"], row["node"]) for row in rows} >= {
        ("Rank mismatch", "", "", "ranks"),
        ("ranks mismatch", "", "rank mismatch", "ranks"),
        ("dtype is wrong", "fp16 into fp32", "", ""),
    }
    assert {row["annotator"] for row in rows} <= set(pseudonyms(project_id=lead.project_id).values())
    acts = [json.loads(line) for line in files["coding/history.jsonl"].decode().splitlines()]
    assert [act["kind"] for act in acts] == ["node", "node", "merge", "codebook"]
    nodes = json.loads(files["coding/nodes.json"])
    assert nodes["codebooks"] == [
        {
            "codebook": 2, "axis": "fault",
            "nodes": {"ranks": ["hang", "rank mismatch", "ranks mismatch"], "types": ["wrong dtype"]},
        }
    ]  # fmt: skip
    method = files["METHOD.md"].decode()
    assert "7 uses of 5 codes" in method
    assert "Version 2 of the codebook asks for its nodes as “Fault”." in method
    assert "`coding/codes.csv`" in files["DATA.md"].decode()
    package = json.loads(files["datapackage.json"])
    (resource,) = [each for each in package["resources"] if each["path"] == "coding/codes.csv"]
    assert [field["name"] for field in resource["schema"]["fields"]][3] == "code"
    assert all(field["description"] for field in resource["schema"]["fields"])


def test_a_project_without_it_has_no_such_files() -> None:
    files = released(lead_of(settled_round(((("hang",), ("hang",), ("hang",)),))))
    assert not [name for name in files if name.startswith("coding/")]
    assert "Open coding" not in files["METHOD.md"].decode()
