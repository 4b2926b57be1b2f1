"""Releases: what is in the archive, that it never changes, that it gives nobody away, and two side by side."""

import csv
import datetime as dt
import hashlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from django.db import DatabaseError, transaction
from django.utils import timezone

from labeling.ballots import Choice, Passage
from labeling.models import Decision, Evidence, Item, Job, Member, Release, Round, Vote
from labeling.refusals import RefusedError
from labeling.releases import archive, codebook, dictionary, metadata, method, report, state, tables
from labeling.releases import build as making
from labeling.releases.comparison import compare
from labeling.selectors.pseudonyms import pseudonyms
from labeling.services import jobs
from labeling.services.decisions import reopen
from labeling.services.discussions import end_discussion
from labeling.services.rounds import close_round, fill_round, open_round, prepare_round
from labeling.services.settling import revise, stay, take_answer
from labeling.tasks import WORK
from tests.labeling.factories import cast, make_open_round, make_project
from tests.labeling.results.builders import annotators, lead_of, settled_round, voted_round
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db
HANG, CRASH = ("hang",), ("crash",)
VOTES = ((HANG, HANG, HANG), (CRASH, CRASH, HANG), (HANG, CRASH, CRASH))


def make(lead: Member, **words: Any) -> Job:
    defaults: dict[str, Any] = {"title": "Faults", "authors": ["Doe, Jo"], "licence": "CC-BY-4.0", "note": ""}
    job = making.ask(lead=lead, **defaults | words)
    jobs.run(job_id=job.pk, work=WORK[Job.Kind.RELEASE])
    job.refresh_from_db()
    return job


def files_of(release: Release) -> dict[str, bytes]:
    return archive.unpack(bytes(release.archive))


def built(round_: Round) -> bytes:
    """An archive of the project as it is, made from the rows anew."""
    found = state.read(project=round_.project)
    files = {
        name: one for step in (tables, dictionary, codebook, method, report) for name, one in step.files(found).items()
    }
    title = metadata.Title("Faults", 1, ("Doe, Jo",), "CC-BY-4.0", "", "2026-01-01", "Why?", "Some.")
    return archive.pack(files, title)


def test_everything_that_was_promised_is_in_it() -> None:
    round_ = settled_round(VOTES)
    job = make(lead_of(round_))
    assert job.state == Job.State.DONE, job.message
    names = set(files_of(Release.objects.get()))
    assert names >= {
        "README.md", "datapackage.json", "DATA.md", "METHOD.md", "CITATION.cff", "SHA256SUMS", "codebook.json",
        "data/issues.jsonl", "data/labels.csv", "data/rounds.json", "votes/votes.csv", "votes/votes.jsonl",
        "agreement/report.md", "agreement/report.html", "agreement/agreement.json",
        "agreement/matrices/round-1-symptom.csv",
        "agreement/plots/round-1-symptom-coefficients.svg",
    }  # fmt: skip


def test_the_same_state_gives_the_same_bytes() -> None:
    from django.core.cache import cache

    round_ = settled_round(VOTES)
    first = built(round_)
    cache.clear()
    assert built(round_) == first


def test_the_checksums_are_of_the_files_and_of_the_archive() -> None:
    round_ = settled_round(VOTES)
    make(lead_of(round_))
    release = Release.objects.get()
    assert hashlib.sha256(bytes(release.archive)).hexdigest() == release.sha256
    files = files_of(release)
    lines = [line.split("  ") for line in files["SHA256SUMS"].decode().splitlines()]
    assert {name for _, name in lines} == set(files) - {"SHA256SUMS"}
    assert all(hashlib.sha256(files[name]).hexdigest() == told for told, name in lines)


def test_the_data_package_describes_every_file_and_every_column() -> None:
    round_ = settled_round(VOTES)
    make(lead_of(round_))
    files = files_of(Release.objects.get())
    package = json.loads(files["datapackage.json"])
    resources = {resource["path"]: resource for resource in package["resources"]}
    assert set(resources) == set(files) - {"README.md", "CITATION.cff", "SHA256SUMS", "datapackage.json"}
    for path, resource in resources.items():
        assert resource["bytes"] == len(files[path])
        assert resource["hash"] == "sha256:" + hashlib.sha256(files[path]).hexdigest()
    for path, resource in resources.items():
        if path.endswith(".csv"):
            header, *rows = csv.reader(files[path].decode().splitlines())
            assert [field["name"] for field in resource["schema"]["fields"]] == header
            assert resource["rows"] == len(rows)
    fields = {field["name"]: field for field in resources["votes/votes.csv"]["schema"]["fields"]}
    assert {name: fields[name]["type"] for name in ("issue", "confidence", "seconds", "is_from_file")} == {
        "issue": "string", "confidence": "integer", "seconds": "integer", "is_from_file": "boolean",
    }  # fmt: skip
    assert fields["annotator"]["description"] == dictionary.ABOUT_VOTES["annotator"]


