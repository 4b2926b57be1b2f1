"""Typing, reloading, losing the connection, sending, going back, a second tab: in every order, and nothing is lost."""

from collections.abc import Sequence
from itertools import permutations

import pytest
from playwright.sync_api import Error, Page, expect

from labeling.models import Draft
from tests.e2e.labeling import OpenRound, copies, saved, take_next

pytestmark = pytest.mark.e2e

STAY = 6_000
# Without a connection there is no page to be had; and who presses F5 while a page is on its way interrupts it.
TO_BE_EXPECTED = ("ERR_INTERNET_DISCONNECTED", "ERR_ABORTED", "Not attached to an active page")


class Desk:
    """Somebody at one issue: in one tab, later perhaps in another, with a connection or without."""

    def __init__(self, page: Page) -> None:
        page.context.clock.install()
        take_next(page)
        self.page = page
        self.address = page.url
        self.typed = ""
        # The time at work alone is worth sending when the page is left.
        page.locator("#note").click()
        page.clock.run_for(STAY)

    def do(self, order: Sequence[str]) -> None:
        """Do one thing after the other, without waiting for what the page makes of it; then be online again."""
        for step in order:
            try:
                getattr(self, step)()
            except Error as error:
                if not any(words in error.message for words in TO_BE_EXPECTED):
                    raise
        self.page.context.set_offline(False)

    def types(self) -> None:
        """Type on, where there is a ballot to type in."""
        if not self.page.locator("#note").count():
            return
        self.typed += f"{len(self.typed)} "
        self.page.locator("#note").press("End")
        self.page.locator("#note").press_sequentially(self.typed[-2:])

    def reloads(self) -> None:
        """Press F5."""
        self.page.reload()

    def sends(self) -> None:
        """Submit what is there; it is not whole."""
        button = self.page.get_by_role("button", name="Submit")
        if button.count():
            button.click()

    def goes_offline(self) -> None:
        """Lose the connection."""
        self.page.context.set_offline(True)

    def comes_online(self) -> None:
        """Have it again."""
        self.page.context.set_offline(False)

    def goes_back(self) -> None:
        """Follow a link, and come back by the back button."""
        self.page.goto("/labeling/hangs/mine/")
        self.page.go_back()

    def opens_another_tab(self) -> None:
        """Go on in a second tab; the first one stays open."""
        other = self.page.context.new_page()
        # It may load itself once more, where another tab has saved meanwhile.
        other.goto(self.address, wait_until="commit")
        expect(other.locator("#save-draft")).to_have_attribute("hidden", "")
        self.page = other


@pytest.fixture
def desk(open_round_page: OpenRound) -> Desk:
    """Somebody who has opened an issue and read it for a while."""
    return Desk(open_round_page())


def all_is_there(desk: Desk) -> None:
    """What was typed is on the page, on the server, and nowhere else, and nobody was asked to choose."""
    page = desk.page
    expect(page.locator("#note")).to_have_value(desk.typed)
    expect(page.get_by_role("button", name="Use the version")).to_have_count(0)
    page.locator("#note").press("End")
    page.locator("#note").press_sequentially("end")
    saved(page)
    assert Draft.objects.get().content["note"] == f"{desk.typed}end"
    assert copies(page) == []
    expect(page.get_by_role("button", name="Use the version")).to_have_count(0)


@pytest.mark.parametrize("order", list(permutations(["types", "reloads", "goes_offline", "sends"])), ids="-".join)
def test_reloading_sending_and_a_lost_connection(desk: Desk, order: Sequence[str]) -> None:
    desk.do(order)
    desk.opens_another_tab()
    all_is_there(desk)


@pytest.mark.parametrize(
    "order", list(permutations(["types", "goes_back", "opens_another_tab", "reloads"])), ids="-".join
)
def test_the_back_button_and_a_second_tab(desk: Desk, order: Sequence[str]) -> None:
    desk.do([*order, "types"])
    all_is_there(desk)


@pytest.mark.parametrize("order", list(permutations(["types", "comes_online", "reloads"])), ids="-".join)
def test_typing_on_while_the_connection_comes_and_goes(desk: Desk, order: Sequence[str]) -> None:
    desk.do(["types", "goes_offline", *order, "types"])
    desk.opens_another_tab()
    all_is_there(desk)
