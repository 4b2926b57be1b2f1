"""Plotly's script, cut to what is drawn here."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.http import QueryDict
from pytest_django import Settings

from kb.charts.catalogue import CHARTS
from kb.charts.chart import Chart, choices
from kb.charts.drawings import draw
from kb.charts.evidence import gather
from kb.web.plotly import cut, finder

SPEC = find_spec("plotly")
WHOLE = Path(str(SPEC and SPEC.origin)).parent / "package_data" / "plotly.min.js"
LONGEST_NOTE = 200


def small(body: bytes) -> bytes:
    """A bundle with a list of traces and this body."""
    return b'/* notice */"use strict";var Plotly=(()=>{%sa.register([b()])})();/* licence */' % body


@pytest.fixture(scope="module")
def whole() -> bytes:
    return WHOLE.read_bytes()


@pytest.fixture(autouse=True)
def found_anew() -> None:
    finder._folder.cache_clear()


class TestCut:
    """Most of the bundle draws maps and three dimensions."""

    def test_leaves_less_than_a_third(self, whole: bytes) -> None:
        assert len(cut.cut(whole, finder.TRACES)) < len(whole) / 3

    def test_keeps_the_notice_and_the_licences_of_what_is_in_it(self, whole: bytes) -> None:
        left = cut.cut(whole, finder.TRACES)
        assert left.startswith(whole[: whole.index(b"*/")])
        notes = [line for line in whole.splitlines() if b"license" in line.lower() and len(line) < LONGEST_NOTE]
        assert len(notes) > 10
        assert not [note for note in notes if note not in left]

    def test_keeps_the_traces_that_are_asked_for_and_no_others(self, whole: bytes) -> None:
        left = cut.cut(whole, ["heatmap", "pie"])
        assert set(re.findall(rb'moduleType:"trace",name:"(\w+)"', left)) >= {b"scatter", b"heatmap", b"pie"}
        for gone in (b"sankey", b"scatter3d", b"choropleth"):
            assert b'moduleType:"trace",name:"%s"' % gone not in left

    def test_does_not_guess_where_a_trace_is_not_in_it(self, whole: bytes) -> None:
        with pytest.raises(cut.UnknownBundleError, match="does not register sparkline"):
            cut.cut(whole, ["bar", "sparkline"])

    @pytest.mark.parametrize(
        "text",
        [
            b'"}"',
            b"'\\'}'",
            b"`}${`{${x}`}`",
            b"/[/}]}/.test(x)",
            b"1/2/{}",
            b"/* } */1",
            b"{}",
        ],
    )
    def test_leaves_out_what_nothing_mentions_and_knows_where_it_ends(self, text: bytes) -> None:
        body = b"var p,A=W((e,m)=>{m=[%s]}),B=W(()=>{C()});function C(){c=%s}function D(){c=%s};B();"
        left = cut.cut(small(body % (text, text, text)), [])
        assert b"var p,A,B=W(()=>{C()});function C(){c=%s};B();" % text in left

    def test_says_so_where_brackets_do_not_fit(self) -> None:
        with pytest.raises(cut.UnknownBundleError, match="brackets"):
            cut.cut(small(b"f((1);"), [])

    @pytest.mark.parametrize(
        "other",
        [
            b"",
            b"/* */ window.Plotly = {}",
            b'/* */"use strict";var Plotly=(()=>{})();',
            b'/* */"use strict";var Plotly=(()=>{a.register([b()])});',
        ],
    )
    def test_says_so_where_the_bundle_is_another(self, other: bytes) -> None:
        with pytest.raises(cut.UnknownBundleError):
            cut.cut(other, ["bar"])


class TestFinder:
    """The script is a static file like any other."""

    def test_finds_the_script_and_nothing_else(self) -> None:
        found = finders.find("plotly/plotly.min.js")
        assert Path(str(found)).stat().st_size < WHOLE.stat().st_size
        assert finders.find("plotly/plotly.min.js", find_all=True) == [found]
        assert finders.find("plotly/widgetbundle.js") is None

    def test_collects_it(self, settings: Settings, tmp_path: Path) -> None:
        settings.STATIC_ROOT = str(tmp_path)
        call_command("collectstatic", "--noinput", verbosity=0)
        assert (tmp_path / "plotly/plotly.min.js").stat().st_size < WHOLE.stat().st_size

    def test_makes_it_once(self, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        settings.DATA_DIR = tmp_path
        first = finders.find("plotly/plotly.min.js")
        finder._folder.cache_clear()
        monkeypatch.setattr(cut, "cut", lambda *_: pytest.fail("it is there"))
        assert finders.find("plotly/plotly.min.js") == first

    def test_serves_the_whole_where_it_cannot_be_cut(
        self, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        settings.DATA_DIR = tmp_path
        monkeypatch.setattr(finder, "TRACES", ("sparkline",))
        assert finders.find("plotly/plotly.min.js") == str(WHOLE)
        assert "served whole" in caplog.text

    def test_serves_the_whole_where_nothing_can_be_written(
        self, settings: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        settings.DATA_DIR = tmp_path / "file"
        settings.DATA_DIR.write_text("in the way")
        assert finders.find("plotly/plotly.min.js") == str(WHOLE)
        assert "served whole" in caplog.text


@pytest.mark.django_db
@pytest.mark.usefixtures("starter")
@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.slug)
def test_no_chart_draws_a_trace_that_is_cut_off(chart: Chart) -> None:
    drawn = draw(chart, gather(QueryDict("")), choices(chart, {}))
    assert {trace["type"] for trace in drawn.figure.get("data", ())} <= set(finder.TRACES)


def test_the_site_serves_the_cut_script() -> None:
    assert "kb.web.plotly.finder.PlotlyFinder" in settings.STATICFILES_FINDERS
