"""A project's own items: what a file must be like, taking it in once, and giving the items to rounds."""

import json

import pytest
from django.db import IntegrityError, ProgrammingError, transaction

from labeling.exchange import item_intake as services
from labeling.exchange.item_intake import check, delete_unused, keep_file, take_file_in
from labeling.exchange.items import read, write
from labeling.exchange.rows import Rejected
from labeling.exchange.values import UnreadableError
from labeling.models import AuditEntry, Item, Job, Member, OwnItem, OwnItemFile, Round, Snapshot
from labeling.refusals import RefusedError
from labeling.selectors.own_items import item_rows
from labeling.services import fill
from labeling.services.rounds import open_round, prepare_round
from labeling.services.sampling import RejectedLinesError, empty_round, fill_from_list, fill_from_own
from labeling.tasks import run_job
from tests.labeling.factories import make_member, make_project
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db
TOKEN = "ghp_" + "a1B2" * 9


def csv_of(number: int) -> bytes:
    rows = "".join(f"{place},Title {place},It hangs {place}.,\r\n" for place in range(1, number + 1))
    return f"id,title,text,address\r\n{rows}".encode()


def reasons(content: bytes) -> list[tuple[int, str]]:
    return [(row.line, row.reason) for row in read(content) if isinstance(row, Rejected)]


def take_in(lead: Member, content: bytes, *, leave_out: bool = False) -> Job | None:
    file, _ = keep_file(lead=lead, content=content, filename="items.csv")
    return take_file_in(lead=lead, file=file, leave_out=leave_out)


def draft(lead: Member) -> Round:
    return prepare_round(lead=lead, kind=Round.Kind.MAIN, name="Main", votes_wanted=1)


def names_in(round_: Round) -> list[str]:
    return [item.subject.short_name for item in Item.objects.filter(round=round_).order_by("position")]


class TestFiles:
    @pytest.mark.parametrize(
        "content",
        [
            b"id,title,text,address\n1,T,It hangs,https://example.org/1\n",
            b"\xef\xbb\xbfID;Title;Body;URL\r\n1;T;It hangs;https://example.org/1\r\n",
            b"link\tkey\ttext\ttitle\nhttps://example.org/1\t1\tIt hangs\tT\n",
            b'{"id": 1, "title": "T", "text": "It hangs", "address": "https://example.org/1"}\n',
            b'\n{"ID": "1", "title": "T", "body": "It hangs", "link": "https://example.org/1", "more": []}',
        ],
    )
    def test_csv_with_any_separator_and_json_lines_say_the_same(self, content: bytes) -> None:
        (row,) = read(content)
        assert not isinstance(row, Rejected)
        assert (row.key, row.title, row.body, row.address) == ("1", "T", "It hangs", "https://example.org/1")

    @pytest.mark.parametrize(
        ("row", "reason"),
        [
            (b"1,T,x,", "Its id or address is on line 2 already."),
            (b"2,T,x,https://example.org/1", "Its id or address is on line 2 already."),
            (b",T,x,", "It has no id."),
            (b"2,,  ,", "It has neither title nor text."),
            (b"2,T,\xe9,", "It is not UTF-8."),
            (b"2,T,a\x00b,", "It contains a NUL character, which cannot be stored."),
            (b"2,T,x,example.org", "Its address is not one on the web: it begins with https:// or http://."),
            (b"2,T,x,,y", "It has more cells than the first line: put texts with a separator into quotes."),
            (b"2" * 101 + b",T,x,", "Its id is longer than 100 characters."),
            (b"2," + b"T" * 1001 + b",x,", "Its title is longer than 1,000 characters."),
            (b"2,T," + b"x" * 200_001 + b",", "Its text is longer than 200,000 characters."),
            (b"2,T,x,https://example.org/" + b"a" * 1000, "Its address is longer than 1,000 characters."),
        ],
    )
    def test_a_row_that_cannot_be_taken_is_told_with_its_line_and_reason(self, row: bytes, reason: str) -> None:
        content = b"id,title,text,address\n1,T,It hangs,https://example.org/1\n" + row + b"\n3,T,x,\n"
        assert reasons(content) == [(3, reason)]

    @pytest.mark.parametrize(
        "content", [b"", b"title,text\nT,x\n", b"id\n1\n", b'[{"id": 1}]', "id,text\n".encode("utf-16")]
    )
    def test_what_is_no_such_file_at_all_is_refused(self, content: bytes) -> None:
        with pytest.raises(UnreadableError):
            list(read(content))

    @pytest.mark.parametrize("line", ['{"id": 1, "text": ["x"]}', '{"id": 1', "[]", '{"id": 1, "text": "\\ud800"}'])
    def test_a_line_of_json_that_is_no_item_is_rejected_alone(self, line: str) -> None:
        content = '{"id": 0, "text": "x"}\n' + line + '\n{"id": 2, "text": "x"}\n'
        assert [line for line, _ in reasons(content.encode())] == [2]

    @pytest.mark.parametrize("format_", ["csv", "jsonl"])
    def test_an_export_comes_in_again_without_a_rejected_row(self, format_: str) -> None:
        lead = make_project()
        odd = [{"id": "=1+1", "title": "'a', \"b\"", "text": "one;\r\n\ttwo\n", "address": "https://example.org/é"}]
        odd += [{"id": "第一", "text": f"token {TOKEN}"}, {"id": "3", "title": "- only a title", "text": " "}]
        take_in(lead, "\n".join(json.dumps(row) for row in odd).encode())
        text = "".join(write(item_rows(project_id=lead.project_id), format_))
        (batch,) = check(project_id=lead.project_id, content=text.encode())
        assert (len(batch.new), batch.known, batch.rejected) == (0, 3, [])
        (batch,) = check(project_id=make_project().project_id, content=text.encode())
        assert (len(batch.new), batch.rejected) == (3, [])


