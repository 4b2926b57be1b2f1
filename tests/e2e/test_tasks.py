"""What visitors come for, in few steps: tasks beside those of `test_answer`, `test_box` and `test_compare`."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from kb.starter import example
from tests.e2e.conftest import NARROW, WIDE, OpenPage
from tests.e2e.visitor import Visitor

pytestmark = [pytest.mark.e2e, pytest.mark.parametrize("width", [WIDE, NARROW])]
LOG = """step 37 loss 2.1
Traceback (most recent call last):
  File "train.py", line 40, in <module>
    trainer.step(batch)
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.
"""


def test_a_number_leads_to_its_fix_in_one_step(open_page: OpenPage, width: int) -> None:
    visitor = Visitor(open_page("/", width=width))
    visitor.ask(example.NAME)
    assert visitor.steps == 1
    expect(visitor.page.locator("#now")).to_be_in_viewport()
    fix = visitor.page.locator("#fix")
    expect(fix.get_by_role("link").first).to_have_attribute(
        "href", re.compile(r"^https://github\.com/.+/(pull|commit)/")
    )


def test_a_log_file_leads_to_a_command_or_setting_to_copy_in_two_steps(
    open_page: OpenPage, width: int, tmp_path: Path
) -> None:
    log = tmp_path / "train.log"
    log.write_text(LOG)
    visitor = Visitor(open_page("/diagnose/", width=width))
    visitor.page.locator("input[type=file]").first.set_input_files(log)
    visitor.tap(visitor.page.get_by_role("button", name="Diagnose", exact=True).last)
    steps = visitor.page.get_by_role("region", name="What to do now")
    visitor.tap(steps.get_by_role("button", name="Copy").first)
    assert visitor.steps == 2


def test_an_issue_is_cited_in_two_steps(open_page: OpenPage, width: int) -> None:
    visitor = Visitor(open_page("/", width=width))
    visitor.ask(example.NAME)
    visitor.tap(visitor.page.get_by_text("How this is known"))
    assert visitor.steps == 2
    expect(visitor.page.locator("#citation-bibtex")).to_contain_text("@")


def test_the_likeliest_causes_of_nan_have_intervals_in_one_step(open_page: OpenPage, width: int) -> None:
    visitor = Visitor(open_page("/", width=width))
    visitor.ask("loss is NaN")
    assert visitor.steps == 1
    expect(visitor.page.locator(".answer-symptom")).to_contain_text("95 % intervals")
    expect(visitor.page.locator(".answer-symptom")).to_contain_text(re.compile(r"\d+ % \(\d+–\d+ %\)"))


def test_a_report_of_one_framework_is_a_file_in_four_steps(open_page: OpenPage, width: int) -> None:
    visitor = Visitor(open_page("/explore/?framework=deepspeed", width=width))
    visitor.tap(visitor.page.get_by_role("link", name="Make a report"))
    with visitor.page.expect_download() as download:
        visitor.tap(visitor.page.get_by_role("button", name="Download as one file"))
    assert visitor.steps <= 4
    text = download.value.path().read_text(encoding="utf-8")
    assert "DeepSpeed" in text
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=.https?:", text)