def test_the_values_are_of_the_types_that_the_data_package_says() -> None:
    read: dict[str, Callable[[str], object]] = {
        "integer": int,
        "number": float,
        "date": dt.date.fromisoformat,
        "string": str,
    }
    round_ = settled_round(VOTES)
    make(lead_of(round_))
    files = files_of(Release.objects.get())
    for resource in json.loads(files["datapackage.json"])["resources"]:
        for row in csv.DictReader(files[resource["path"]].decode().splitlines()) if "schema" in resource else ():
            for field in resource["schema"]["fields"]:
                text = row[field["name"]]
                if field["type"] == "boolean":
                    assert text in field["trueValues"] + field["falseValues"]
                elif text:
                    read[field["type"]](text)


@pytest.mark.parametrize("table", ["votes/votes", "data/labels"])
def test_the_parquet_files_hold_the_rows_of_the_csv_files_with_types(table: str, tmp_path: Path) -> None:
    round_ = settled_round(VOTES)
    make(lead_of(round_))
    files = files_of(Release.objects.get())
    file = tmp_path / "table.parquet"
    file.write_bytes(files[f"{table}.parquet"])
    found = duckdb.read_parquet(str(file))
    header, *rows = csv.reader(files[f"{table}.csv"].decode().splitlines())
    assert found.columns == header
    shown = found.project(f"{found.columns[0]}, array_to_string(nodes, '|'), CAST(codebook AS VARCHAR)").fetchall()
    places = [0, header.index("nodes"), header.index("codebook")]
    assert [[str(cell) for cell in row] for row in shown] == [[row[place] for place in places] for row in rows]
    types = dict(zip(found.columns, map(str, found.types), strict=True))
    assert (types["nodes"], types["is_from_file"], types["number"]) == ("VARCHAR[]", "BOOLEAN", "DOUBLE")


def test_the_readme_begins_as_a_dataset_card() -> None:
    round_ = settled_round(VOTES)
    make(lead_of(round_), title="Hangs: why")
    head = files_of(Release.objects.get())["README.md"].decode().split("---\n")[1]
    card = yaml.safe_load(head)
    assert (card["pretty_name"], card["license"], card["size_categories"]) == ("Hangs: why", "cc-by-4.0", ["n<1K"])
    assert [part["data_files"] for part in card["configs"]] == ["data/labels.csv", "votes/votes.csv"]


def test_a_release_is_never_changed_or_deleted() -> None:
    round_ = settled_round(VOTES)
    make(lead_of(round_))
    with pytest.raises(DatabaseError, match="Cannot update or delete"), transaction.atomic():
        Release.objects.update(note="Other.")
    with pytest.raises(DatabaseError, match="Cannot update or delete"), transaction.atomic():
        Release.objects.all().delete()


def test_nothing_new_makes_no_new_release() -> None:
    round_ = settled_round(VOTES)
    make(lead_of(round_))
    job = make(lead_of(round_), title="Another title")
    assert job.state == Job.State.FAILED
    assert "Nothing has changed since release 1" in job.message
    assert Release.objects.count() == 1


def test_no_closed_round_is_refused() -> None:
    job = make(make_project())
    assert "No round is closed yet" in job.message


@pytest.mark.parametrize(
    "words", [{"title": " "}, {"authors": [" "]}, {"licence": "mine"}], ids=["no title", "no author", "no licence"]
)
def test_what_could_not_be_cited_is_refused(words: dict[str, Any]) -> None:
    with pytest.raises(RefusedError):
        make(lead_of(settled_round(VOTES)), **words)


