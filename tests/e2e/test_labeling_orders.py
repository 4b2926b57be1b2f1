"""Typing, reloading, losing the connection, sending, going back, a second tab, in many orders: nothing is lost."""

from collections.abc import Iterable, Sequence
from itertools import combinations, permutations

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

    def clear(self) -> Page:
        """A tab of the issue without a draft or a copy of one, and no other tab."""
        for tab in self.page.context.pages[:-1]:
            tab.evaluate("() => { navigator.sendBeacon = () => true }")
            tab.close()
        [tab] = self.page.context.pages
        tab.evaluate("() => { navigator.sendBeacon = () => true; localStorage.clear(); sessionStorage.clear() }")
        Draft.objects.all().delete()
        tab.goto(self.address)
        expect(tab.locator("#note")).to_have_value("")
        return tab


def lost(desk: Desk) -> str:
    """What is wrong: the page, and the server alone, have what was typed, and nobody is asked to choose."""
    page = desk.page
    try:
        expect(page.locator("#note")).to_have_value(desk.typed)
        expect(page.get_by_role("button", name="Use the version")).to_have_count(0)
        page.locator("#note").press("End")
        page.locator("#note").press_sequentially("end")
        page.clock.run_for(STAY)
        saved(page)
        assert Draft.objects.get().content["note"] == f"{desk.typed}end"
        assert copies(page) == []
        expect(page.get_by_role("button", name="Use the version")).to_have_count(0)
    except AssertionError as error:
        return str(error)
    return ""


def losses(page: Page, orders: Iterable[Sequence[str]], *, reads_again: bool = True) -> list[str]:
    """The orders after which something is lost, tried one by one at a desk that is cleared each time."""
    found = []
    page.context.clock.install()
    take_next(page)
    for order in orders:
        desk = Desk(page)
        desk.do(order)
        if reads_again:
            desk.opens_another_tab()
        if fault := lost(desk):
            found.append(f"{'-'.join(order)}: {fault}")
        page = desk.clear()
    return found


def orders_of(steps: Sequence[str]) -> list[Sequence[str]]:
    """As many orders as it takes for every three of the steps to come in every order: of four steps six."""
    wanted = set(permutations(steps, 3))
    orders: list[Sequence[str]] = []
    while wanted:
        orders.append(max(permutations(steps), key=lambda order: len(wanted & set(combinations(order, 3)))))
        wanted -= set(combinations(orders[-1], 3))
    return orders


def test_reloading_sending_and_a_lost_connection(open_round_page: OpenRound) -> None:
    orders = orders_of(["types", "reloads", "goes_offline", "sends"])
    assert losses(open_round_page(), orders) == []


def test_the_back_button_and_a_second_tab(open_round_page: OpenRound) -> None:
    orders = orders_of(["types", "goes_back", "opens_another_tab", "reloads"])
    assert losses(open_round_page(), ([*order, "types"] for order in orders), reads_again=False) == []


def test_typing_on_while_the_connection_comes_and_goes(open_round_page: OpenRound) -> None:
    orders = orders_of(["types", "comes_online", "reloads"])
    assert losses(open_round_page(), (["types", "goes_offline", *order, "types"] for order in orders)) == []
