"""Diagnosis in a browser: from a dropped log to what failed, and the log itself beside the result."""

import gzip
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import all_faults_of, faults_of
from tests.e2e.conftest import NARROW, OpenPage
from tests.kb.diagnose.runs import ERROR, FAILED

pytestmark = pytest.mark.e2e
PAGE = "/diagnose/"
MILLION = 1_000_000
AT = 777_777
# Of a record of the starter knowledge base.
KNOWN = "RuntimeError: CUDA error: peer access is already enabled"
ISSUE = "https://github.com/ggml-org/llama.cpp/issues/5347"
FIX = "https://github.com/ggml-org/llama.cpp/pull/5597"
DROP = """([zone, name, text]) => {
    const dragged = new DataTransfer();
    dragged.items.add(new File([text], name));
    document.querySelector(zone).dispatchEvent(new DragEvent("drop", { dataTransfer: dragged, bubbles: true }));
}"""

# Lets the viewer's worker begin only when the test says so, as a long packed log does on a slow machine.
HOLD = """() => {
    const held = [];
    window.Worker = class extends Worker {
        postMessage(message) { held.push([this, message]); }
        send(message) { super.postMessage(message); }
    };
    window.letGo = () => {
        for (const [worker, message] of held.splice(0)) worker.send(message);
        window.Worker.prototype.postMessage = window.Worker.prototype.send;
    };
}"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "rank3.log"
    file.write_text(FAILED)
    return file


@pytest.fixture
def long_log(tmp_path: Path) -> Path:
    """A million lines, packed, with one that matters far within."""
    file = tmp_path / "long.log.gz"
    lines = [f"shard {number} is read" for number in range(1, MILLION + 1)]
    lines[AT - 1] = f"[rank3]: {ERROR}"
    file.write_bytes(gzip.compress("\n".join(lines).encode(), 1))
    return file


def diagnose(page: Page) -> None:
    page.get_by_role("button", name="Diagnose", exact=True).click()
    # However long the reading takes on a busy machine.
    expect(page.locator(".verdict h1")).to_be_focused(timeout=90_000)


def opened_on_hold(open_page: OpenPage, log: Path) -> Page:
    page = open_page(PAGE)
    page.evaluate(HOLD)
    page.get_by_label("Or log files").set_input_files(log)
    diagnose(page)
    return page


class TestFromDropToCause:
    def test_a_dropped_file_is_diagnosed_in_place(self, open_page: OpenPage) -> None:
        page = open_page(PAGE)
        page.evaluate(DROP, ["[data-drop]", "rank3.log", FAILED])
        diagnose(page)
        assert page.url.endswith(PAGE)
        first = page.locator(".found-line").first
        expect(first).to_contain_text("rank3.log:6")
        expect(first).to_contain_text(ERROR)
        expect(page.locator("svg.timeline")).to_be_visible()

    def test_a_known_issue_leads_to_its_page_and_its_fix(self, open_page: OpenPage) -> None:
        page = open_page(PAGE)
        page.evaluate(DROP, ["[data-drop]", "rank3.log", FAILED.replace(ERROR, KNOWN)])
        diagnose(page)
        offered = page.get_by_role("region", name="Known issues").get_by_role("listitem").first
        expect(offered.get_by_role("link", name="The fix")).to_have_attribute("href", FIX)
        offered.get_by_role("link").first.click()
        expect(page.get_by_role("link", name="Original on GitHub").first).to_have_attribute("href", ISSUE)

    def test_a_pasted_log_is_shown_in_the_viewer_and_never_sent_again(self, open_page: OpenPage) -> None:
        page = open_page(PAGE)
        page.get_by_label("Log or traceback").fill(FAILED)
        diagnose(page)
        sent: list[str] = []
        page.on("request", lambda request: sent.append(request.method))
        page.locator("[data-jump]").first.click()
        expect(page.locator(".viewer-row.is-at")).to_contain_text(ERROR)
        assert "POST" not in sent

    def test_the_example_is_one_click_away(self, open_page: OpenPage) -> None:
        page = open_page(PAGE)
        page.get_by_role("link", name="Try an example").click()
        expect(page.locator(".verdict")).to_contain_text("The run failed")

    def test_bad_input_is_said_and_what_to_do(self, open_page: OpenPage) -> None:
        page = open_page(PAGE, java_script_enabled=False)
        page.get_by_role("button", name="Diagnose", exact=True).click()
        expect(page.get_by_role("alert")).to_contain_text("There is no log yet")

    def test_it_needs_no_scripts(self, open_page: OpenPage, log: Path) -> None:
        page = open_page(PAGE, java_script_enabled=False)
        page.get_by_label("Or log files").set_input_files(log)
        page.get_by_role("button", name="Diagnose", exact=True).click()
        expect(page.locator(".found-line").first).to_contain_text("rank3.log:6")
        expect(page.locator(".found-around").first).to_be_visible()
        expect(page.locator("#log-viewer")).to_be_hidden()


class TestTheLogItself:
    def test_it_jumps_within_a_million_lines_and_draws_few(self, open_page: OpenPage, long_log: Path) -> None:
        page = open_page(PAGE)
        page.get_by_label("Or log files").set_input_files(long_log)
        diagnose(page)
        page.locator(f".found-line[data-line='{AT}'] [data-jump]").first.click()
        expect(page.locator(".viewer-row.is-at")).to_contain_text(ERROR)
        expect(page.locator(".viewer-row.is-at .found-number")).to_have_text(str(AT))
        expect(page.locator("#viewer-status")).to_have_text(f"Line {AT:,} of {MILLION:,}")
        assert page.locator(".viewer-row").count() < 100
        page.get_by_label("Line", exact=True).fill("999999")
        page.get_by_role("button", name="Go").click()
        expect(page.locator(".viewer-row.is-at")).to_contain_text("shard 999999 is read")

    def test_it_is_moved_and_searched_by_keyboard(self, open_page: OpenPage, log: Path) -> None:
        page = open_page(PAGE)
        page.get_by_label("Or log files").set_input_files(log)
        page.get_by_role("button", name="Diagnose", exact=True).press("Enter")
        expect(page.locator(".viewer-row").first).to_contain_text("iteration 41")
        page.locator("#viewer-lines").press("n")
        expect(page.locator(".viewer-row.is-at")).to_be_visible()
        page.get_by_label("Find").fill("loss.backward")
        page.get_by_role("button", name="Before").press("Enter")
        expect(page.locator(".viewer-row.is-at")).to_contain_text("loss.backward()")

    def test_a_choice_of_a_million_lines_is_shown_and_a_line_of_it_among_all(
        self, open_page: OpenPage, long_log: Path
    ) -> None:
        page = open_page(PAGE)
        page.get_by_label("Or log files").set_input_files(long_log)
        diagnose(page)
        page.get_by_label("Find").fill("shard 77777")
        page.get_by_label("Show").select_option("Lines with this text")
        status = page.locator("#viewer-status")
        expect(status).to_have_text(f"10 of {MILLION:,} lines of this kind.", timeout=30_000)
        expected = [77_777, *(line for line in range(777_770, 777_780) if line != AT)]
        expect(page.locator(".viewer-row .found-number")).to_have_text([str(line) for line in expected])
        page.get_by_label("Show").select_option("Errors and warnings")
        expect(status).to_have_text(f"1 of {MILLION:,} lines of this kind.", timeout=30_000)
        page.locator("#viewer-lines").press("Enter")
        expect(page.get_by_label("Show")).to_have_value("all")
        expect(page.locator(".viewer-row.is-at .found-number")).to_have_text(str(AT))
        page.get_by_label("Show").select_option("Lines that matter")
        expect(page.locator(".viewer-row")).to_have_count(1)
        page.get_by_label("Find").fill("of this there is none")
        page.get_by_label("Show").select_option("Lines with this text")
        expect(status).to_have_text("No line of this kind.")

    @pytest.mark.parametrize(
        ("choice", "told"),
        [
            ("Lines that matter", f"1 of {MILLION:,} lines of this kind."),
            ("Errors and warnings", f"1 of {MILLION:,} lines of this kind."),
            ("Lines with this text", f"10 of {MILLION:,} lines of this kind."),
        ],
    )
    def test_a_choice_made_before_the_first_line_is_read_is_kept(
        self, open_page: OpenPage, long_log: Path, choice: str, told: str
    ) -> None:
        page = opened_on_hold(open_page, long_log)
        page.get_by_label("Find").fill("shard 77777")
        page.get_by_label("Show").select_option(choice)
        page.evaluate("letGo()")
        expect(page.locator("#viewer-status")).to_have_text(told, timeout=30_000)
        expect(page.get_by_label("Show").locator("option:checked")).to_have_text(choice)

    def test_a_text_or_a_line_asked_for_before_it_is_read_is_found(self, open_page: OpenPage, long_log: Path) -> None:
        page = opened_on_hold(open_page, long_log)
        page.get_by_label("Find").fill("shard 999998")
        page.get_by_label("Find").press("Enter")
        page.evaluate("letGo()")
        expect(page.locator(".viewer-row.is-at")).to_contain_text("shard 999998 is read", timeout=30_000)
        page = opened_on_hold(open_page, long_log)
        page.get_by_label("Show").select_option("Errors and warnings")
        page.get_by_label("Line", exact=True).fill("999999")
        page.get_by_role("button", name="Go").click()
        page.evaluate("letGo()")
        expect(page.locator(".viewer-row.is-at")).to_contain_text("shard 999999 is read", timeout=30_000)
        expect(page.get_by_label("Show")).to_have_value("all")


class TestForEverybody:
    def test_the_result_is_clean_wide_and_narrow_light_and_dark(self, open_page: OpenPage, log: Path) -> None:
        page = open_page(PAGE, color_scheme="light", reduced_motion="reduce")
        page.get_by_label("Or log files").set_input_files(log)
        diagnose(page)
        expect(page.locator(".viewer-row").first).to_be_visible()
        assert all_faults_of(page, "result") == []

    def test_no_evidence_on_a_phone_says_what_to_give(self, open_page: OpenPage) -> None:
        page = open_page(PAGE, width=NARROW)
        page.get_by_label("Log or traceback").fill("hello\nworld\n")
        diagnose(page)
        assert faults_of(page, "light") == []
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW
