"""Engines with an index of their own: scores, changes, rebuilds, and whatever can go wrong."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import pytest

from kb.core.search.backend import Backend, EngineUnavailableError, Index, Prepared
from kb.core.search.tantivy import TantivyBackend
from kb.core.search.values import Condition, Document, Request, Sort, TextQuery, Wanted
from kb.search.backends.fields import FIELDS
from tests.kb.search.backends.conftest import Place

ANYTHING = TextQuery()
ON_DISK = pytest.mark.parametrize("place", ["tantivy"], indirect=True)


def doc(pk: int, title: str = "", text: str = "", **more: Any) -> Document:
    texts = {"title": title, "all": f"{title} | {text}"}
    numbers = more.pop("numbers", {})
    values = {key: (value,) for key, value in more.items()}
    return Document(pk, texts, values, numbers, f"card {pk} ß", bytes([pk % 256, 0]))


def prepare(index: Index, *documents: Document) -> list[Prepared]:
    return list(map(index.prepare, documents))


def words(*wanted: str, least: int = 1, **more: Any) -> TextQuery:
    return TextQuery(tuple(Wanted(((word, 1.0),)) for word in wanted), least, **more)


def found(backend: Backend, text: TextQuery = ANYTHING, **more: Any) -> list[int]:
    return [candidate.id for candidate in backend.find(Request(text, **more)).candidates]


def fill(index: Index, *documents: Document) -> None:
    build = index.build()
    build.add(list(map(index.prepare, documents)), documents[-1].id if documents else 0)
    build.finish()


class TestScores:
    def test_a_title_outweighs_what_stands_below_it(self, index: Index, backend: Backend) -> None:
        fill(index, doc(1, title="hang", text="x x"), doc(2, title="x", text="hang x"))
        assert found(backend, words("hang")) == [1, 2]

    def test_a_word_of_more_weight_counts_more(self, index: Index, backend: Backend) -> None:
        fill(index, doc(1, title="hang"), doc(2, title="freez"))
        assert found(backend, TextQuery((Wanted((("hang", 1.0), ("freez", 0.3))),))) == [1, 2]
        assert found(backend, TextQuery((Wanted((("hang", 0.3), ("freez", 1.0))),))) == [2, 1]

    def test_filters_do_not_change_scores(self, index: Index, backend: Backend) -> None:
        fill(index, doc(1, title="hang", state="open"), doc(2, text="hang", state="closed"))
        plain = backend.find(Request(words("hang"))).candidates[0]
        filtered = backend.find(Request(words("hang"), (Condition("state", ("open",)),))).candidates[0]
        assert plain.score == filtered.score > 0

    def test_equal_scores_stand_by_id_from_the_highest_on_every_page(self, index: Index, backend: Backend) -> None:
        build = index.build()
        for start in range(1, 301, 50):
            build.add([index.prepare(doc(pk, title="hang gpu")) for pk in range(start, start + 50)], start + 49)
        build.finish()
        pages = [found(backend, words("hang"), offset=offset, limit=30) for offset in range(0, 300, 30)]
        assert [pk for page in pages for pk in page] == list(range(300, 0, -1))

    def test_least_says_how_many_must_match(self, index: Index, backend: Backend) -> None:
        fill(index, doc(1, title="a"), doc(2, title="a", text="b"), doc(3, title="a", text="b c"))
        assert [sorted(found(backend, words("a", "b", "c", least=n))) for n in (1, 2, 3, 4)] == [
            [1, 2, 3],
            [2, 3],
            [3],
            [],
        ]

    def test_a_phrase_stands_in_one_field(self, index: Index, backend: Backend) -> None:
        fill(index, doc(1, title="illeg memori access"), doc(2, title="illeg memori", text="access"))
        assert found(backend, TextQuery(phrases=(("illeg", "memori", "access"),))) == [1]
        assert found(backend, words("memori", unwanted=(("memori", "access"),))) == [2]

    def test_card_and_features_come_back_as_they_were(self, index: Index, backend: Backend) -> None:
        fill(index, doc(7, title="hang"))
        (candidate,) = backend.find(Request()).candidates
        card = candidate.card if isinstance(candidate.card, str) else candidate.card.decode()
        assert (card, candidate.features) == ("card 7 ß", b"\x07\x00")

    def test_words_are_known_by_their_beginning(self, index: Index, backend: Backend) -> None:
        fill(index, doc(1, title="deadlock", text="deadlock dead"), doc(2, text="deadlock"), doc(3, text="gpu"))
        assert backend.words_starting("dead", 5) == [("deadlock", 2), ("dead", 1)]
        assert backend.frequencies(["deadlock", "gpu", "no"]) == {"deadlock": 2, "gpu": 1, "no": 0}


class TestChanges:
    def test_an_empty_index_finds_nothing(self, index: Index, backend: Backend) -> None:
        fill(index)
        hits = backend.find(Request(words("hang"), facets=("state", "symptom", "cause")))
        assert (hits.candidates, hits.total, hits.facets) == ((), 0, {"state": {}, "symptom": {}, "cause": {}})
        assert backend.find(Request(sort=Sort.DISCUSSED)).total == 0

    def test_changes_are_seen_at_the_next_search(self, index: Index, backend: Backend) -> None:
        fill(index, doc(1, title="hang", state="open"), doc(2, title="hang", state="open"))
        request = Request(words("hang"), facets=("state",))
        assert backend.find(request).facets == {"state": {"open": 2}}
        index.apply([doc(1, title="hang", state="closed"), doc(3, title="hang", state="open")], [2, 99])
        hits = backend.find(request)
        assert sorted(candidate.id for candidate in hits.candidates) == [1, 3]
        assert (hits.total, hits.facets, backend.size()) == (2, {"state": {"open": 1, "closed": 1}}, 2)

    def test_one_bad_document_leaves_everything_as_it_was(self, index: Index, backend: Backend) -> None:
        fill(index, doc(1, title="hang"))
        with pytest.raises(ValueError, match="No such field"):
            index.apply([doc(1, title="crash"), doc(2, colour="red")], [1])
        index.apply([], [])
        assert found(backend, words("hang")) == [1]

    def test_the_order_outlives_any_number_of_commits(self, index: Index, backend: Backend) -> None:
        fill(index, *(doc(pk, numbers={"opened_at": 1_000, "comments": pk % 3}) for pk in range(1, 40)))
        before = [found(backend, sort=sort, limit=50) for sort in Sort]
        for start in range(1, 40, 3):
            index.apply(
                [doc(pk, numbers={"opened_at": 1_000, "comments": pk % 3}) for pk in range(start, min(start + 3, 40))],
                [],
            )
        assert [found(backend, sort=sort, limit=50) for sort in Sort] == before


class TestRebuilds:
    def test_changes_go_to_the_index_in_use_while_another_is_built(self, index: Index, backend: Backend) -> None:
        fill(index, doc(1, title="old"))
        build = index.build()
        build.add(prepare(index, doc(1, title="new"), doc(2, title="new")), 2)
        index.apply([doc(3, title="old")], [])
        assert found(backend, words("old")) == [3, 1]
        build.add(prepare(index, doc(3, title="new")), 2)
        build.add(prepare(index, doc(3, title="newer")), 3)
        build.finish()
        assert (found(backend, words("old")), found(backend, words("new", "newer"))) == ([], [3, 2, 1])
        index.apply([doc(2, title="newest")], [])
        assert found(backend, words("newest")) == [2]

    def test_one_bad_document_leaves_a_build_as_it_was(self, index: Index, backend: Backend) -> None:
        build = index.build()
        build.add(prepare(index, doc(1, title="hang")), 1)
        with pytest.raises(ValueError, match="No such field"):
            build.add(prepare(index, doc(1, title="crash"), doc(2, title="hang"), doc(3, colour="red")), 3)
        assert build.last_id == 1
        build.add(prepare(index, doc(4, title="hang")), 4)
        build.finish()
        assert found(backend, words("hang")) == [4, 1]

    def test_a_build_is_gone_on_with_unless_a_fresh_one_is_wanted(self, index: Index) -> None:
        index.build().add(prepare(index, doc(1, title="hang")), 1)
        again = index.build()
        assert again.last_id == 1
        assert index.build(fresh=True).last_id == 0

    @ON_DISK
    def test_an_index_that_was_replaced_is_not_gone_on_with(self, index: Index, tmp_path: Path) -> None:
        fill(index, doc(1, title="hang"))
        (old,) = (path for path in tmp_path.iterdir() if path.is_dir())
        shutil.copytree(old, tmp_path / "kept")
        fill(index, doc(2, title="hang"))
        assert not (tmp_path / "kept").exists()
        assert not old.exists()

    def test_a_reader_never_fails_while_indexes_are_swapped(self, index: Index, backend: Backend) -> None:
        fill(index, doc(1, title="hang"))
        failures: list[Exception] = []
        done = threading.Event()

        def read() -> None:
            while not done.is_set():
                try:
                    assert found(backend, words("hang"))
                except (AssertionError, EngineUnavailableError) as error:
                    failures.append(error)

        readers = [threading.Thread(target=read) for _ in range(3)]
        for reader in readers:
            reader.start()
        for round_ in range(10):
            fill(index, doc(1, title="hang"), doc(round_ + 2, title="hang"))
            index.apply([doc(1, title="hang")], [round_ + 2])
        done.set()
        for reader in readers:
            reader.join()
        assert failures == []


BUILDER = """
import sys
from pathlib import Path