def test_votes_have_pseudonyms_that_tell_neither_who_nor_in_which_order() -> None:
    round_ = settled_round(VOTES)
    lead = lead_of(round_)
    make(lead)
    files = files_of(Release.objects.get())
    # Parquet holds the same rows as the CSV files, packed.
    whole = b"".join(content for name, content in files.items() if not name.endswith(".parquet")).decode()
    for member in Member.objects.filter(project=round_.project).select_related("user"):
        assert member.user.username not in whole
        assert member.pseudonym not in whole
    for receipt, submitted in Vote.objects.values_list("receipt", "submitted_at"):
        assert receipt not in whole
        assert submitted.isoformat() not in whole
    rows = list(csv.DictReader(io.StringIO(files["votes/votes.csv"].decode())))
    assert len(rows) == 18
    assert rows == sorted(rows, key=lambda row: (row["issue"], row["axis"], row["annotator"]))
    joined = [pseudonyms(project_id=round_.project_id)[one.pk] for one in annotators(lead, 3)]
    assert {row["annotator"] for row in rows} == set(joined)


def test_pseudonyms_stay_from_release_to_release_and_differ_between_projects() -> None:
    round_, other = settled_round(VOTES), settled_round(VOTES)
    assert pseudonyms(project_id=round_.project_id) == pseudonyms(project_id=round_.project_id)
    mine, theirs = (set(pseudonyms(project_id=one.project_id).values()) for one in (round_, other))
    assert not mine & theirs


def test_labels_carry_how_they_came_about() -> None:
    round_ = settled_round(VOTES)
    make(lead_of(round_))
    lines = [json.loads(line) for line in files_of(Release.objects.get())["data/issues.jsonl"].splitlines()]
    answers = {one["axis"]: one for one in lines[1]["answers"]}
    assert answers["symptom"] | {"decided_on": ""} == {
        "axis": "symptom", "nodes": ["crash"], "number": None, "report_does_not_tell": False, "how": "majority",
        "votes": 3, "support": 2, "agreement": 0.333333, "posts": 0, "revised": 0, "cause": "", "reason": "",
        "is_from_file": False, "round": 1, "codebook": 1, "decided_on": "",
    }  # fmt: skip


def test_the_method_has_its_numbers() -> None:
    round_ = settled_round(VOTES)
    make(lead_of(round_))
    text = files_of(Release.objects.get())["METHOD.md"].decode()
    assert "a main round over 3 issues by codebook version 1" in text
    assert "3 annotators gave 9 in all" in text
    assert "6 answers on 3 issues are decided: 4 by unanimous votes, 2 by the majority of the votes" in text
    assert "Agreement on Symptom, 3 issues: Fleiss' kappa" in text


def test_the_report_and_the_matrix_agree_with_the_page() -> None:
    round_ = voted_round(VOTES)
    make(lead_of(round_))
    files = files_of(Release.objects.get())
    numbers = json.loads(files["agreement/agreement.json"])[0]["axes"]["symptom"]
    fleiss = next(one for one in numbers if one["key"] == "fleiss")
    assert f"| {fleiss['value']:.3f} |" in files["agreement/report.md"].decode()
    html = files["agreement/report.html"].decode()
    assert "<img" not in html
    assert html.count("<svg") == 4
    assert len(files["agreement/matrices/round-1-symptom.csv"].decode().splitlines()) == 4


def test_the_citation_file_is_whole() -> None:
    make(lead_of(settled_round(VOTES)), authors=["Doe, Jo", "The Fault Group"])
    cited = yaml.safe_load(files_of(Release.objects.get())["CITATION.cff"])
    assert cited["cff-version"] == "1.2.0"
    assert cited["type"] == "dataset"
    assert cited["authors"] == [{"family-names": "Doe", "given-names": "Jo"}, {"name": "The Fault Group"}]
    assert cited["version"] == "1"
    assert cited["license"] == "CC-BY-4.0"


def test_two_releases_side_by_side() -> None:
    round_ = settled_round(VOTES)
    lead = lead_of(round_)
    make(lead)
    gone = Decision.objects.filter(axis__code="symptom").order_by("item__position").first()
    assert gone is not None
    reopen(member=lead, decision=gone, reason="Read again.")
    settled_round(((HANG, HANG, HANG),), lead=lead)
    make(lead)
    new, old = Release.objects.order_by("-number")
    found = compare(bytes(old.archive), bytes(new.archive))
    assert len(found.issues_added) == 1
    assert found.issues_removed == ()
    assert found.by_axis == (("symptom", 1),)
    assert [(one.before, one.after) for one in found.changes] == [("hang", "")]
    assert found.nodes == ()
    assert any(one.before is None for one in found.agreement)
    same = compare(bytes(new.archive), bytes(new.archive))
    assert (same.issues_added, same.by_axis, same.changes, same.agreement) == ((), (), (), ())


