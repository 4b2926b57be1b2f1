"""Two frameworks compared, as a picture for a slide: in at most five steps, wide and on a phone."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import NARROW, WIDE, OpenPage

pytestmark = pytest.mark.e2e
MOST_STEPS = 5


class Steps:
    """What a visitor does, counted."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.taken = 0

    def click(self, role: str, name: str) -> None:
        """A click, or a tap."""
        self.taken += 1
        self.page.get_by_role(role, name=name, exact=True).first.click()  # type: ignore[arg-type]

    def choose(self, text: str) -> None:
        """A few letters and Enter."""
        self.taken += 1
        box = self.page.get_by_role("combobox", name="Frameworks to compare")
        box.fill(text)
        expect(self.page.locator("#sides-list").get_by_role("option").first).to_have_attribute("aria-selected", "true")
        box.press("Enter")


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_deepspeed_against_megatron_is_a_picture_in_five_steps(open_page: OpenPage, width: int) -> None:
    page = open_page("/explore/", width=width)
    steps = Steps(page)
    steps.click("link", "Compare")
    steps.choose("deep")
    steps.choose("megatron lm")
    steps.click("button", "Compare")
    expect(page.locator(".chart[data-drawn='yes']")).to_be_visible(timeout=20_000)
    with page.expect_download() as download:
        steps.click("button", "SVG")
    assert steps.taken <= MOST_STEPS
    assert re.search(r"side=deepspeed(,|&side=)megatron-lm", page.url)
    picture = download.value.path().read_text()
    text = " ".join(re.findall(r"<text[^>]*>([^<]+)</text>", picture))
    for part in (
        "DeepSpeed and Megatron-LM",
        "n = ",
        "95 %",
        "Labels: ",
        "codebook, version",
        "Counted ",
        "explore/compare",
    ):
        assert part in text, part
    with page.expect_download() as download:
        page.get_by_role("button", name="PNG").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")