class TestTakingIn:
    def test_nothing_but_the_file_is_stored_before_the_lead_confirms(self) -> None:
        lead = make_project()
        file, _ = keep_file(lead=lead, content=csv_of(2) + b"2,again,x,\r\n", filename="items.csv")
        assert (file.report["new"], file.report["known"], file.report["rejected"]) == (2, 0, 1)
        assert file.report["reasons"] == [[4, "Its id or address is on line 3 already."]]
        with pytest.raises(RefusedError, match="leave them out"):
            take_file_in(lead=lead, file=file)
        assert not OwnItem.objects.exists()
        take_file_in(lead=lead, file=file, leave_out=True)
        assert [item.key for item in OwnItem.objects.all()] == ["1", "2"]
        assert not OwnItemFile.objects.exists()
        assert AuditEntry.objects.get(kind=AuditEntry.Kind.ITEMS).detail == "2 new, 1 left out"

    def test_an_item_that_is_here_is_passed_over_and_never_changed(self) -> None:
        lead = make_project()
        take_in(lead, csv_of(2))
        (batch,) = check(project_id=lead.project_id, content=csv_of(3).replace(b"It hangs 2.", b"It crashes."))
        assert ([row.key for row in batch.new], batch.known) == (["3"], 1)
        assert [row.line for row in batch.rejected] == [3]
        assert "says something else" in batch.rejected[0].reason
        with pytest.raises(ProgrammingError, match="Cannot update"), transaction.atomic():
            OwnItem.objects.update(title="Other")

    def test_an_address_names_one_item_of_a_project_and_others_have_their_own(self) -> None:
        lead = make_project()
        content = b"id,text,address\na,x,https://example.org/1\nb b,y,\n"
        take_in(lead, content)
        assert list(OwnItem.objects.values_list("url", flat=True)) == ["https://example.org/1", "item:b%20b"]
        (batch,) = check(project_id=lead.project_id, content=b"id,text,address\nc,x,https://example.org/1\n")
        assert batch.rejected[0].reason == "The item “a” has this address already."
        assert take_in(make_project(), content) is None

    def test_secrets_are_masked_before_a_text_is_stored(self) -> None:
        lead = make_project()
        content = f"id,text\n1,token {TOKEN}\n".encode()
        take_in(lead, content)
        assert TOKEN not in OwnItem.objects.get().body
        (batch,) = check(project_id=lead.project_id, content=content)
        assert batch.known == 1

    def test_a_project_has_so_many_items_at_most(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(services, "MOST_ITEMS", 3)
        monkeypatch.setattr(services, "BATCH", 2)
        file, _ = keep_file(lead=make_project(), content=csv_of(4), filename="items.csv")
        assert (file.report["new"], file.report["reasons"]) == (
            3, [[5, "A project has at most 3 items of its own."]],
        )  # fmt: skip

    def test_a_newer_file_takes_the_place_of_one_that_waits(self) -> None:
        lead = make_project()
        first, _ = keep_file(lead=lead, content=csv_of(1), filename="first.csv")
        second, _ = keep_file(lead=lead, content=csv_of(2), filename="second.csv")
        assert first.pk != second.pk
        assert OwnItemFile.objects.get().filename == "second.csv"

    @pytest.mark.parametrize("content", [b"", b"no header\n"])
    def test_a_file_that_is_none_is_refused(self, content: bytes) -> None:
        with pytest.raises(RefusedError):
            keep_file(lead=make_project(), content=content, filename="items.csv")


class TestJobs:
    @pytest.fixture(autouse=True)
    def small_batches(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Four items are many, and a batch is five."""
        monkeypatch.setattr(services, "MOST_AT_ONCE", 4)
        monkeypatch.setattr(services, "BATCH", 5)

    def test_many_items_are_taken_in_by_a_job_that_continues_where_it_was_killed(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lead = make_project()
        job = take_in(lead, csv_of(12) + b",bad,x,\r\n", leave_out=True)
        assert job is not None
        write_rows, turns = services._write, iter(range(10))

        def dies(*arguments: object) -> None:
            if next(turns) == 1:
                raise KeyboardInterrupt
            write_rows(*arguments)  # type: ignore[arg-type]

        with monkeypatch.context() as patch:
            patch.setattr(services, "_write", dies)
            with pytest.raises(KeyboardInterrupt):
                run_job(job.pk)
        job.refresh_from_db()
        assert (job.done, OwnItem.objects.count()) == (5, 5)
        run_job(job.pk)
        run_job(job.pk)
        job.refresh_from_db()
        assert (job.state, job.done, job.total, OwnItem.objects.count()) == (Job.State.DONE, 13, 13, 12)
        assert job.result == {"new": 12, "here_already": 0, "left_out": 1}

    def test_a_large_file_gets_its_dry_run_by_a_job(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(services, "MOST_BYTES_AT_ONCE", 10)
        lead = make_project()
        file, job = keep_file(lead=lead, content=csv_of(6) + b",bad,x,\r\n", filename="items.csv")
        assert job is not None
        assert file.report == {}
        run_job(job.pk)
        file.refresh_from_db()
        assert (file.report["new"], file.report["rejected"], OwnItem.objects.count()) == (6, 1, 0)
        writes = take_file_in(lead=lead, file=file, leave_out=True)
        assert writes is not None
        run_job(writes.pk)
        assert OwnItem.objects.count() == 6

    def test_a_large_file_that_is_none_fails_its_job_with_the_reason(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(services, "MOST_BYTES_AT_ONCE", 10)
        lead = make_project()
        file, job = keep_file(lead=lead, content=b"no header in this\n", filename="items.csv")
        assert job is not None
        run_job(job.pk)
        job.refresh_from_db()
        assert job.state == Job.State.FAILED
        assert "The first line must name the columns" in job.message
        with pytest.raises(RefusedError, match="could not be read"):
            take_file_in(lead=lead, file=file)

    def test_while_a_file_is_taken_in_another_waits(self) -> None:
        lead = make_project()
        take_in(lead, csv_of(5))
        with pytest.raises(RefusedError, match="being taken in"):
            keep_file(lead=lead, content=csv_of(1), filename="items.csv")


class TestRounds:
    def test_a_round_gets_all_in_their_order_or_some_by_a_seed(self) -> None:
        lead = make_project()
        take_in(lead, csv_of(9))
        fill_from_own(lead=lead, round_=(first := draft(lead)), size=None)
        assert names_in(first) == [str(place) for place in range(1, 10)]
        empty_round(lead=lead, round_=first)
        drawn = []
        for _ in range(2):
            fill_from_own(lead=lead, round_=first, size=4, seed="word")
            drawn.append(names_in(first))
        assert drawn[0] == drawn[1] != ["1", "2", "3", "4"]
        fill_from_own(lead=lead, round_=(second := draft(lead)), size=None)
        assert set(names_in(second)) == {str(place) for place in range(1, 10)} - set(drawn[0])
        second.refresh_from_db()
        assert second.sample == {"kind": "own", "size": 5, "seed": "", "fresh": True, "population": 5, "drawn": 5}

    def test_a_list_names_own_items_by_their_ids_beside_issues(self) -> None:
        lead = make_project()
        take_in(lead, b"id,text,address\n7 a,x,\nb,y,https://example.org/b\n")
        issue = make_issue(title="It hangs")
        lines = f"b\n{issue.url}\n7 a\nhttps://example.org/b\nnobody"
        with pytest.raises(RejectedLinesError) as rejected:
            fill_from_list(lead=lead, round_=(round_ := draft(lead)), text=lines)
        assert [row.line for row in rejected.value.listed.rejected] == [4, 5]
        fill_from_list(lead=lead, round_=round_, text=lines, leave_out=True)
        assert names_in(round_) == ["b", issue.short_name, "7 a"]

    def test_many_are_given_by_a_job(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(fill, "MOST_AT_ONCE", 4)
        lead = make_project()
        take_in(lead, csv_of(6))
        given = fill_from_own(lead=lead, round_=(round_ := draft(lead)), size=None)
        assert given.job is not None
        run_job(given.job.pk)
        assert names_in(round_) == ["1", "2", "3", "4", "5", "6"]
        make_member(lead.project)
        assert open_round(lead=lead, round_=round_).state == Round.State.OPEN

    def test_it_is_frozen_with_its_words_and_no_host(self) -> None:
        lead = make_project()
        take_in(lead, b"id,title,text\n1,T,It hangs.\n")
        fill_from_own(lead=lead, round_=draft(lead), size=None)
        content = Snapshot.objects.get().content
        assert (content["name"], content["url"], content["title"], content["body"]) == ("1", "item:1", "T", "It hangs.")
        assert (content["state"], content["fixes"], content["host_labels"]) == ("", [], [])

    def test_an_own_item_never_gets_into_another_project(self) -> None:
        lead, other = make_project(), make_project()
        take_in(lead, csv_of(1))
        with pytest.raises(RefusedError, match="no items of its own"):
            fill_from_own(lead=other, round_=draft(other), size=None)
        with pytest.raises(RejectedLinesError):
            fill_from_list(lead=other, round_=draft(other), text="1\nitem:1")
        fill_from_own(lead=lead, round_=draft(lead), size=None)
        with pytest.raises(IntegrityError, match="stays in its project"), transaction.atomic():
            Item.objects.update(round=Round.objects.filter(project=other.project).latest("pk"))

    def test_an_item_is_about_an_issue_or_an_own_item_never_both_or_neither(self) -> None:
        lead = make_project()
        take_in(lead, csv_of(1))
        fill_from_own(lead=lead, round_=draft(lead), size=None)
        issue = make_issue(title="It hangs")
        for change in ({"issue": issue}, {"own": None}):
            with pytest.raises(IntegrityError, match="item_of_issue_or_own"), transaction.atomic():
                Item.objects.update(**change)

    def test_what_no_round_has_can_be_deleted(self) -> None:
        lead = make_project()
        take_in(lead, csv_of(4))
        fill_from_list(lead=lead, round_=(round_ := draft(lead)), text="1\n2")
        fill_from_list(lead=lead, round_=round_, text="1")
        in_round = OwnItem.objects.get(key="1")
        with pytest.raises(RefusedError, match="stay"):
            delete_unused(lead=lead, pk=in_round.pk)
        assert delete_unused(lead=lead, pk=OwnItem.objects.get(key="2").pk) == 1
        assert delete_unused(lead=lead) == 2
        assert list(OwnItem.objects.all()) == [in_round]
        with pytest.raises(RefusedError):
            delete_unused(lead=make_project())

    def test_annotators_neither_upload_nor_delete(self) -> None:
        member = make_member(make_project().project)
        with pytest.raises(RefusedError):
            keep_file(lead=member, content=csv_of(1), filename="items.csv")
        with pytest.raises(RefusedError):
            delete_unused(lead=member)