def test_every_column_is_in_the_data_dictionary() -> None:
    make(lead_of(settled_round(VOTES)))
    files = files_of(Release.objects.get())
    told = files["DATA.md"].decode()
    for name in ("votes/votes.csv", "data/labels.csv"):
        columns = files[name].decode().splitlines()[0].split(",")
        assert all(f"| `{column}` |" in told for column in columns), name
    assert set(dictionary.ABOUT_VOTES) == set(tables.VOTE_COLUMNS)
    assert set(dictionary.ABOUT_LABELS) == set(tables.LABEL_COLUMNS)


def test_evidence_is_released_as_places_and_never_as_words() -> None:
    round_, (first, second) = make_open_round(annotators=2)
    cast(first, round_, evidence=[Passage("body", 0, 6, "symptom"), Passage("title", 3, 8)])
    cast(second, round_)
    close_round(lead=lead_of(round_), round_=round_)
    make(lead_of(round_))
    files = files_of(Release.objects.get())
    name = pseudonyms(project_id=round_.project_id)[first.pk]
    rows = {
        (row["annotator"], row["axis"]): row for row in csv.DictReader(io.StringIO(files["votes/votes.csv"].decode()))
    }
    assert rows[name, "symptom"]["evidence"] == "body:0-6|*title:3-8"
    assert rows[name, "issue_type"]["evidence"] == "*title:3-8"
    assert {row["evidence"] for (who, _), row in rows.items() if who != name} == {""}
    frozen = Item.objects.select_related("snapshot").get().snapshot
    assert {row["text_sha256"] for row in rows.values()} == {frozen.text_hash}
    lines = [json.loads(line) for line in files["votes/votes.jsonl"].splitlines()]
    told = next(line["evidence"] for line in lines if (line["annotator"], line["axis"]) == (name, "symptom"))
    assert told == [
        {"axis": "symptom", "part": "body", "start": 0, "end": 6},
        {"axis": "", "part": "title", "start": 3, "end": 8},
    ]
    assert "marked 2 passages" in files["METHOD.md"].decode()
    assert "on 1 of 2 votes" in files["METHOD.md"].decode()
    words = {one.quote for one in Evidence.objects.all()}
    assert words == {"Rank 3", frozen.content["title"][3:8]}
    assert all(b"Rank 3" not in content for content in files.values())


def test_the_method_says_what_discussions_did() -> None:
    round_ = voted_round(((HANG, CRASH, CRASH),) * 4, rule=Round.Rule.DISCUSSION, discussion_days=7)
    people, axis = annotators(lead_of(round_), 3), round_.project.axes.get(code="symptom")
    items = list(Item.objects.filter(round=round_).select_related("round").order_by("position"))
    take_answer(member=people[0], item=items[0], axis=axis, voter=people[1], revision=0)
    for member in people[1:]:
        stay(member=member, item=items[0], axis=axis)
    end_discussion(lead=lead_of(round_), item=items[1], axis=axis)
    revise(member=people[2], item=items[2], axis=axis, choice=Choice(HANG))
    Item.objects.filter(pk=items[2].pk).update(released_at=timezone.now() - dt.timedelta(days=8))
    text = method.files(state.read(project=round_.project))["METHOD.md"].decode()
    assert "the votes on 4 answers differed" in text
    assert "revised 2 of their votes, 1 of them to the answer of another, and stayed with 2." in text
    assert "held: 1; ended by the lead: 1; ended by their deadline (7 days after the release): 1; still open: 1" in text
    assert "**Discussion.**" not in method.files(state.read(project=settled_round(VOTES).project))["METHOD.md"].decode()


def test_the_method_says_what_annotators_could_have_seen_and_counts_what_was_in_our_words() -> None:
    lead = make_project(is_demo=True)
    round_ = voted_round(VOTES, lead=lead)
    text = method.files(state.read(project=round_.project))["METHOD.md"].decode()
    assert "**What annotators could have seen.**" in text
    assert "own description of the fault" not in text
    described = make_issue(title="", heading="It hangs", summary="It waits.")
    later = prepare_round(lead=lead, kind=Round.Kind.MAIN, name="Later", votes_wanted=1)
    fill_round(lead=lead, round_=later, urls=[described.url], sample={"kind": "urls"})
    close_round(lead=lead, round_=open_round(lead=lead, round_=later))
    text = method.files(state.read(project=round_.project))["METHOD.md"].decode()
    assert "Issues whose report was not mirrored: 1." in text
