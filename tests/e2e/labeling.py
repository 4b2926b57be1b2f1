"""A round to label in the browser, by the house codebook, and the few things that every journey there does."""

import datetime as dt
import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from kb.models import Axis, Issue
from labeling.models import CrossRule, ProjectNode, Role, Round
from labeling.services.codebooks import adopt_axes, write_guideline
from labeling.services.people import found_project, invite, join
from labeling.services.projects import describe_project
from labeling.services.rounds import fill_round, open_round, prepare_round
from tests.kb.web.people import PASSWORD, make_user
from tests.labeling.factories import make_founder
from tests.support.factories import make_issue

OpenRound = Callable[..., Page]

LOG = "\r\n".join(f"[rank{rank}]: all_reduce took {rank} ms 😀" for rank in range(20))
BODY = (
    "### What happens\r\n\r\nIt **hangs** in [forward](https://example.org/f) &amp; never ends.\r\n\r\n"
    f"```\r\n{LOG}\r\n```\r\n\r\n- torch 2.5\r\n- 2 nodes\r\n"
)
SAID = (
    f"The same here:\n\n```\n{LOG}\n```",
    "# Try this\n\n| where | what |\n|---|---|\n| two nodes | `--no-overlap` |",
    "",
)


def make_hangs() -> Round:
    """An open round of three issues by the house codebook, for one annotator: ada; below the first one, comments."""
    lead = found_project(user=make_founder("lena"), slug="hangs", name="Hangs", question="Why does it hang?")
    describe_project(lead=lead, name="Hangs", question="Why does it hang?", shows_comments=True)
    # Hardware is asked only where a project chooses it.
    adopt_axes(lead=lead, axes=list(Axis.objects.filter(scheme__slug="house").exclude(code="hardware")))
    write_guideline(lead=lead, text="Label what the **report** says.")
    question = ProjectNode.objects.get(axis__project=lead.project, axis__code="issue_type", code="question")
    hang = ProjectNode.objects.get(axis__project=lead.project, axis__code="symptom", code="hang")
    rule = CrossRule.objects.create(
        project=lead.project, when=question, kind="excludes", reason="A question does not hang."
    )
    rule.others.add(hang)
    _, token = invite(lead=lead, roles=[Role.ANNOTATOR], is_senior=False)
    join(user=make_user("ada"), token=token)
    made = prepare_round(lead=lead, kind=Round.Kind.MAIN, name="Main", votes_wanted=1, order_seed="")
    issues = [make_issue(title=f"Training hangs {number}", body=BODY) for number in range(3)]
    for place, body in enumerate(SAID):
        moment = dt.datetime(2024, 1, 2, 9, place, tzinfo=dt.UTC)
        issues[0].comments.create(
            node_id=f"IC_{place}", author="somebody", body=body, created_at=moment, updated_at=moment
        )
    fill_round(lead=lead, round_=made, urls=[issue.url for issue in issues], sample={"kind": "urls"})
    return open_round(lead=lead, round_=made)


def mirror_all() -> None:
    """Give every issue a report of its own, as a mirror would: without one nobody can label it."""
    Issue.objects.update(title="Training hangs", body=BODY)


def log_in(page: Page) -> None:
    """Fill in the log-in form."""
    page.get_by_label("User name or e-mail").fill("ada")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()
    expect(page.get_by_role("heading", name="Log in")).to_have_count(0)


def take_next(page: Page) -> None:
    """Take the next issue."""
    page.get_by_role("button", name="Take the next issue").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Training hangs")
    page.wait_for_load_state()


def saved(page: Page) -> None:
    """Wait until the draft is on the server."""
    expect(page.locator("#save-state")).to_have_text(re.compile("^Saved"))


def chosen(page: Page, axis: str) -> str:
    """What stands in an axis's head."""
    return page.locator(f"#axis-{axis} [data-chosen]").inner_text()


def copies(page: Page) -> list[str]:
    """The ballots' copies that the browser keeps."""
    found: list[str] = page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('draft:'))")
    return found
