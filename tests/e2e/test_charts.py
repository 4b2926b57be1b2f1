"""Charts in a browser: a click shows the right issues; table, pictures, print and frame say what the figure says."""

import csv
import io
import json
import re

import pytest
from playwright.sync_api import Page, expect

from kb.charts.samples import TOO_FEW
from tests.e2e.conftest import NARROW, OpenPage

pytestmark = pytest.mark.e2e
CHART = "/explore/charts/symptom-cause/"


def drawn(page: Page) -> None:
    """Wait until the figure stands."""
    expect(page.locator(".chart[data-drawn='yes']").first).to_be_visible()


def figure_of(page: Page) -> dict[str, list[list[object]]]:
    """The figure's first trace, as the page holds it."""
    text = page.locator("#symptom-cause-figure").text_content()
    trace: dict[str, list[list[object]]] = json.loads(text or "")["data"][0]
    return trace


def test_a_click_on_a_cell_shows_as_many_issues_as_it_says(open_page: OpenPage) -> None:
    page = open_page(CHART)
    drawn(page)
    place = page.evaluate(
        """() => {
            const chart = document.getElementById("symptom-cause");
            const {x, y, z} = chart.data[0];
            const row = z.findIndex((cells) => cells[0] !== null);
            const {xaxis, yaxis} = chart._fullLayout;
            const box = chart.getBoundingClientRect();
            return {
                left: box.left + xaxis._offset + xaxis.d2p(x[0]),
                top: box.top + yaxis._offset + yaxis.d2p(y[row]),
                n: z[row][0], symptom: y[row], cause: x[0],
            };
        }"""
    )
    page.mouse.move(place["left"], place["top"])
    page.mouse.click(place["left"], place["top"])
    expect(page).to_have_url(re.compile(rf"symptom={place['symptom']}&cause={place['cause']}#issues$"))
    expect(page.locator("#issues")).to_contain_text(re.compile(rf"\b{place['n']} issues? with the filters above"))
    drawn(page)


def test_the_table_says_what_the_figure_says_and_so_does_the_file(open_page: OpenPage) -> None:
    page = open_page(f"{CHART}?framework=deepspeed,vllm")
    drawn(page)
    trace = figure_of(page)
    in_figure = [str(text) for row in trace["text"] for text in row if text]
    in_table = page.locator(".chart-grid td a").evaluate_all("links => links.map((a) => a.firstChild.textContent)")
    assert in_table == in_figure
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text())))
    # What rests on too few is in the file alone.
    drawn_rows = [row for row in rows if min(int(row["symptom_issues"]), int(row["cause_issues"])) >= TOO_FEW]
    assert sorted(row["issues"] for row in drawn_rows) == sorted(in_figure)


@pytest.mark.parametrize("kind", ["PNG", "SVG"])
def test_a_picture_can_be_kept_under_the_strict_policy(open_page: OpenPage, kind: str) -> None:
    page = open_page(CHART)
    drawn(page)
    with page.expect_download() as download:
        page.get_by_role("button", name=kind).click()
    assert download.value.suggested_filename == f"faultbook-symptom-cause.{kind.lower()}"
    assert download.value.path().read_bytes().startswith(b"\x89PNG" if kind == "PNG" else b"<svg")


def test_by_keyboard_a_number_of_the_table_leads_to_its_issues(open_page: OpenPage) -> None:
    page = open_page(CHART, width=NARROW)
    link = page.locator(".chart-grid td a").first
    said = link.evaluate("a => a.firstChild.textContent")
    link.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#issues strong").first).to_have_text(said)


def test_filtering_and_switching_keep_each_other_without_loading_the_page(open_page: OpenPage) -> None:
    page = open_page(CHART)
    drawn(page)
    page.evaluate("window.isSamePage = true")
    page.get_by_label("Framework", exact=True).select_option("deepspeed")
    expect(page.locator("#explore-status")).to_have_text(re.compile(r"Showing \d+ issues; 1 filter$"))
    page.get_by_role("link", name="Share", exact=True).click()
    expect(page).to_have_url(re.compile("framework=deepspeed&measure=share"))
    page.get_by_role("link", name="Framework: DeepSpeed").click()
    expect(page).to_have_url(re.compile(r"\?measure=share$"))
    drawn(page)
    assert page.evaluate("window.isSamePage")


def test_a_filter_that_leaves_nothing_can_be_cleared_and_the_figure_comes_back(open_page: OpenPage) -> None:
    page = open_page(f"{CHART}?framework=vllm&year=2009")
    expect(page.locator(".chart")).to_have_count(0)
    page.get_by_role("link", name="Clear all", exact=True).click()
    drawn(page)


def test_on_paper_it_is_light_and_whole(open_page: OpenPage) -> None:
    page = open_page(CHART, color_scheme="dark")
    drawn(page)
    page.emulate_media(media="print")
    expect(page.locator(".filterbar")).to_be_hidden()
    expect(page.locator(".chart-grid")).to_be_visible()
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_a_report_is_one_file_that_works_from_disk(
    open_page: OpenPage, tmp_path_factory: pytest.TempPathFactory
) -> None:
    page = open_page("/explore/report/?framework=deepspeed")
    drawn(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as one file").click()
    kept = tmp_path_factory.mktemp("report") / "report.html"
    download.value.save_as(kept)
    page.goto(kept.as_uri())
    expect(page.locator(".chart[data-drawn='yes']")).to_have_count(3)