import django

django.setup()
from kb.core.search.tantivy import TantivyIndex, writer
from kb.search.backends.fields import FIELDS
from kb.core.search.values import Document

writer.COMMIT = 60
index = TantivyIndex(Path(sys.argv[1]), 20, FIELDS)
build = index.build()
print("from", build.last_id, flush=True)
for start in range(build.last_id + 1, 4001, 25):
    ids = range(start, start + 25)
    documents = [Document(pk, {"all": "hang"}, {"state": ("open",)}, {}, "", b"") for pk in ids]
    build.add(list(map(index.prepare, documents)), ids[-1])
    print(ids[-1], flush=True)
build.finish()
print("finished", flush=True)
"""


class TestDeath:
    @ON_DISK
    def test_a_killed_build_goes_on_where_it_was_and_ends_complete(self, index: Index, tmp_path: Path) -> None:
        """Killed at random moments, again and again."""
        for after in (1, 7, 20, 33, 50, 90, 159, 160):
            started = subprocess.Popen(
                [sys.executable, "-c", textwrap.dedent(BUILDER), str(tmp_path)],
                stdout=subprocess.PIPE,
                env=os.environ | {"PYTHONPATH": str(Path.cwd()), "DJANGO_SETTINGS_MODULE": "config.settings"},
                text=True,
            )
            assert started.stdout
            for line in started.stdout:
                if line.strip().isdigit() and int(line) >= 25 * after:
                    break
            started.send_signal(signal.SIGKILL)
            started.wait()
        build = index.build()
        # What was added after the last commit is lost, and nothing else.
        assert build.last_id >= 25 * 159 - 75
        for pk in range(build.last_id + 1, 4001):
            build.add(prepare(index, doc(pk, title="hang", state="open")), pk)
        build.finish()
        hits = TantivyBackend(tmp_path, FIELDS).find(
            Request(words("hang"), sort=Sort.NEWEST, limit=5_000, facets=("state",))
        )
        assert [candidate.id for candidate in hits.candidates] == list(range(4000, 0, -1))
        assert hits.facets == {"state": {"open": 4000}}

    @pytest.mark.filterwarnings("ignore:This process")
    def test_a_forked_process_reads_on_its_own(self, index: Index, backend: Backend) -> None:
        fill(index, doc(1, title="hang"))
        assert found(backend, words("hang")) == [1]
        child = os.fork()
        if child == 0:
            os._exit(0 if found(backend, words("hang")) == [1] else 1)
        assert os.waitpid(child, 0)[1] == 0


class TestDamage:
    def test_there_is_no_index_yet(self, index: Index, backend: Backend) -> None:
        with pytest.raises(EngineUnavailableError, match="no search index yet"):
            backend.find(Request())
        with pytest.raises(EngineUnavailableError, match="no search index yet"):
            index.apply([doc(1)], [])

    def test_an_index_of_another_version_is_not_read(
        self, index: Index, place: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fill(index, doc(1, title="hang"))
        monkeypatch.setattr("kb.core.search.tantivy.schema.VERSION", 99)
        monkeypatch.setattr("kb.search.backends.pg_search.schema.VERSION", 99)
        with pytest.raises(EngineUnavailableError, match="another version"):
            place.read().size()

    @ON_DISK
    @pytest.mark.parametrize("harm", ["cut", "garbage", "removed"])
    def test_any_damaged_file_is_told_and_never_a_crash(self, index: Index, tmp_path: Path, harm: str) -> None:
        fill(index, *(doc(pk, title="hang", text="gpu kernel", state="open") for pk in range(1, 300)))
        index.close()
        told = 0
        for number, path in enumerate(sorted(path for path in tmp_path.rglob("*") if path.is_file())):
            copy = tmp_path.parent / f"{tmp_path.name}-{harm}-{number}"
            shutil.copytree(tmp_path, copy)
            broken = copy / path.relative_to(tmp_path)
            if harm == "removed":
                broken.unlink()
            else:
                size = broken.stat().st_size
                broken.write_bytes(broken.read_bytes()[: size // 2] if harm == "cut" else b"\xa7" * size)
            try:
                TantivyBackend(copy, FIELDS).find(Request(words("hang", "gpu"), facets=("state",)))
            except EngineUnavailableError:
                told += 1
        assert told > 5

    @ON_DISK
    def test_a_damaged_beginning_is_built_anew(self, index: Index, tmp_path: Path, backend: Backend) -> None:
        index.build().add(prepare(index, doc(1, title="hang")), 1)
        index.close()
        next(tmp_path.rglob("meta.json")).write_text("{")
        build = index.build()
        assert build.last_id == 0
        build.add(prepare(index, doc(1, title="hang")), 1)
        build.finish()
        assert found(backend, words("hang")) == [1]

    def test_a_second_writer_is_told_so_and_may_write_later(self, index: Index, place: Place) -> None:
        fill(index, doc(1, title="hang"))
        second = place.write()
        with pytest.raises(EngineUnavailableError, match="Another process is writing"):
            second.apply([doc(2)], [])
        with pytest.raises(EngineUnavailableError, match="Another process is writing"):
            second.build()
        index.close()
        second.apply([doc(2, title="hang")], [])
        second.close()
        assert found(place.read(), words("hang")) == [2, 1]
